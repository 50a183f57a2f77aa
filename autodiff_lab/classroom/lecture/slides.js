// Turns the slides. A clicker sends PageUp and PageDown: they step the player of the slide, and then turn it. Arrows
// turn slides, unless the focus is inside a player.
// reveal.js takes options out of the address, over those here: slides.html?postMessage=true would let whoever links to
// the slides show a page of their own in them. So it finds no options there.
if (location.search) history.replaceState(null, "", location.pathname + location.hash);
const deck = new Reveal({
  width: "100%",
  height: "100%",
  margin: 0,
  minScale: 1,
  maxScale: 1,
  hash: true,
  slideNumber: (slide) => [
    [deck.getSlidePastCount(slide) + 1, "/", deck.getTotalSlides(), slide?.dataset.minutes].join(
      " ",
    ),
  ],
  transition: "none",
  navigationMode: "linear",
  center: false,
  controlsTutorial: false,
  autoAnimate: false,
  postMessage: false,
  touch: false,
  scrollActivationWidth: null, // a finger is for the player, and a small screen shows slides all the same
  viewDistance: Infinity,
  mobileViewDistance: Infinity, // the browser prints every slide
});
// The rules of reveal.js for paper give way to this class: slides.css prints the slides as they are on the screen.
document.documentElement.classList.add("print-pdf");
addEventListener(
  "keydown",
  (event) => {
    if (!event.isTrusted || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey)
      return;
    const slide = deck.getCurrentSlide();
    const inside = document.activeElement?.closest(".adl-player");
    if (event.key === "Escape" && inside) {
      document.activeElement.blur();
      event.stopImmediatePropagation();
    }
    if (deck.isPaused()) {
      deck.togglePause(false); // any key makes a black screen light again, and does nothing else
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    const down = event.key === "PageDown";
    if ((!down && event.key !== "PageUp") || deck.isOverview() || !slide) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const player = slide.querySelector(".adl-player");
    const stepped =
      player &&
      !player.dispatchEvent(new KeyboardEvent("keydown", { key: event.key, cancelable: true }));
    if (!stepped) deck[down ? "next" : "prev"]();
  },
  true,
);

for (const event of ["ready", "slidechanged"])
  deck.on(event, () => {
    const focused = document.activeElement; // a number that is being typed may not be done yet
    if (!deck.getCurrentSlide()?.contains(focused) && !focused?.matches(".jump-to-slide-input"))
      focused?.blur();
  });
for (const [event, shown] of [
  ["overviewshown", true],
  ["overviewhidden", false],
])
  deck.on(event, () =>
    document.querySelectorAll(".on-slide").forEach((sheet) => (sheet.inert = shown)),
  );
/** Tells each player how much of the screen is not its own. */
function giveRoom() {
  for (const room of document.querySelectorAll("section.player .shown"))
    room.style.setProperty("--adl-around", `${Math.ceil(innerHeight - room.clientHeight)}px`);
}
for (const event of ["ready", "slidechanged"]) deck.on(event, giveRoom);
addEventListener("resize", giveRoom);
// On paper a player shows where it ends.
addEventListener("beforeprint", () =>
  document.querySelectorAll(".adl-player").forEach((player) => player.adlRender(Infinity, 1)),
);
deck.initialize();
