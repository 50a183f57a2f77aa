/**
 * Zoom and pan of the graph.
 *
 * @import { Lens, State } from "../state.js"
 * @import { Say } from "../speech.js"
 * @import { Store } from "../store.js"
 */

import { focused, html, put, set, targetOf } from "../dom.js";
import { nameWithKeys } from "../speech.js";
import { whenChanged } from "../store.js";

const [SMALLEST, LARGEST, ZOOM] = [0.1, 4, 1.25];
/** @type {Record<string, number|undefined>} */
const ZOOM_KEYS = { "+": ZOOM, "=": ZOOM, "-": 1 / ZOOM, "\u2212": 1 / ZOOM };

/**
 * Zoom, pan and fit of a drawing in a scrolling pane, by buttons, keys, Ctrl+wheel and dragging. Once the learner has
 * moved the drawing, it no longer follows the steps, until the learner presses the button (or 0) for fit or follow.
 * @param {HTMLElement} pane the scrolling element
 * @param {SVGElement} drawing
 * @param {Store<State>} store @param {Say} say
 * @param {() => number} scale returns the current scale
 */
export function lensTools(pane, drawing, store, say, scale) {
  /** @param {Partial<Lens>} change */
  const change = (change) =>
    store.update((state) => ({ ...state, lens: { ...state.lens, ...change } }));
  /**
   * Zooms around a point on the screen, or around the centre of the pane.
   * @param {number} by @param {number} [x] @param {number} [y]
   */
  function zoom(by, x, y) {
    const view = pane.getBoundingClientRect();
    const atX = x ?? view.left + view.width / 2;
    const atY = y ?? view.top + view.height / 2;
    const before = drawing.getBoundingClientRect();
    const oldScale = scale();
    // The point of the drawing, at scale 1, that has to stay where it is on the screen.
    const across = (atX - before.left) / oldScale;
    const down = (atY - before.top) / oldScale;
    const newScale = Math.min(LARGEST, Math.max(SMALLEST, oldScale * by));
    change({ scale: newScale, isHeld: true, isWhole: false });
    const after = drawing.getBoundingClientRect();
    pane.scrollBy({
      left: after.left + across * scale() - atX,
      top: after.top + down * scale() - atY,
      behavior: "instant",
    });
    const hasPoint = x !== undefined;
    if (!hasPoint && drawing.contains(focused()))
      focused()?.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  }
  /** Stops following the steps. */
  function hold() {
    if (!store.get().lens.isHeld) change({ isHeld: true });
  }
  /** Switches between the whole graph and the part around the step, at a readable size. */
  function toggleWhole() {
    change({ scale: null, isHeld: false, isWhole: !store.get().lens.isWhole });
  }
  pane.addEventListener("keydown", (event) => {
    const factor = ZOOM_KEYS[event.key];
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (!factor && event.key !== "0") return;
    event.preventDefault();
    event.stopPropagation();
    if (factor) zoom(factor);
    else toggleWhole();
  });
  pane.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey) {
        hold();
        return;
      }
      event.preventDefault();
      zoom(Math.exp(-event.deltaY / 400), event.clientX, event.clientY);
    },
    { passive: false },
  );
  /** @type {{x: number, y: number, left: number, top: number}|null} */
  let grip = null;
  pane.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    if (event.pointerType === "touch") return; // the browser scrolls the pane
    if (targetOf(event).closest(".adl-node, .adl-edge")) return;
    grip = { x: event.clientX, y: event.clientY, left: pane.scrollLeft, top: pane.scrollTop };
  });
  pane.addEventListener("pointermove", (event) => {
    if (!grip) return;
    const [x, y] = [event.clientX - grip.x, event.clientY - grip.y];
    if (!pane.matches(".is-dragged")) {
      if (Math.hypot(x, y) < 4) return;
      pane.classList.add("is-dragged");
      pane.setPointerCapture(event.pointerId);
      hold();
    }
    pane.scrollTo({ left: grip.left - x, top: grip.top - y, behavior: "instant" });
  });
  for (const end of ["pointerup", "pointercancel"])
    pane.addEventListener(end, () => {
      grip = null;
      pane.classList.remove("is-dragged");
    });
  /** @param {string} sign @param {string} name @param {number} factor */
  const by = (sign, name, factor) =>
    html(
      "button",
      { type: "button", ...nameWithKeys(say, say(name), sign), onclick: () => zoom(factor) },
      sign,
    );
  const fitting = html("button", { type: "button", class: "adl-fit", onclick: toggleWhole });
  const element = html(
    "div",
    { class: "adl-lens", role: "group", "aria-label": say("zoom") },
    by("\u2212", "zoom out", 1 / ZOOM),
    fitting,
    by("+", "zoom in", ZOOM),
  );
  const render = whenChanged(
    ({ lens }) => [lens.isWhole],
    ({ lens }) => {
      put(fitting, say(lens.isWhole ? "follow" : "fit"));
      const hint = say(lens.isWhole ? "follow the steps" : "fit the graph");
      for (const [name, value] of Object.entries(nameWithKeys(say, hint, "0")))
        set(fitting, name, value);
    },
  );
  return { element, render };
}

/**
 * The two buttons that open or close all groups of a graph.
 * @param {Say} say @param {(open: boolean) => void} onAll
 */
export const groupTools = (say, onAll) =>
  [
    ["open all", "open all hint"],
    ["close all", "close all hint"],
  ].map(([name, hint], k) =>
    html("button", { type: "button", title: say(hint), onclick: () => onAll(k === 0) }, say(name)),
  );
