// Functions that live and offline slides share: the speaker's window (a clock and the plan, the notes, the current slide
// and the next one), and the keys that go to a player. The page writes into the window directly, so that nothing has to be
// loaded and no messages are sent.

const SPEAKER_PAGE = `<style>
  html { height: 100% }
  body { box-sizing: border-box; height: 100%; margin: 0; padding: 12px 16px; display: grid; gap: 12px;
    grid-template: auto minmax(0, 1fr) / minmax(0, 1fr) 514px; overflow: hidden;
    font: 18px/1.4 system-ui, sans-serif; color-scheme: light dark;
    color: light-dark(#16191d, #eceef1); background: light-dark(#fff, #15181c) }
  header { grid-column: 1 / 3; font-size: 26px }
  header b { font-variant-numeric: tabular-nums }
  .speaker-notes { overflow: auto; font-size: 24px }
  .speaker-notes p { margin: 0 0 0.6em }
  aside { display: flex; flex-direction: column; gap: 6px; min-height: 0; overflow: hidden }
  .speaker-frame { position: relative; flex: none; width: 512px; height: 288px; overflow: hidden;
    outline: 1px solid light-dark(#d5dae0, #3a414a) }
  .speaker-slide { position: absolute; top: 0; left: 0; width: 1280px; height: 720px; transform: scale(0.4);
    transform-origin: 0 0; pointer-events: none }
</style>
<header><b class="speaker-clock">0:00</b> <span class="speaker-plan"></span> · slide <span class="speaker-at"></span></header>
<main class="speaker-notes"></main>
<aside>On the screen<div class="speaker-frame speaker-now"></div>Next<div class="speaker-frame speaker-next"></div></aside>`;

/** @typedef {{at: number, count: number, notes: string, now: Element[], next: Element[], minutes: number[]}} Shown */

globalThis.SpeakerWindow = class {
  /** @param {(event: KeyboardEvent) => void} onKey handles keys that are pressed in this window */
  constructor(onKey) {
    this.onKey = onKey;
    this.window = null;
    this.began = Date.now();
  }

  get isOpen() {
    return Boolean(this.window && !this.window.closed);
  }

  /** Opens the window, or brings it to the front. */
  open() {
    if (this.isOpen) return this.window.focus();
    this.window = open("", "autodiff-lab-speaker", "width=1280,height=760");
    if (!this.window) return; // blocked by the browser, which shows a message
    const { document: page } = this.window;
    page.title = "Speaker";
    for (const style of document.querySelectorAll("style, link[rel=stylesheet]"))
      page.head.append(page.importNode(style, true));
    page.body.innerHTML = SPEAKER_PAGE;
    for (const name of document.body.getAttributeNames()) {
      if (!name.startsWith("data-jp-theme")) continue;
      page.body.setAttribute(name, document.body.getAttribute(name));
    }
    this.window.addEventListener("keydown", this.onKey, true);
    this.window.setInterval(() => this.tick(), 500);
  }

  tick() {
    const seconds = Math.floor((Date.now() - this.began) / 1000);
    const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    this.part("clock").textContent = clock;
  }

  part(name) {
    return this.window.document.querySelector(`.speaker-${name}`);
  }

  /** Shows the current slide, its notes, and the next slide. @param {Shown} shown */
  show({ at, count, notes, now, next, minutes }) {
    if (!this.isOpen) return;
    this.part("at").textContent = `${at + 1} / ${count}`;
    this.part("plan").textContent = planned(minutes, at);
    this.part("notes").innerHTML = notes;
    this.place("now", now);
    this.place("next", next);
    this.tick();
  }

  /** Puts copies of cells into a small slide. @param {string} name @param {Element[]} cells */
  place(name, cells) {
    const slide = this.window.document.createElement("div");
    slide.className = "speaker-slide lecture-slide";
    slide.classList.toggle("with-player", cells.some(hasPlayer));
    for (const cell of cells) {
      const copy = this.window.document.importNode(cell, true);
      copy.classList.remove("lecture-off", "lecture-later");
      for (const notes of copy.querySelectorAll("aside.notes")) notes.remove();
      slide.append(copy);
    }
    this.part(name).replaceChildren(...(cells.length ? [slide] : []));
  }
};

/** Writes when a slide should begin and end; "" if no slide has minutes. @param {number[]} minutes of each slide @param {number} at */
function planned(minutes, at) {
  const total = minutes.reduce((sum, each) => sum + each, 0);
  if (!total) return "";
  let begin = 0;
  let end = 0;
  for (const each of minutes.slice(0, at + 1)) {
    if (!each) continue; // this slide's time is part of the time of the slide before
    begin = end;
    end += each;
  }
  return `— this slide: ${begin}:00 to ${end}:00 of ${total}:00`;
}

/** Reads the minutes from a slide's notes: "3 min". @param {string} notes */
globalThis.minutesIn = (notes) => Number(/(\d+) min\b/.exec(notes)?.[1] ?? 0);

/**
 * Gives a clicker's key to the player on a slide. A slide may end at the first adjoint.
 * @param {Element|null} player @param {string} key
 * @returns {boolean} whether the player used it
 */
globalThis.stepPlayer = (player, key) => {
  if (!player) return false;
  const ends = player.closest(".celltag_stop-at-seed") && player.dataset.phase === "seed";
  if (ends && key === "PageDown") return false;
  return !player.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
};

/** Sets the height that a slide needs around a player (heading, margins, slide number), and the zoom of labs. */
globalThis.giveRoom = () => {
  const heading = 1.1 * 1.3 * Math.min(0.021 * innerWidth, 0.037 * innerHeight);
  const around = Math.ceil(heading + 0.017 * innerHeight);
  document.body.style.setProperty("--adl-around", `${around}px`);
  const zoom = Math.max(1, Math.min(innerWidth / 1250, innerHeight / 700));
  document.body.style.setProperty("--lab-zoom", zoom.toFixed(3));
};

/** Whether a part of a slide has a player, or the place of one that isn't loaded yet. @param {Element} part */
globalThis.hasPlayer = (part) => Boolean(part.querySelector(".adl-player, [data-adl-player]"));
