/**
 * Drawing the cells of small arrays: in boxes with their numbers, on edges without.
 *
 * @import { Dot } from "../cells.js"
 * @import { Say } from "../speech.js"
 * @import { Num } from "../trace_types.js"
 */

import { put, set, svg } from "../dom.js";
import { blockOf, entriesOf, isSmallShape, shareOf, sidesOf } from "../cells.js";
import { CELLS } from "../trace_types.js";

const { LIGHTEST, DARKEST } = CELLS; // opacity of a cell's colour, in percent; a cell with 0 has no colour
/** The side of a cell on an edge. */
export const CELL_SIDE = 15;
const HALF_BAR = 5; // the longest bar in a cell on an edge
const MARK = 3; // how high the bar in a cell is

/** @typedef {{group: SVGGElement, rect: SVGRectElement, bar: SVGPathElement}} DrawnCell */

/** The opacity of a cell's colour, in percent. @param {number} share */
export const shadeOf = (share) =>
  share ? Math.round(LIGHTEST + (DARKEST - LIGHTEST) * Math.sqrt(Math.abs(share))) : 0;

/**
 * The bar in a cell: to the right for a positive number, to the left for a negative one, from a mark in the middle.
 * @param {number} x @param {number} y @param {number} half how long it is at most @param {number} share
 */
function barAt(x, y, half, share) {
  const end = x + half * share;
  return `M${x},${y - MARK / 2 - 1}v${MARK + 2}M${x},${y}H${Math.round(10 * end) / 10}`;
}

/**
 * The cells of one number in a box, about a point that is counted from the middle of the box.
 * @param {Say} say @param {"value"|"tangent"|"adjoint"} kind @param {number[]} shape
 * @param {{w: number, h: number, isWritten: boolean}} size @param {{x: number, y: number}} at
 */
export function cellRow(say, kind, shape, { w, h, isWritten }, at) {
  const [height, width] = sidesOf(shape);
  const strip = isSmallShape(shape) ? "" : " is-strip";
  const group = svg("g", { class: `adl-cells is-${kind}${strip}` });
  /** @type {{rect: SVGRectElement, bar: SVGPathElement, text: SVGTextElement, title: SVGTitleElement, x: number, y: number}[]} */
  const cells = [];
  const isBare = !isWritten;
  const [gap, rounding] = isSmallShape(shape) ? [2, 6] : [0, 1];
  for (let k = 0; k < height * width; k++) {
    const x = at.x + w * ((k % width) - (width - 1) / 2);
    const middle = at.y + h * (Math.floor(k / width) - (height - 1) / 2);
    const frame = {
      x: x - w / 2 + gap / 2,
      y: middle - h / 2 + gap / 4,
      width: w - gap,
      height: h - gap / 2,
    };
    const round = kind === "value" ? Math.min(2, rounding) : rounding;
    const rect = svg("rect", { class: "adl-cell", rx: round, ...frame });
    const bar = svg("path", { class: "adl-cell-bar" });
    const text = svg("text", {
      x,
      y: middle - 1.5,
      "font-size": 13,
      "text-anchor": "middle",
      "dominant-baseline": "central",
    });
    const title = svg("title");
    group.append(svg("g", { class: "adl-cell-group" }, title, rect, bar, isWritten && text));
    cells.push({ rect, bar, text, title, x, y: isBare ? middle : middle + h / 2 - MARK });
  }
  let written = "none yet";
  let lighted = "";
  /** @type {Num|null} */
  let own = null; // what has landed here
  /** @param {Num|null} number @param {number} most */
  function show(number, most) {
    const key = number ? `${number.in_cells}|${most}` : "";
    if (key === written) return;
    written = key;
    group.classList.toggle("is-empty", !number);
    const entries = number ? entriesOf(number) : [];
    cells.forEach(({ rect, bar, text, title, x, y: barY }, k) => {
      const entry = entries[k];
      const share = entry ? shareOf(entry.text, most) : 0;
      rect.style.setProperty("--adl-share", `${shadeOf(share)}%`);
      set(bar, "d", entry && h > MARK + 2 ? barAt(x, barY, Math.max(2, w / 2 - 4), share) : "");
      put(text, entry ? entry.text : "");
      put(title, entry ? nameOf(entry, shape, say) : "");
    });
  }
  return {
    group,
    /**
     * Shows a number; null: there is none yet.
     * @param {Num|null} number @param {number} most the largest entry of its kind
     */
    write(number, most) {
      own = number;
      show(number, most);
    },
    /**
     * Shows a number that comes, where none has landed; null: it is as it was written.
     * @param {Num|null} number @param {number} most @param {number} shade how far it is there
     */
    foresee(number, most, shade) {
      show(number ?? own, most);
      set(group, "opacity", shade.toFixed(2));
    },
    /** Lights some cells. @param {Set<number>|null} lit */
    light(lit) {
      const key = lit ? [...lit].join() : "";
      if (key === lighted) return;
      lighted = key;
      cells.forEach(({ rect }, k) => rect.classList.toggle("is-lit", lit?.has(k) ?? false));
    },
  };
}

/**
 * What is said of a cell: "[1, 0]: −0.341"; of a cell of a strip which entries it stands for, and the largest of them.
 * @param {{row: number, column: number, text: string}} entry @param {number[]} shape @param {Say} say
 */
export function nameOf({ row, column, text }, shape, say) {
  if (!isSmallShape(shape)) return say("strip cell", { block: blockOf(shape, row, column), text });
  return `[${shape.length > 1 ? `${row}, ` : ""}${column}]: ${text}`;
}

/** The cells that are on their way, about the middle of a group. @param {SVGGElement} group */
export function dotsIn(group) {
  /** @type {DrawnCell[]} */
  const drawn = [];
  function cell() {
    const rect = svg("rect", { class: "adl-cell", width: CELL_SIDE - 1, height: CELL_SIDE - 1 });
    const bar = svg("path", { class: "adl-cell-bar" });
    const one = { group: svg("g", {}, rect, bar), rect, bar };
    set(rect, "x", (1 - CELL_SIDE) / 2);
    set(rect, "y", (1 - CELL_SIDE) / 2);
    return one;
  }
  return {
    /** @param {Dot[]} dots @param {string} kind */
    draw(dots, kind) {
      while (drawn.length < dots.length) {
        const more = cell();
        drawn.push(more);
        group.append(more.group);
      }
      while (drawn.length > dots.length) drawn.pop()?.group.remove();
      dots.forEach(({ x, y, share, shade, isCopy, isPartial, size }, k) => {
        const { group: one, rect, bar } = drawn[k];
        const colour = isPartial ? "value" : kind;
        set(one, "class", `is-${colour}${isCopy ? " is-copy" : ""}`);
        const scale = size === 1 ? "" : ` scale(${size.toFixed(2)})`;
        const place = `${(x * CELL_SIDE).toFixed(1)},${(y * CELL_SIDE).toFixed(1)}`;
        set(one, "transform", `translate(${place})${scale}`);
        set(one, "opacity", shade.toFixed(2));
        set(rect, "rx", colour === "value" ? 2 : 5);
        rect.style.setProperty("--adl-share", `${shadeOf(share)}%`);
        set(bar, "d", size < 0.9 ? "" : barAt(0, 0, HALF_BAR, share));
      });
    },
  };
}
