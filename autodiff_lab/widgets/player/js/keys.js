/** Keys: what each one does, when the browser or JupyterLab needs it instead, and which player a clicker steps. */

import { focused, targetOf } from "./dom.js";

/** @typedef {"back"|"forward"|"first"|"last"|"toggle"} KeyAction */
/** @type {Record<string, KeyAction|undefined>} */
export const KEYS = {
  ArrowLeft: "back",
  ArrowRight: "forward",
  PageUp: "back",
  PageDown: "forward",
  Home: "first",
  End: "last",
  " ": "toggle",
};

/**
 * What a key does when `target` has the focus; null leaves the key to the browser. A slider keeps its
 * own arrows, a button its own space. The page keys are those of a clicker, and step wherever one is.
 * @param {{key: string, ctrlKey?: boolean, altKey?: boolean, metaKey?: boolean, shiftKey?: boolean}} event
 * @param {{tag: string, role?: string|null, type?: string}} target
 * @returns {KeyAction|null}
 */
export function keyAction(event, target) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return null;
  const action = KEYS[event.key] ?? null;
  if (event.key.startsWith("Page")) return action;
  const tag = target.tag.toLowerCase();
  if (tag === "select") return null;
  const isSlider = tag === "input" && target.type === "range";
  if (isSlider) return action === "toggle" ? action : null; // it has no use for the space bar
  if (tag === "input") return null;
  const isButton = tag === "button" || target.role === "button";
  if (isButton && action === "toggle") return null;
  return action;
}

/**
 * Lets keys act on a player. @param {HTMLElement} root @param {Record<KeyAction, () => void>} actions
 * @param {(key: string) => boolean} beyond whether a key has nothing left to do
 */
export function listenTo(root, actions, beyond) {
  root.addEventListener("keydown", (event) => {
    const target = targetOf(event);
    if (event.key === "Escape") {
      if (root.closest(".reveal")) event.stopPropagation(); // there it would open the overview
      focused()?.blur();
      /** @type {HTMLElement|null} */ (root.closest(".jp-Cell"))?.focus(); // back to the slides, or to the notebook and its shortcuts
    }
    const over = beyond(event.key);
    if (event.key in KEYS && !over) event.stopPropagation(); // slides and notebooks around us use these keys too
    if (event.key === "Enter" && target instanceof HTMLButtonElement) {
      event.preventDefault(); // JupyterLab takes this key, so the browser would not press the button
      event.stopPropagation();
      target.click();
      return;
    }
    const action = keyAction(event, {
      tag: target.tagName,
      role: target.getAttribute("role"),
      type: target instanceof HTMLInputElement ? target.type : undefined,
    });
    if (!action || over) return;
    event.preventDefault();
    actions[action]();
  });
}

// In a lecture, the keys of a clicker belong to the player that is on the screen, wherever the focus is.
/** @type {Set<HTMLElement>} */
const waiting = new Set();

/**
 * Lets a player in lecture size have the keys of a clicker while it is seen. Returns what ends
 * that.
 * @param {HTMLElement} root
 */
export function takeClicker(root) {
  if (!waiting.size) addEventListener("keydown", passOn, true);
  waiting.add(root);
  return () => {
    waiting.delete(root);
    if (!waiting.size) removeEventListener("keydown", passOn, true);
  };
}

/**
 * Gives a page key to the player that is seen; what it has no more use for goes on, to the next
 * cell.
 * @param {KeyboardEvent} event
 */
function passOn(event) {
  if (!event.isTrusted || !event.key.startsWith("Page") || !keyAction(event, { tag: "" })) return;
  const [seen] = [...waiting]
    .map((root) => ({ root, share: shareSeen(root) }))
    .sort((a, b) => b.share - a.share);
  if (seen.share < 0.5 || seen.root.contains(targetOf(event))) return;
  if (seen.root.dispatchEvent(new KeyboardEvent("keydown", { key: event.key, cancelable: true })))
    return;
  event.preventDefault();
  event.stopImmediatePropagation();
  seen.root.scrollIntoView({ block: "nearest" }); // a notebook that has gone on to the next cell hides its top
}

/**
 * How much of a player is on the screen, 0 to 1; slides have keys of their own. In a notebook it is the player of the cell
 * where one is, or has just been: the next one may have scrolled it away. @param {HTMLElement} root
 */
function shareSeen(root) {
  if (!root.matches(".adl-lecture") || root.closest(".reveal") || !root.checkVisibility()) return 0;
  const cell = root.closest(".jp-Notebook .jp-Cell");
  if (cell)
    return Number([cell, cell.nextElementSibling].some((one) => one?.matches(".jp-mod-active")));
  const { top, bottom } = root.getBoundingClientRect();
  const seen = Math.max(0, Math.min(bottom, innerHeight) - Math.max(top, 0));
  const most = Math.min(bottom - top, innerHeight);
  return seen / most;
}
