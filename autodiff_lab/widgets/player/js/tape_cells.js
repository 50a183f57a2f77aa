/**
 * The cells of arrays in the tape: with their numbers where there is room, else as a small picture.
 *
 * @import { Kind } from "./cells.js"
 * @import { Say } from "./speech.js"
 * @import { Num } from "./trace_types.js"
 */

import { entriesOf, isSmallShape, shareOf, sidesOf } from "./cells.js";
import { classNames, html } from "./dom.js";
import { nameOf, shadeOf } from "./graph/cell_parts.js";
import { CELLS } from "./trace_types.js";

const [WRITTEN, BARE, STRIP] = [4.7, 1.1, 6.5]; // how wide a cell is, and a whole strip, in ems

/** Whether the cells of a shape have numbers, if there is room. @param {number[]} shape */
function hasNumbers(shape) {
  const [height, width] = sidesOf(shape);
  return isSmallShape(shape) && height === 1 && width <= CELLS.MAX_WRITTEN_COLUMNS;
}

/**
 * How wide the cells of a shape are, in ems.
 * @param {number[]} shape @param {boolean} isWritten
 */
export function widthInTape(shape, isWritten) {
  const [, width] = sidesOf(shape);
  if (!isSmallShape(shape)) return Math.min(STRIP, width * BARE);
  return width * (isWritten && hasNumbers(shape) ? WRITTEN : BARE);
}

/** The class of a cell that holds a number of this sign. @param {number} share */
function signOf(share) {
  if (share < 0) return "is-negative";
  return share > 0 ? "is-positive" : "";
}

/**
 * Draws the cells of a number. A screen reader reads the number instead.
 * @param {Num} number @param {Kind} kind @param {number} most @param {boolean} isWritten @param {Say} say
 */
export function tapeCells(number, kind, most, isWritten, say) {
  const { shape, text: whole } = number;
  const [height, width] = sidesOf(shape);
  const written = isWritten && hasNumbers(shape);
  const cells = entriesOf(number).map((entry) => {
    const share = shareOf(entry.text, most);
    return html(
      "span",
      {
        class: classNames("adl-tape-cell", signOf(share)),
        title: nameOf(entry, shape, say),
        style: `--adl-share: ${shadeOf(share)}%; --adl-size: ${Math.abs(share).toFixed(2)}`,
      },
      written ? entry.text : "",
    );
  });
  const cellWidth = widthInTape(shape, written) / width;
  const cellHeight = written ? 19 : Math.min(16, 22 / height);
  const columns = `grid-template-columns: repeat(${width}, ${cellWidth}em)`;
  const rows = `grid-auto-rows: ${cellHeight}px`;
  const look = classNames(
    "adl-tape-cells",
    `is-${kind}`,
    written && "is-written",
    !isSmallShape(shape) && "is-strip",
  );
  const grid = html(
    "span",
    { class: look, style: `${columns}; ${rows}`, "aria-hidden": "true" },
    cells,
  );
  return html("span", {}, grid, html("span", { class: "adl-unseen" }, whole));
}
