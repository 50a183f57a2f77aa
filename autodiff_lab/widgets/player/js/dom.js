/**
 * Small tools for the document: making elements, writing only what changed, scrolling, focus.
 *
 * Names of people's functions and variables only ever pass through `textContent` or `setAttribute`.
 */

const SVG = "http://www.w3.org/2000/svg";

function build(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {}))
    if (typeof value === "function") node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) node.setAttribute(name, value);
  // Lumino looks at the focused element only, so each one says that JupyterLab's shortcuts must wait.
  if (node.matches("button, input, select, [tabindex]"))
    node.setAttribute("data-lm-suppress-shortcuts", "true");
  node.append(...children.flat().filter(Boolean));
  return node;
}
/** An element. An attribute `on…` is a listener; one that is null is left out, and so is a child; children may be lists. */
export const html = (tag, attributes, ...children) =>
  build(document.createElement(tag), attributes, children);
export const svg = (tag, attributes, ...children) =>
  build(document.createElementNS(SVG, tag), attributes, children);

/** Whether the reader wants no motion. */
export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Writing what is there already would make the browser lay it out again. */
export const put = (node, text) => node.textContent !== text && (node.textContent = text);
export const set = (node, name, value) =>
  node.getAttribute(name) !== value && node.setAttribute(name, value);

/** Moves `pane` so that `target` (a rectangle on screen) is inside it; never scrolls the page. */
export function scrollInside(pane, target, smooth, margin = 12) {
  const view = pane.getBoundingClientRect();
  const shift = (low, high, from, to) =>
    high - low > to - from - 2 * margin
      ? (low + high - from - to) / 2
      : low < from + margin
        ? low - from - margin
        : high > to - margin
          ? high - to + margin
          : 0;
  const left =
    pane.scrollWidth > pane.clientWidth
      ? shift(target.left, target.right, view.left, view.right)
      : 0;
  const top =
    pane.scrollHeight > pane.clientHeight
      ? shift(target.top, target.bottom, view.top, view.bottom)
      : 0;
  // Far away a smooth motion is long, and a step that comes meanwhile starts it anew.
  const near = Math.abs(left) < pane.clientWidth && Math.abs(top) < pane.clientHeight;
  if (left || top) pane.scrollBy({ left, top, behavior: smooth && near ? "smooth" : "instant" });
}

/** Beyond which side of a pane a rectangle on screen lies; "" where it is in view. */
export const sideBeyond = ({ left, top, right, bottom }, view, by = 12) =>
  right < view.left + by
    ? "left"
    : left > view.right - by
      ? "right"
      : bottom < view.top + by
        ? "top"
        : top > view.bottom - by
          ? "bottom"
          : "";

const ARROWS = { left: "‹", top: "˄", bottom: "˅", right: "›" };

/**
 * Signs of the sides of a pane behind which there is more of it; they name what of this step is there. The sides fade,
 * and the signs stand in a strip of their own above the pane, which is there as long as it scrolls: they cover nothing.
 * @param {HTMLElement} pane the scrolling element
 * @returns {{elements: HTMLElement[], show(beyond: Object<string, string[]>): void}}
 */
export function edgeSigns(pane) {
  const signs = Object.keys(ARROWS).map((side) => ({
    side,
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
      for (const { side, text, fade } of signs) {
        const names = beyond[side] ?? [];
        const more = names.length > 3 ? [...names.slice(0, 2), `+${names.length - 2}`] : names;
        const said = [ARROWS[side], ...more].join(" ");
        put(text, said);
        for (const part of [text, fade]) part.classList.toggle("is-on", room[side] > 2);
      }
    },
  };
}

/**
 * One tab stop for many items of an element, which may come and go; up and down move between them.
 * @param {() => Element[]} items those that are there @returns {{renew(): void}} to be called when they have changed
 */
export function roving(element, items) {
  const stop = (next) =>
    items().forEach((item) => set(item, "tabindex", item === next ? "0" : "-1"));
  element.addEventListener("keydown", (event) => {
    const way = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const all = way ? items() : [];
    const at = all.indexOf(event.target.closest("[tabindex]"));
    if (at < 0) return;
    event.stopPropagation(); // also at an end: slides around us would turn
    if (!all[at + way]) return;
    event.preventDefault();
    stop(all[at + way]);
    all[at + way].focus();
  });
  return {
    renew: () =>
      items().some((item) => item.getAttribute("tabindex") === "0" && item.isConnected) ||
      stop(items()[0]),
  };
}

/** Takes a class from some elements, and gives it to others. @returns {Element[]} those that have it now */
export function passClass(name, from, to) {
  for (const element of from) element.classList.remove(name);
  for (const element of to) element.classList.add(name);
  return to;
}

/**
 * Every pane answers pointing and focusing in the same way: all panes light what is meant.
 * @param {() => {line: number, slot?: number, parent?: number}} target a line, or with `slot` the edge into it
 */
export function linkTo(element, target, host) {
  const enter = () => host.link(target());
  const leave = () => host.link(null);
  element.addEventListener("pointerenter", enter);
  element.addEventListener("pointerleave", leave);
  if (!element.matches(".adl-edge")) {
    // Chromium makes a tab stop of any SVG element that listens to the focus
    element.addEventListener("focus", enter);
    element.addEventListener("blur", leave);
  }
  element.addEventListener("click", () => host.visit(target()));
  element.addEventListener("keydown", (event) => {
    if (element.tagName === "BUTTON") return; // the browser makes a click of it
    if (event.key !== "Enter" && !(event.key === " " && element.getAttribute("role") === "button"))
      return;
    event.preventDefault();
    host.visit(target());
  });
}
