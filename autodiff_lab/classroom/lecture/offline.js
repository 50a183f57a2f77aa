// The slides of a lecture that is a single HTML file. A clicker sends PageUp and PageDown: these keys first step through
// the player on the slide, and then turn the slide. Arrow keys turn slides, unless the focus is inside a player.

// reveal.js reads options from the address, and prefers them to those below: with lecture.html?postMessage=true, the
// author of a link could show a page of their own in the slides. So the options are removed from the address.
if (location.search) history.replaceState(null, "", location.pathname + location.hash);
for (const slide of document.querySelectorAll(".slides > section > section")) {
  slide.classList.add("lecture-slide");
  slide.classList.toggle("with-player", hasPlayer(slide));
}

const deck = new Reveal({
  width: "100%",
  height: "100%",
  margin: 0,
  minScale: 1,
  maxScale: 1,
  display: "flex",
  hash: true,
  slideNumber: "c/t",
  transition: "none",
  navigationMode: "linear",
  center: false,
  controls: false,
  autoAnimate: false,
  postMessage: false,
  touch: false,
  scrollActivationWidth: null, // no scrolling through the slides on a small screen: swipes belong to the player
  viewDistance: Infinity,
  mobileViewDistance: Infinity, // the browser prints every slide
});
// This class turns off the print rules of reveal.js, because offline.css prints the slides as they are on the screen.
document.documentElement.classList.add("print-pdf");

const speaker = new SpeakerWindow((event) => {
  if (event.key in TURNS || event.key === " ") turn(TURNS[event.key] ?? 1, event.key);
  else if (event.key === "b" || event.key === ".") deck.togglePause();
});
const TURNS = { PageDown: 1, PageUp: -1, ArrowRight: 1, ArrowLeft: -1 };

/** Steps the player on the slide, or turns the slide. @param {number} by @param {string} key */
function turn(by, key) {
  const player = deck.getCurrentSlide()?.querySelector(".adl-player");
  const hasStepped = key.startsWith("Page") && stepPlayer(player, key);
  if (!hasStepped && by > 0) deck.next();
  if (!hasStepped && by < 0) deck.prev();
  tellSpeaker();
}

addEventListener(
  "keydown",
  (event) => {
    const hasModifier = event.ctrlKey || event.altKey || event.metaKey || event.shiftKey;
    if (!event.isTrusted || hasModifier) return;
    const inside = document.activeElement?.closest(".adl-player");
    if (event.key === "Escape" && inside) {
      document.activeElement.blur();
      event.stopImmediatePropagation();
    }
    if (deck.isPaused()) {
      deck.togglePause(false); // any key ends the black screen, and does nothing else
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    if (event.key === "s" && !document.activeElement?.matches("input, textarea")) {
      event.stopImmediatePropagation();
      speaker.open();
      tellSpeaker();
      return;
    }
    if (!event.key.startsWith("Page") || deck.isOverview() || !deck.getCurrentSlide()) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    turn(TURNS[event.key], event.key);
  },
  true,
);

const slides = () => deck.getSlides();
function notesOf(slide) {
  const notes = [...slide.querySelectorAll("aside.notes")];
  return notes.map((part) => part.innerHTML).join("");
}
/** The cells of a slide, without its notes. @param {Element} [slide] */
function cellsOf(slide) {
  if (!slide) return []; // after the last one
  return [...slide.children].filter((part) => !part.matches("aside"));
}

function tellSpeaker() {
  if (!speaker.isOpen) return;
  const all = slides();
  const at = all.indexOf(deck.getCurrentSlide());
  speaker.show({
    at,
    count: all.length,
    notes: notesOf(all[at]),
    now: cellsOf(all[at]).filter((part) => !part.matches(".fragment:not(.visible)")),
    next: cellsOf(all[at + 1]),
    minutes: all.map((slide) => minutesIn(notesOf(slide))),
  });
}
for (const event of ["slidechanged", "fragmentshown", "fragmenthidden"])
  deck.on(event, tellSpeaker);

function arriveOnSlide() {
  const slide = deck.getCurrentSlide();
  document.body.classList.toggle("on-player", slide?.matches(".with-player"));
  const focused = document.activeElement;
  const isTypingNumber = focused?.matches(".jump-to-slide-input"); // of a slide to go to
  if (!slide?.contains(focused) && !isTypingNumber) focused?.blur();
}
for (const event of ["ready", "slidechanged"]) deck.on(event, arriveOnSlide);

/** Makes the slides' contents inert: in the overview, a click only chooses a slide. @param {boolean} isInert */
function setInert(isInert) {
  for (const slide of slides()) slide.inert = isInert;
}
deck.on("overviewshown", () => setInert(true));
deck.on("overviewhidden", () => setInert(false));

giveRoom();
addEventListener("resize", giveRoom);
// On paper a player shows its last step.
addEventListener("beforeprint", () =>
  document.querySelectorAll(".adl-player").forEach((player) => player.adlRender(Infinity, 1)),
);
deck.initialize();
