/**
 * Arrays as cells: pure functions, which need no browser. Python writes the text of each cell (`in_cells`) and makes each
 * box large enough (`figures/graph/cells.py`); here is where the cells stand, how dark they are, and how they move. Of a
 * small array each entry is a cell; a larger one is a strip, each cell of which stands for some entries.
 *
 * @import { ShownTrace as Trace } from "./trace.js"
 * @import { Num } from "./trace_types.js"
 */

import { productAt } from "./matrix_product.js";
import { CELLS, MAX_SMALL_SIDE, STRIP } from "./trace_types.js";

/** @typedef {"value"|"tangent"|"adjoint"} Kind */
/**
 * The entries of a small array, row by row.
 * @typedef {object} Entry
 * @property {number} row
 * @property {number} column
 * @property {string} text
 */
/**
 * The cells of an array on their way from one shape to another: each cell of `to` fans out of one of `from`, or each cell
 * of `from` folds into one of `to`.
 * @typedef {object} CellsOnTheWay
 * @property {Num} from
 * @property {Num|null} to what they become; null if they stay as they are
 * @property {number[]} toShape
 * @property {"fan"|"fold"|"entries"} way one entry of `to` after another is made of some cells of `from`: its `parts`
 * @property {number[][]} [parts]
 * @property {number[]|null} map for each cell that fans or folds the one that it comes from or goes to, −1 if there is
 *   none; null if the shape stays
 * @property {number} t how far they have come
 * @property {boolean} [isCopied] marks all but the first cells with the same origin
 * @property {Num|null} [partial] cells that come down on them
 * @property {number} [meets] how far the partial has come
 */
/**
 * A cell that is drawn on an edge, about the middle of all of them, in units of a cell.
 * @typedef {object} Dot
 * @property {number} x
 * @property {number} y
 * @property {number} share
 * @property {number} shade how much of it is there, 0 to 1
 * @property {boolean} isCopy
 * @property {boolean} isPartial
 * @property {number} size beside the usual one: the cells of a strip are small
 */

/** Whether a number is an array that is drawn as cells. @param {Num} number */
export const hasCells = (number) => Boolean(number.in_cells);

/**
 * Whether each entry of an array of a shape is a cell; a larger one is a strip.
 * @param {number[]} shape
 */
export const isSmallShape = (shape) =>
  shape.length >= 1 &&
  shape.length <= 2 &&
  shape.every((side) => side >= 1 && side <= MAX_SMALL_SIDE);

/**
 * How many rows and columns of entries an array has; all axes but the last become rows.
 * @param {number[]} shape
 * @returns {[height: number, width: number]}
 */
function entrySides(shape) {
  const height = shape.slice(0, -1).reduce((product, side) => product * side, 1);
  return [height, shape.at(-1) ?? 1];
}

/**
 * How many rows and columns of cells an array has; a number has one of each.
 * @param {number[]} shape
 * @returns {[height: number, width: number]}
 */
export function sidesOf(shape) {
  const [height, width] = entrySides(shape);
  if (!shape.length || isSmallShape(shape)) return [height, width];
  return [Math.min(height, STRIP.ROWS), Math.min(width, STRIP.COLUMNS)];
}

/**
 * The entries that a cell of a strip stands for, as an index: "[0:3, 4:8]".
 * @param {number[]} shape @param {number} row @param {number} column
 */
export function blockOf(shape, row, column) {
  const sides = sidesOf(shape);
  const spans = entrySides(shape).map((count, axis) => {
    const k = axis ? column : row;
    /** @param {number} n */
    const start = (n) => Math.floor((n * count) / sides[axis]);
    return `${start(k)}:${start(k + 1)}`;
  });
  return `[${shape.length > 1 ? spans.join(", ") : spans[1]}]`;
}

/** How many cells an array has. @param {number[]} shape */
function countOf(shape) {
  const [height, width] = sidesOf(shape);
  return height * width;
}

/**
 * The texts in the cells of an array, or of a number.
 * @param {Num} number @returns {string[]}
 */
export function textsOf({ text, shape, in_cells }) {
  if (!shape.length) return [text];
  const texts = in_cells.split(" ");
  return texts.length === 1 ? Array(countOf(shape)).fill(texts[0]) : texts;
}

/**
 * What the cells of an array show.
 * @param {Num} number
 * @returns {Entry[]}
 */
export function entriesOf(number) {
  const [, width] = sidesOf(number.shape);
  return textsOf(number).map((text, k) => ({
    row: Math.floor(k / width),
    column: k % width,
    text,
  }));
}

/** @param {string} text */
const toNumber = (text) => Number(text.replaceAll("−", "-").replace("∞", "Infinity"));

/**
 * How large a text's number is beside the largest of its kind in the picture, with its sign: −1 to 1.
 * @param {string} text @param {number} most
 */
export function shareOf(text, most) {
  const x = toNumber(text);
  if (Number.isNaN(x)) return 0;
  if (!Number.isFinite(x)) return Math.sign(x);
  return most ? Math.max(-1, Math.min(1, x / most)) : 0;
}

/** @type {WeakMap<Trace, Record<Kind, number>>} */
const scales = new WeakMap();
/**
 * The largest entry of each kind in the arrays of a run: all cells of a picture share one scale.
 * @param {Trace} trace
 * @returns {Record<Kind, number>}
 */
export function scalesOf(trace) {
  const known = scales.get(trace);
  if (known) return known;
  const scale = { value: 0, tangent: 0, adjoint: 0 };
  /** @param {Kind} kind @param {Num|null|undefined} number */
  const measure = (kind, number) => {
    if (!number || !hasCells(number)) return;
    for (const text of number.in_cells.split(" ")) {
      const size = Math.abs(toNumber(text));
      if (Number.isFinite(size)) scale[kind] = Math.max(scale[kind], size);
    }
  };
  for (const { value } of trace.lines) measure("value", value);
  for (const { adjoint, tangents, sends } of trace.steps) {
    measure("adjoint", adjoint);
    for (const tangent of tangents) measure("tangent", tangent);
    for (const { after } of sends) measure("adjoint", after);
  }
  scales.set(trace, scale);
  return scale;
}

/** Whether any line of a run is an array. @param {Trace} trace */
export const hasArrays = (trace) => trace.lines.some(({ value }) => value.shape.length > 0);

/**
 * The size of a cell of an array in a box, and whether it has room for its number.
 * @param {number[]} shape @param {boolean} [isBare]
 */
export function cellSizeOf(shape, isBare = false) {
  const [height, width] = sidesOf(shape);
  if (!isSmallShape(shape)) {
    const across = Math.min(CELLS.BARE_WIDTH, Math.floor(CELLS.STRIP_WIDTH / width));
    const down = height === 1 ? CELLS.STRIP_HEIGHT : CELLS.LOW_STRIP_HEIGHT;
    return { w: across, h: down, isWritten: false };
  }
  const isLow = height > CELLS.MAX_WRITTEN_ROWS;
  const isWritten =
    !isBare && width <= CELLS.MAX_WRITTEN_COLUMNS && height <= CELLS.MAX_WRITTEN_ROWS;
  return isWritten
    ? { w: CELLS.WRITTEN_WIDTH, h: CELLS.WRITTEN_HEIGHT, isWritten }
    : { w: CELLS.BARE_WIDTH, h: isLow ? CELLS.LOW_HEIGHT : CELLS.BARE_HEIGHT, isWritten };
}

const LEAST_WRITTEN = { w: 51, h: 15 }; // a smaller cell has no number

/**
 * Where the cells of an array stand in its box: a row of cells for each kind of number, and the size of a cell. In a bare
 * box those of a small array stand beside each other. Below a strip there is its range.
 * @param {number[]} shape @param {{w: number, h: number, bare?: boolean}} box @param {number} count of rows
 */
export function rowsInBox(shape, box, count) {
  const isBeside = box.bare && isSmallShape(shape);
  return isBeside ? besideInBox(shape, box, count) : belowInBox(shape, box, count);
}

/** @param {number[]} shape @param {{w: number, h: number}} box @param {number} count */
function besideInBox(shape, { w, h }, count) {
  const [height, width] = sidesOf(shape);
  const cell = cellSizeOf(shape, true);
  const gap = CELLS.BETWEEN_BARE;
  const pitch = Math.min(width * cell.w + gap, (w - CELLS.BESIDE_CELLS + gap) / count);
  const y = CELLS.HEADING - h / 2 + (height * cell.h) / 2;
  return {
    head: CELLS.HEADING / 2 + 1 - h / 2,
    rows: Array.from({ length: count }, (_, k) => ({
      x: pitch * (k - (count - 1) / 2),
      y,
      text: undefined,
    })),
    landing: null,
    cell: { w: (pitch - gap) / width, h: cell.h, isWritten: false },
  };
}

/** @param {number[]} shape @param {{w: number, h: number}} box @param {number} count */
function belowInBox(shape, { w, h }, count) {
  const [height, width] = sidesOf(shape);
  const cell = cellSizeOf(shape);
  const free = h - CELLS.HEADING - CELLS.AROUND;
  const gap = CELLS.BETWEEN_ROWS;
  const isStrip = !isSmallShape(shape);
  const below = isStrip ? CELLS.STRIP_TEXT : 0;
  const pitch = Math.min(height * cell.h + below + gap, (free + gap) / count);
  const top = CELLS.HEADING - h / 2;
  /** @param {number} row */
  const middleOf = (row) => top + pitch * row + (pitch - gap - below) / 2;
  const cellHeight = (pitch - gap - below) / height;
  const cellWidth = Math.min(cell.w, (w - CELLS.BESIDE_CELLS) / width);
  return {
    head: CELLS.HEADING / 2 + 1 - h / 2,
    rows: Array.from({ length: count }, (_, row) => ({
      x: 0,
      y: middleOf(row),
      text: isStrip ? top + pitch * (row + 1) - gap - below / 2 : undefined,
    })),
    landing: !isStrip && (count + 1) * pitch - gap <= free + 1 ? middleOf(count) : null,
    cell: {
      w: cellWidth,
      h: cellHeight,
      isWritten: cell.isWritten && cellWidth >= LEAST_WRITTEN.w && cellHeight >= LEAST_WRITTEN.h,
    },
  };
}

/**
 * The size of the cells of a constant array, which has a box for itself.
 * @param {number[]} shape @param {{w: number, h: number}} box
 */
export function sizeInConstant(shape, { w, h }) {
  const [height, width] = sidesOf(shape);
  const cell = cellSizeOf(shape);
  return {
    w: Math.min(cell.w, (w - CELLS.BESIDE_CELLS) / width),
    h: Math.min(cell.h, (h - 4) / height),
    isWritten: cell.isWritten && w >= width * cell.w,
  };
}

/**
 * For each cell of a shape the cell of `from` that broadcasting copies there.
 * @param {number[]} from @param {number[]} to
 */
export function originsOf(from, to) {
  const [height, width] = sidesOf(from);
  const [tall, wide] = sidesOf(to);
  return Array.from({ length: tall * wide }, (_, k) => {
    const row = height === 1 ? 0 : Math.floor(k / wide);
    const column = width === 1 ? 0 : k % wide;
    return row * width + column;
  });
}

/** @param {number} from @param {number} to @param {number} t */
const mix = (from, to, t) => from + t * (to - from);
const STRIP_ON_EDGE = 0.32; // so that a strip is no wider there than a small array

/** How large a cell is on an edge, beside that of a small array. @param {number[]} shape */
const sizeOnEdge = (shape) => (!shape.length || isSmallShape(shape) ? 1 : STRIP_ON_EDGE);
/**
 * Where a cell stands on an edge among those of its shape, about their middle.
 * @param {number[]} shape @param {number} k
 */
function placeOf(shape, k) {
  const [height, width] = sidesOf(shape);
  const size = sizeOnEdge(shape);
  const [x, y] = [(k % width) - (width - 1) / 2, Math.floor(k / width) - (height - 1) / 2];
  return { x: size * x, y: size * y };
}

const BETWEEN = 0.5; // cells between the adjoint that comes and the product that it makes

/**
 * A product that is made entry by entry: below the adjoint that comes, its entries appear, each out of the cells that it
 * is made of.
 * @param {CellsOnTheWay} cells @param {number} most
 * @returns {Dot[]}
 */
function entryDots({ from, to, toShape, parts = [], t }, most) {
  if (!to || t >= 1) return stillDots(to ?? from, most);
  const [height] = sidesOf(from.shape);
  const [tall] = sidesOf(toShape);
  const { opens, done, goes } = productAt(t, parts.length);
  const apart = (height + tall) / 2 + BETWEEN;
  // The adjoint moves up to make room for the product, and at the end the product moves to the middle.
  const up = (-opens * apart) / 2 - (goes * apart) / 2;
  const down = (apart / 2) * (1 - goes);
  const before = textsOf(from);
  const after = textsOf(to);
  /** @param {string} text @param {{x: number, y: number}} at @param {number} shade */
  const dot = (text, { x, y }, shade) => ({
    x,
    y,
    share: shareOf(text, most),
    shade,
    size: 1,
    isCopy: false,
    isPartial: false,
  });
  /** @param {number} k */
  const sourceAt = (k) => shifted(placeOf(from.shape, k), up);
  /** @param {number} k */
  const entryPlace = (k) => shifted(placeOf(toShape, k), down);
  const dots = before.map((text, k) => dot(text, sourceAt(k), 1 - goes));
  const current = Math.floor(done);
  for (let k = 0; k < Math.min(current, parts.length); k++)
    dots.push(dot(after[k], entryPlace(k), 1));
  if (!done || current >= parts.length) return dots;
  const gone = Math.sqrt(done - current); // fast at first: the eye follows where it goes
  const end = entryPlace(current);
  for (const k of parts[current]) {
    const start = sourceAt(k);
    const at = { x: mix(start.x, end.x, gone), y: mix(start.y, end.y, gone) };
    dots.push(dot(before[k], at, 1));
  }
  return dots;
}

/** The cells of a number that stay as they are. @param {Num} number @param {number} most @returns {Dot[]} */
const stillDots = (number, most) =>
  textsOf(number).map((text, k) => ({
    ...placeOf(number.shape, k),
    share: shareOf(text, most),
    shade: 1,
    size: sizeOnEdge(number.shape),
    isCopy: false,
    isPartial: false,
  }));

/** @param {{x: number, y: number}} point @param {number} down */
const shifted = ({ x, y }, down) => ({ x, y: y + down });

/**
 * The cells on an edge, at a moment of their way. Those that become others change one after another.
 * @param {CellsOnTheWay} cells @param {number} most the largest entry of their kind
 * @param {number} mostValue the largest of the values: a partial has their colour
 * @returns {Dot[]}
 */
export function dotsOf(cells, most, mostValue) {
  if (cells.way === "entries") return entryDots(cells, most);
  const { from, to, toShape, way, map, t, isCopied, partial, meets = 0 } = cells;
  const before = textsOf(from);
  const after = to ? textsOf(to) : null;
  const isFan = way === "fan";
  const shape = isFan ? toShape : from.shape;
  const count = countOf(shape);
  const origins = map ?? Array.from({ length: count }, (_, k) => k);
  /** @type {Set<number>} */
  const seen = new Set();
  const dots = Array.from({ length: count }, (_, k) => {
    const origin = origins[k];
    const isCopy = Boolean(isCopied) && seen.has(origin);
    seen.add(origin);
    const own = placeOf(shape, k);
    const other = origin < 0 ? own : placeOf(isFan ? from.shape : toShape, origin);
    const [start, end] = isFan ? [other, own] : [own, other];
    const turned = t >= (k + 1) / (count + 1);
    const first = isFan ? (before[origin] ?? "0") : before[k];
    const last = after && (isFan ? after[k] : after[origin]);
    const text = turned && last !== null && last !== undefined ? last : first;
    const appears = isFan ? t : 1 - t;
    const sizes = [sizeOnEdge(from.shape), sizeOnEdge(toShape)];
    return {
      x: mix(start.x, end.x, t),
      y: mix(start.y, end.y, t),
      size: mix(sizes[0], sizes[1], t),
      share: shareOf(text, most),
      shade: origin < 0 ? appears : 1,
      isCopy,
      isPartial: false,
    };
  });
  if (!partial || meets <= 0 || meets >= 1) return dots;
  const [height] = sidesOf(from.shape);
  const size = sizeOnEdge(partial.shape);
  const above = textsOf(partial).map((text, k) => {
    const { x, y } = placeOf(partial.shape, k);
    return {
      x,
      y: y - (1 - meets) * (height * size + 0.4),
      size,
      share: shareOf(text, mostValue),
      shade: 1 - meets,
      isCopy: false,
      isPartial: true,
    };
  });
  return [...dots, ...above];
}
