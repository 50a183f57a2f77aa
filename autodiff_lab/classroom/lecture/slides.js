// Turns the slides. A clicker sends PageUp and PageDown: they step the player of the slide, scroll what is longer than
// the slide, and then turn it. Arrows turn slides, unless the focus is inside a player.
const deck = new Reveal({
  width: "100%", height: "100%", margin: 0, minScale: 1, maxScale: 1, hash: true, slideNumber: "c/t", transition: "none",
  navigationMode: "linear", center: false, controlsTutorial: false, autoAnimate: false, postMessage: false,
  touch: false, scrollActivationWidth: null, // a finger is for the player, and a small screen shows slides all the same
  viewDistance: Infinity, mobileViewDistance: Infinity, // the browser prints every slide
});
// The rules of reveal.js for paper give way to this class: slides.css prints the slides as they are on the screen.
document.documentElement.classList.add("print-pdf");
const SMALLEST = 62; // per cent: what is longer still is scrolled

/** Makes code that is wider than its slide smaller, and then what is longer. */
function fit(slide) {
  const sheet = slide?.querySelector(":scope > .on-slide");
  if (!sheet || slide.matches(".player")) return;
  sheet.style.fontSize = "";
  for (const code of sheet.querySelectorAll("pre")) {
    code.style.fontSize = "";
    const share = code.clientWidth / code.scrollWidth;
    if (share < 1 && code.clientWidth) code.style.fontSize = `${Math.max(SMALLEST / 100, 0.82 * share)}em`;
  }
  for (let size = 96; size >= SMALLEST && sheet.scrollHeight > sheet.clientHeight + 1; size -= 4) sheet.style.fontSize = `${size}%`;
  sheet.tabIndex = sheet.scrollHeight > sheet.clientHeight + 1 ? 0 : -1;
}

/** Scrolls a slide by most of its height; false if it is at its end. */
function scrolled(slide, down) {
  const sheet = slide.querySelector(":scope > .on-slide");
  const left = down ? sheet.scrollHeight - sheet.clientHeight - sheet.scrollTop : sheet.scrollTop;
  if (slide.matches(".player") || left < 2) return false;
  sheet.scrollBy({ top: (down ? 0.8 : -0.8) * sheet.clientHeight, behavior: "instant" });
  return true;
}

addEventListener("keydown", (event) => {
  if (!event.isTrusted || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
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
  const stepped = player && !player.dispatchEvent(new KeyboardEvent("keydown", { key: event.key, cancelable: true }));
  if (!stepped && !scrolled(slide, down)) deck[down ? "next" : "prev"]();
}, true);

for (const event of ["ready", "slidechanged"])
  deck.on(event, () => {
    const slide = deck.getCurrentSlide();
    const focused = document.activeElement; // a number that is being typed may not be done yet
    if (!slide?.contains(focused) && !focused?.matches(".jump-to-slide-input")) focused?.blur();
    fit(slide);
  });
for (const [event, shown] of [["overviewshown", true], ["overviewhidden", false]])
  deck.on(event, () => document.querySelectorAll(".on-slide").forEach((sheet) => (sheet.inert = shown)));
addEventListener("resize", () => fit(deck.getCurrentSlide())); // the deck's own event tells of its scale alone
document.addEventListener("toggle", () => fit(deck.getCurrentSlide()), true);
deck.initialize();
