/**
 * Small tools for the document: making elements, writing only what changed, scrolling, focus.
 *
 * Names of people's functions and variables only ever pass through `textContent` or `setAttribute`.
 *
 * @import { Actions } from "./actions.js"
 * @import { Target } from "./state.js"
 */

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node|string|false|null|undefined} Child a node or a text; anything else is left out */
/**
 * A listener is an attribute `on…`; an attribute that is null or undefined is left out.
 * @typedef {{[K in keyof HTMLElementEventMap as `on${K}`]?: ((event: HTMLElementEventMap[K]) => void)|null}} Listeners
 * @typedef {{[name: string]: string|number|boolean|null|undefined|((event: never) => void)}} Plain
 * @typedef {Plain & Listeners} Attributes
 */
/**
 * @typedef {{left: number, top: number, right: number, bottom: number}} Sides a rectangle on the
 *   screen
 */

/**
 * @template {Element} E
 * @param {E} node @param {Attributes} attributes @param {(Child|Child[])[]} children
 */
function build(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function")
      node.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (value !== null && value !== undefined) node.setAttribute(name, String(value));
  }
  // Lumino looks only at the focused element, so each of them needs the attribute that turns off JupyterLab's shortcuts.
  if (node.matches("button, input, select, [tabindex]"))
    node.setAttribute("data-lm-suppress-shortcuts", "true");
  for (const child of children.flat()) if (child) node.append(child);
  return node;
}
/**
 * An element of HTML.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag @param {Attributes} [attributes] @param {...(Child|Child[])} children
 */
export const html = (tag, attributes = {}, ...children) =>
  build(document.createElement(tag), attributes, children);

/**
 * An element of SVG.
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag @param {Attributes} [attributes] @param {...(Child|Child[])} children
 */
export const svg = (tag, attributes = {}, ...children) =>
  build(document.createElementNS(SVG, tag), attributes, children);

/**
 * The text of a `class` attribute: the names that apply, each after a space.
 * @param {...(string|false|null|undefined)} names
 */
export const classNames = (...names) => names.filter(Boolean).join(" ");

/** Whether the reader has asked for no motion. */
export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/**
 * Writes a text if it has changed: writing the same text would make the browser lay it out again.
 * @param {Node} node @param {string} text
 */
export function put(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
/**
 * Sets an attribute if its value has changed.
 * @param {Element} node @param {string} name @param {string|number|boolean} value
 */
export function set(node, name, value) {
  const text = String(value);
  if (node.getAttribute(name) !== text) node.setAttribute(name, text);
}

/**
 * Moves `pane` so that `target` is inside it; never scrolls the page.
 * @param {HTMLElement} pane @param {Sides} target @param {boolean} smooth @param {number} [margin]
 */
export function scrollInside(pane, target, smooth, margin = 12) {
  const view = pane.getBoundingClientRect();
  /** @param {number} low @param {number} high @param {number} from @param {number} to */
  const shift = (low, high, from, to) => {
    if (high - low > to - from - 2 * margin) return (low + high - from - to) / 2;
    if (low < from + margin) return low - from - margin;
    if (high > to - margin) return high - to + margin;
    return 0;
  };
  let left = 0;
  if (pane.scrollWidth > pane.clientWidth)
    left = shift(target.left, target.right, view.left, view.right);
  let top = 0;
  if (pane.scrollHeight > pane.clientHeight)
    top = shift(target.top, target.bottom, view.top, view.bottom);
  if (!left && !top) return;
  // A smooth scroll over a long way takes long, and the next step would restart it.
  const isNear = Math.abs(left) < pane.clientWidth && Math.abs(top) < pane.clientHeight;
  pane.scrollBy({ left, top, behavior: smooth && isNear ? "smooth" : "instant" });
}

/** @typedef {"left"|"top"|"bottom"|"right"} Side */

/**
 * Beyond which side of a pane a rectangle lies; null where it is in view.
 * @param {Sides} target @param {Sides} view @param {number} [by] @returns {Side|null}
 */
export function sideBeyond({ left, top, right, bottom }, view, by = 12) {
  if (right < view.left + by) return "left";
  if (left > view.right - by) return "right";
  if (bottom < view.top + by) return "top";
  if (top > view.bottom - by) return "bottom";
  return null;
}

/** @type {[Side, string][]} */
const ARROWS = [
  ["left", "‹"],
  ["top", "˄"],
  ["bottom", "˅"],
  ["right", "›"],
];

/**
 * Signs for the sides of a pane beyond which it continues, with the names of what belongs to the step there. The sides
 * fade out, and the signs are in a strip above the pane, so that they cover nothing.
 * @param {HTMLElement} pane the scrolling element
 * @returns {{elements: HTMLElement[], show(beyond: Record<Side, string[]>): void}}
 */
export function edgeSigns(pane) {
  const signs = ARROWS.map(([side, arrow]) => ({
    side,
    arrow,
    text: html("span"),
    fade: html("div", { class: `adl-more is-${side}`, "aria-hidden": "true" }),
  }));
  const strip = html(
    "div",
    { class: "adl-beyond", "aria-hidden": "true" },
    ...signs.map(({ text }) => text),
  );
  return {
    elements: [strip, ...signs.map(({ fade }) => fade)],
    show(beyond) {
      const room = {
        left: pane.scrollLeft,
        right: pane.scrollWidth - pane.clientWidth - pane.scrollLeft,
        top: pane.scrollTop,
        bottom: pane.scrollHeight - pane.clientHeight - pane.scrollTop,
      };
      // The strip takes some of the height; without it the pane might not have to scroll that way.
      strip.parentElement?.classList.toggle(
        "is-scrolling",
        pane.scrollWidth > pane.clientWidth + 2 ||
          pane.scrollHeight > pane.clientHeight + strip.offsetHeight + 2,
      );
      for (const { side, arrow, text, fade } of signs) {
        const names = beyond[side];
        const more = names.length > 3 ? [...names.slice(0, 2), `+${names.length - 2}`] : names;
        const said = [arrow, ...more].join(" ");
        put(text, said);
        for (const part of [text, fade]) part.classList.toggle("is-on", room[side] > 2);
      }
    },
  };
}

/** The element that has the focus. */
export const focused = () => /** @type {HTMLElement|null} */ (document.activeElement);

/** The element that an event is about. @param {Event} event @returns {HTMLElement|SVGElement} */
export const targetOf = ({ target }) => /** @type {HTMLElement|SVGElement} */ (target);

/** @type {Record<string, number|undefined>} */
const WAYS = { ArrowUp: -1, ArrowDown: 1 };

/**
 * One tab stop for many items of an element, which may change; the up and down arrow keys move between them.
 * @template {Element & {focus(): void}} Item
 * @param {HTMLElement|SVGElement} element @param {() => Item[]} items those that are there @returns {{renew(): void}} to be called when they have changed
 */
export function roving(element, items) {
  /** @param {Item|undefined} next */
  const stop = (next) => {
    for (const item of items()) set(item, "tabindex", item === next ? "0" : "-1");
  };
  element.addEventListener("keydown", (given) => {
    const event = /** @type {KeyboardEvent} */ (given);
    const way = WAYS[event.key];
    if (!way) return;
    const focused = targetOf(event).closest("[tabindex]");
    const all = items();
    const at = all.findIndex((item) => item === focused);
    if (at < 0) return;
    event.stopPropagation(); // also at an end: slides around us would turn
    const next = all[at + way];
    if (!next) return;
    event.preventDefault();
    stop(next);
    next.focus();
  });
  const hasStop = () =>
    items().some((item) => item.getAttribute("tabindex") === "0" && item.isConnected);
  return {
    renew() {
      if (!hasStop()) stop(items()[0]);
    },
  };
}

/**
 * Takes a class from some elements, and gives it to others.
 * @param {string} name @param {Element[]} from @param {Element[]} to
 * @returns {Element[]} those that have it now
 */
export function passClass(name, from, to) {
  for (const element of from) element.classList.remove(name);
  for (const element of to) element.classList.add(name);
  return to;
}

/**
 * Makes an element highlight its target in all panes when the pointer or the focus is on it, and go there on a click.
 * @param {HTMLElement|SVGElement} element @param {() => Target} target
 * @param {Pick<Actions, "link"|"visit">} actions
 */
export function linkTo(element, target, actions) {
  const enter = () => actions.link(target());
  const leave = () => actions.link(null);
  element.addEventListener("pointerenter", enter);
  element.addEventListener("pointerleave", leave);
  if (!element.matches(".adl-edge")) {
    // Chromium makes a tab stop of any SVG element that listens to the focus
    element.addEventListener("focus", () =>
      actions.link({ ...target(), hasFocus: element.matches(":focus-visible") }),
    );
    element.addEventListener("blur", leave);
  }
  element.addEventListener("click", () => actions.visit(target()));
  element.addEventListener("keydown", (given) => {
    const event = /** @type {KeyboardEvent} */ (given);
    if (element.tagName === "BUTTON") return; // for which the browser makes a click of the key
    const isButton = element.getAttribute("role") === "button";
    const presses = event.key === "Enter" || (event.key === " " && isButton);
    if (!presses) return;
    event.preventDefault();
    actions.visit(target());
  });
}
