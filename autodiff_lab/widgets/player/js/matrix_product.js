/**
 * How a matrix product goes back: each entry of an adjoint is made of a row or a column of the adjoint that comes, and of
 * one of the other operand. Pure functions.
 *
 * @import { Line, Num } from "./trace_types.js"
 */

import { isSmallShape, sidesOf } from "./cells.js";

/**
 * For each entry that goes to an operand, the entries that it is made of, by their numbers.
 * @typedef {object} ProductParts
 * @property {number[][]} adjoint of the adjoint that comes
 * @property {number[][]} other of the other operand
 */

/** @param {number} n @returns {number[]} 0 to n − 1 */
const upTo = (n) => Array.from({ length: n }, (_, k) => k);

/**
 * How many rows and columns a matrix product has; a vector on the left is a row, on the right a column.
 * @param {Pick<Num, "shape">} left @param {Pick<Num, "shape">} right
 * @returns {[rows: number, columns: number]}
 */
export function productSides(left, right) {
  const rows = left.shape.length > 1 ? left.shape[0] : 1;
  return [rows, right.shape.length > 1 ? right.shape[1] : 1];
}

/** The numbers of the entries of a row. @param {Pick<Num, "shape">} number @param {number} row */
export function rowOf({ shape }, row) {
  const [, width] = sidesOf(shape);
  return upTo(width).map((k) => row * width + k);
}

/** The numbers of the entries of a column; of a vector all. @param {Pick<Num, "shape">} number @param {number} column */
export function columnOf({ shape }, column) {
  if (shape.length < 2) return upTo(shape[0] ?? 1);
  const [height, width] = sidesOf(shape);
  return upTo(height).map((k) => k * width + column);
}

/** Whether a line is a matrix product whose operands are drawn entry by entry. @param {Line} line */
export function isProduct({ op, operands }) {
  if (op !== "matmul" || !operands.every(({ value }) => isSmallShape(value.shape))) return false;
  const [left, right] = operands.map(({ value }) => value.shape);
  return left.at(-1) === right[0];
}

/**
 * What the entries are made of that a matrix product sends to the operand in a slot: entry (i, k) of `adjoint @ right.T`
 * of row i of the adjoint and row k of the right operand, entry (k, j) of `left.T @ adjoint` of column j of the adjoint and
 * column k of the left one.
 * @param {Line} line @param {number} slot
 * @returns {ProductParts}
 */
export function productParts({ operands }, slot) {
  const [left, right] = operands.map(({ value }) => value);
  const [rows, columns] = productSides(left, right);
  const shared = left.shape.at(-1) ?? 1;
  /** @type {ProductParts} */
  const parts = { adjoint: [], other: [] };
  if (slot === 0) {
    for (const i of upTo(rows)) {
      for (const k of upTo(shared)) {
        parts.adjoint.push(upTo(columns).map((j) => i * columns + j));
        parts.other.push(upTo(columns).map((j) => k * columns + j));
      }
    }
    return parts;
  }
  for (const k of upTo(shared)) {
    for (const j of upTo(columns)) {
      parts.adjoint.push(upTo(rows).map((i) => i * columns + j));
      parts.other.push(upTo(rows).map((i) => i * shared + k));
    }
  }
  return parts;
}

/**
 * What the entries of a matrix product are made of, of the operand in a slot: entry (i, j) of row i of the left one, or of
 * column j of the right one.
 * @param {Line} line @param {number} slot
 */
export function factorsOf({ operands }, slot) {
  const [left, right] = operands.map(({ value }) => value);
  const [rows, columns] = productSides(left, right);
  return upTo(rows).flatMap((i) =>
    upTo(columns).map((j) => (slot === 0 ? rowOf(left, i) : columnOf(right, j))),
  );
}

const OPENS = 0.12; // from here on there is room for the product, which then appears entry by entry
const GOES = 0.88; // from here on its factors disappear

/**
 * How far a product is made on the way back at progress `t`: how far it has been made room for, how many of its entries
 * there are (with a share of the one that comes), and how far what they are made of has gone.
 * @param {number} t @param {number} count
 */
export function productAt(t, count) {
  /** @param {number} from @param {number} to */
  const between = (from, to) => Math.min(1, Math.max(0, (t - from) / (to - from)));
  return { opens: between(0, OPENS), done: count * between(OPENS, GOES), goes: between(GOES, 1) };
}
