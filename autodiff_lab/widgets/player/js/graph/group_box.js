/**
 * The box of a group of lines, closed or open.
 *
 * @import { ShownTrace as Trace } from "../trace.js"
 * @import { Num } from "../trace_types.js"
 * @import { Group, GroupRow } from "./groups.js"
 */

import { classNames, put, set, svg } from "../dom.js";
import { progress } from "./groups.js";
import { NOT_REACHED, tangentsOf } from "../run.js";
import { inBox, middle } from "./parts.js";

// In pixels, as in boxes.py.
const ROW = 21;
const AIR = 10;
const HEAD = 26;

/**
 * A group of the graph. Closed, it's a box with its title, its size and the values that are used outside; open, it's
 * a frame whose head closes it. An input of a long run is such a box too, but doesn't open.
 * @param {Trace} trace @param {Group} group @param {() => void} toggle
 */
export function groupBox(trace, group, toggle) {
  const { say } = trace;
  const opens = !group.input;
  const rect = svg("rect", { class: "adl-frame", rx: group.input ? 1.5 : 8 });
  const head = svg("rect", { class: "adl-head", height: HEAD, rx: 8 });
  const sign = svg("tspan", { class: "adl-sign" });
  const title = svg(
    "text",
    { class: "adl-group-title", "dominant-baseline": "central" },
    sign,
    svg("tspan", {}, group.title),
  );
  const said = svg(
    "text",
    { class: "adl-name", "text-anchor": "middle", "dominant-baseline": "central" },
    group.said,
  );
  const texts = svg("g");
  const hint = svg("title");
  const element = svg(
    "g",
    {
      class: "adl-group",
      "data-group": group.id,
      role: opens ? "button" : "img",
      tabindex: -1,
      onclick: opens ? toggle : null,
      onkeydown: opens ? press : null,
    },
    hint,
    rect,
    head,
    title,
    said,
    texts,
  );
  const rows = group.outs.map(() => {
    const pieces = ["name", "value", "tangent", "adjoint"].map((name) =>
      svg("tspan", { class: `adl-${name}` }),
    );
    const row = svg("text", { "text-anchor": "middle", "dominant-baseline": "central" }, ...pieces);
    texts.append(row);
    return { row, pieces };
  });
  if (group.more) texts.append(middle("adl-name", 0, say("and more", { n: group.more })));
  /** @param {KeyboardEvent} event */
  function press(event) {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    toggle();
  }
  /** @type {boolean|null} */
  let isOpen = null;

  /**
   * Draws the group open or closed, in the size of its box.
   * @param {{w: number, h: number}} box
   * @param {boolean} open
   */
  function shape({ w, h }, open) {
    for (const [name, value] of Object.entries({ x: -w / 2, y: -h / 2, width: w, height: h }))
      set(rect, name, value);
    for (const [name, value] of Object.entries({ x: -w / 2, y: -h / 2, width: w }))
      set(head, name, value);
    const top = group.input ? -ROW / 2 : -h / 2 + AIR / 2 + ROW / 2;
    const firstRow = group.input ? 1 : 2;
    set(title, "y", top);
    set(said, "y", top + ROW);
    [...texts.children].forEach((row, k) => set(row, "y", top + (firstRow + k) * ROW));
    if (isOpen === open) return;
    isOpen = open;
    const closed = group.layout ? "\u25b8 " : "\u25b9 "; // hollow: its content belongs to another excerpt
    if (opens) put(sign, open ? "\u25be " : closed);
    set(title, "text-anchor", open ? "start" : "middle");
    set(title, "x", 0);
    said.style.display = open ? "none" : "";
    texts.style.display = open ? "none" : "";
    if (opens) element.setAttribute("aria-expanded", String(open));
  }
  /**
   * Keeps the title of an open group in view; `left` is the left edge of the visible part of the
   * drawing.
   * @param {{x: number, w: number}} box
   * @param {number} left
   */
  function slide({ x, w }, left) {
    if (!isOpen) return;
    const rightmost = w / 2 - title.getComputedTextLength() - 20;
    set(title, "x", Math.max(-w / 2, Math.min(rightmost, left - x)) + 10);
  }

  /**
   * Shows the group after step `s`. `lit` holds this step's CSS classes: "is-current" or "is-operand", and a
   * colour.
   * @param {{s: number, adjoint: (line: number) => Num|null, recorded: number}} now @param {string} lit
   */
  function write({ s, adjoint, recorded }, lit) {
    const now = progress(trace, group, s, adjoint, recorded);
    const look = classNames(
      "adl-group",
      isOpen && "is-open",
      group.input && "is-input",
      !now.recorded && "is-ahead",
      now.swept && "is-swept",
      lit,
      element.matches(".is-linked") && "is-linked",
    );
    set(element, "class", look);
    now.rows.forEach((row, k) => {
      const { pieces } = rows[k];
      let isFirst = true;
      textsOf(row).forEach((text, piece) => {
        put(pieces[piece], text);
        set(pieces[piece], "dx", text && !isFirst ? "7" : "0");
        if (text) isFirst = false;
      });
      pieces[3].classList.toggle("is-missing", row.adjoint === "");
    });
    put(hint, hintOf(now.rows));
  }

  /** The texts of a row: name, value, tangent, adjoint; "" for each that isn't shown. @param {GroupRow} row */
  function textsOf({ name, value, line, adjoint }) {
    const shownName = value && !group.input ? name : "";
    let tangent = "";
    if (trace.directions.length && value && line !== null)
      tangent = tangentsOf(trace, line).map(inBox).join(", ");
    let shownAdjoint = "";
    if (trace.mode !== "forward" && adjoint !== null) shownAdjoint = adjoint || NOT_REACHED;
    return [shownName, value, tangent, shownAdjoint];
  }

  /** The tooltip, also for a screen reader: the group, its values, and what a click does. @param {GroupRow[]} rows */
  function hintOf(rows) {
    const known = rows.filter(({ value }) => value).map(({ name, value }) => `${name} = ${value}`);
    if (group.input) return known.join("") || group.title;
    const named = say("group", { title: group.whole ?? group.title, size: group.said });
    const label = [named, ...known].join(say("separator"));
    const toOpen = group.layout ? "open group" : "go to group"; // otherwise its content belongs to another excerpt
    return `${label}. ${say(isOpen ? "close group" : toOpen)}`;
  }
  return { group: element, shape, slide, write };
}
