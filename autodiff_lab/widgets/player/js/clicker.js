/** A clicker: in a hall its keys belong to the player that is on the screen, wherever the focus is. */

import { keyAction } from "./keys.js";

const waiting = new Set();

/** Lets a player in lecture size have the keys of a clicker while it is seen. Returns what ends that. @param {HTMLElement} root */
export function takeClicker(root) {
  if (!waiting.size) addEventListener("keydown", passOn, true);
  waiting.add(root);
  return () => {
    waiting.delete(root);
    if (!waiting.size) removeEventListener("keydown", passOn, true);
  };
}

/** Gives a page key to the player that is seen; what it has no more use for goes on, to the next cell. @param {KeyboardEvent} event */
function passOn(event) {
  if (!event.isTrusted || !event.key.startsWith("Page") || !keyAction(event, { tag: "" })) return;
  const [seen] = [...waiting].map((root) => ({ root, share: shareSeen(root) })).sort((a, b) => b.share - a.share);
  if (seen.share < 0.5 || seen.root.contains(event.target)) return;
  if (seen.root.dispatchEvent(new KeyboardEvent("keydown", { key: event.key, cancelable: true }))) return;
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
  if (cell) return Number([cell, cell.nextElementSibling].some((one) => one?.matches(".jp-mod-active")));
  const { top, bottom } = root.getBoundingClientRect();
  return Math.max(0, Math.min(bottom, innerHeight) - Math.max(top, 0)) / Math.min(bottom - top, innerHeight);
}
