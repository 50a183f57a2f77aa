/**
 * The entries of arrays, as tables: pure functions, which need no browser. Every entry comes written from Python, up to
 * twelve rows and columns of up to a few slices.
 *
 * @import { Run } from "./run.js"
 * @import { Num } from "./trace_types.js"
 *
 * @typedef {object} Grid
 * @property {string[][]} rows
 * @property {number} height of the whole array, as is `width`; there may be fewer rows
 * @property {number} width
 * @property {number} slices of the whole array
 * @property {number} held slices that have come
 * @property {boolean[][]} [copies] marks what stands there a second time
 *
 * @typedef {object} EntriesTable
 * @property {"value"|"adjoint"|"tangent"|"partial"|"copied"|"summed"} kind
 * @property {string} name
 * @property {Num} number
 * @property {number[]} [to] the shape to which it is copied
 * @property {Num} [sum] what it is summed to
 */

import { MAX_CELLS_PER_SIDE, MAX_SLICES } from "./trace_types.js";

/** The shape of an array, as Python writes it: "(3,)". @param {Pick<Num, "shape">} number */
export function shapeText({ shape }) {
  const isVector = shape.length === 1;
  return isVector ? `(${shape[0]},)` : `(${shape.join(", ")})`;
}

/**
 * The last two axes of a shape, and all before them as one.
 * @param {number[]} shape
 * @returns {[slices: number, height: number, width: number]}
 */
function sides(shape) {
  const [height, width] = [1, 1, ...shape].slice(-2);
  return [shape.slice(0, -2).reduce((n, m) => n * m, 1), height, width];
}

/**
 * One slice of an array; a number is an array of one entry.
 * @param {Pick<Num, "text"> & Partial<Num>} number @param {number} [slice]
 * @returns {Grid}
 */
export function gridOf({ text, shape = [], cells = "" }, slice = 0) {
  const [slices, height, width] = sides(shape);
  const rows = Math.min(height, MAX_CELLS_PER_SIDE);
  const columns = Math.min(width, MAX_CELLS_PER_SIDE);
  const perSlice = rows * columns;
  let all = shape.length ? cells.split(" ").filter(Boolean) : [text];
  if (all.length === 1) all = Array(Math.min(slices, MAX_SLICES) * perSlice).fill(all[0]); // one text stands for all
  const held = perSlice ? all.length / perSlice : 0;
  const start = Math.min(slice, held - 1) * perSlice;
  /** @param {number} r */
  const rowAt = (r) => all.slice(start + r * columns, start + (r + 1) * columns);
  const shown = Array.from({ length: held ? rows : 0 }, (_, r) => rowAt(r));
  return { height, width, slices, held, rows: shown };
}

/** @param {string} text */
const toNumber = (text) => Number(text.replace("−", "-").replace("∞", "Infinity"));

/** How large each entry is beside the largest, with its sign: −1 to 1. @param {string[][]} rows */
export function sharesOf(rows) {
  const numbers = rows.map((row) => row.map(toNumber));
  const most = Math.max(0, ...numbers.flat().filter(Number.isFinite).map(Math.abs));
  /** @param {number} x */
  const shareOf = (x) => {
    if (Number.isNaN(x)) return 0;
    if (!Number.isFinite(x)) return Math.sign(x);
    return most ? x / most : 0;
  };
  return numbers.map((row) => row.map(shareOf));
}

/**
 * An operand as broadcasting has it: copied to the shape of the result.
 * @param {Num} number @param {number[]} to @param {number} [slice]
 * @returns {Grid & {copies: boolean[][]}}
 */
export function copiedTo(number, to, slice = 0) {
  const shape = number.shape ?? [];
  const from = [...Array(to.length - shape.length).fill(1), ...shape]; // broadcasting adds axes on the left
  const [slices, height, width] = sides(to);
  // The slice of the operand that this slice of the result shows: along an axis of length 1 it is always the same.
  let rest = slice;
  let ownSlice = 0;
  let stride = 1;
  let isFirst = true;
  for (let axis = to.length - 3; axis >= 0; axis--) {
    const at = rest % to[axis];
    rest = Math.floor(rest / to[axis]);
    if (from[axis] === 1 && at) isFirst = false;
    if (from[axis] !== 1) ownSlice += at * stride;
    stride *= from[axis];
  }
  const grid = gridOf(number, ownSlice);
  const hasAllRows = to.length < 2 || from.at(-2) === to.at(-2);
  const hasAllColumns = from.at(-1) === to.at(-1);
  /** @type {string[][]} */
  const rows = [];
  /** @type {boolean[][]} */
  const copies = [];
  for (let r = 0; r < Math.min(height, MAX_CELLS_PER_SIDE); r++) {
    rows.push([]);
    copies.push([]);
    for (let c = 0; c < Math.min(width, MAX_CELLS_PER_SIDE); c++) {
      const ownRow = hasAllRows ? r : 0;
      const ownColumn = hasAllColumns ? c : 0;
      rows[r].push(grid.rows[ownRow]?.[ownColumn] ?? "");
      copies[r].push(!isFirst || ownRow !== r || ownColumn !== c);
    }
  }
  return { rows, copies, height, width, slices, held: Math.min(slices, MAX_SLICES) };
}

/**
 * What there is to show of a line at step `s`: its value, its adjoint and partials, and how its operands were copied.
 * @param {Run} run @param {number} i @param {number} s @param {Num|null} adjoint
 * @returns {EntriesTable[]}
 */
export function tablesAt({ trace, first }, i, s, adjoint) {
  const line = trace.lines[i];
  if (!line?.value.shape?.length || i >= Math.min(s + 1, first)) return [];
  /** @param {number} k */
  const called = (k) => trace.lines[k].label || trace.lines[k].display_name;
  /** @type {EntriesTable[]} */
  const tables = [{ kind: "value", name: line.display_name, number: line.value }];
  const tangents = trace.steps[i].tangents;
  if (tangents.length === 1)
    tables.push({ kind: "tangent", name: line.tangent_name, number: tangents[0] });
  if (adjoint) tables.push({ kind: "adjoint", name: line.adjoint_name, number: adjoint });
  for (const { line: parent, is_copied, value } of line.operands) {
    if (parent === null || !is_copied) continue;
    tables.push({ kind: "copied", name: called(parent), number: value, to: line.value.shape });
  }
  const swept = trace.steps.slice(first, s + 1).filter(({ phase }) => phase === "sweep");
  const sends = swept.filter((step) => step.line === i).flatMap((step) => step.sends);
  for (const { parent, copies, contribution } of sends) {
    if (!copies) continue;
    tables.push({ kind: "summed", name: called(parent), number: copies, sum: contribution });
  }
  for (const { line: parent, partial } of line.operands) {
    if (parent === null || !partial?.shape.length) continue;
    tables.push({ kind: "partial", name: called(parent), number: partial });
  }
  return tables;
}
