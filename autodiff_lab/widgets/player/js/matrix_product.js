/**
 * The entries that a matrix product combines, forward and backward, as pure functions. In the backward pass, each entry
 * of a contribution is a product of a row or column of the upstream adjoint and one of the other operand.
 *
 * @import { Line, Num } from "./trace_types.js"
 */

import { isSmallShape, sidesOf } from "./cells.js";

/**
 * For each entry of a contribution, the indices (in C order) of the entries that it's computed from.
 * @typedef {object} ProductParts
 * @property {number[][]} adjoint indices into the upstream adjoint
 * @property {number[][]} other indices into the other operand
 */

/** @param {number} n @returns {number[]} 0 to n − 1 */
const upTo = (n) => Array.from({ length: n }, (_, k) => k);

/**
 * The numbers of rows and columns of a matrix product. A vector on the left is a row, on the right a column.
 * @param {Pick<Num, "shape">} left @param {Pick<Num, "shape">} right
 * @returns {[rows: number, columns: number]}
 */
export function productSides(left, right) {
  const rows = left.shape.length > 1 ? left.shape[0] : 1;
  return [rows, right.shape.length > 1 ? right.shape[1] : 1];
}

/** The indices of the entries of a row. @param {Pick<Num, "shape">} number @param {number} row */
export function rowOf({ shape }, row) {
  const [, width] = sidesOf(shape);
  return upTo(width).map((k) => row * width + k);
}

/** The indices of the entries of a column; for a vector, all of them. @param {Pick<Num, "shape">} number @param {number} column */
export function columnOf({ shape }, column) {
  if (shape.length < 2) return upTo(shape[0] ?? 1);
  const [height, width] = sidesOf(shape);
  return upTo(height).map((k) => k * width + column);
}

/** Whether a line is a matrix product of arrays that are small enough to draw every entry. @param {Line} line */
export function isProduct({ op, operands }) {
  if (op !== "matmul" || !operands.every(({ value }) => isSmallShape(value.shape))) return false;
  const [left, right] = operands.map(({ value }) => value.shape);
  return left.at(-1) === right[0];
}

/**
 * The entries that a contribution of a matrix product is computed from. The left operand (slot 0) receives
 * `adjoint @ right.T`: its entry (i, k) combines row i of the adjoint with row k of the right operand. The right
 * operand receives `left.T @ adjoint`: its entry (k, j) combines column j of the adjoint with column k of the left one.
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
 * For each entry (i, j) of a matrix product, the indices of the entries of one operand that it's computed from:
 * row i of the left operand (slot 0), or column j of the right one.
 * @param {Line} line @param {number} slot
 */
export function factorsOf({ operands }, slot) {
  const [left, right] = operands.map(({ value }) => value);
  const [rows, columns] = productSides(left, right);
  return upTo(rows).flatMap((i) =>
    upTo(columns).map((j) => (slot === 0 ? rowOf(left, i) : columnOf(right, j))),
  );
}

const OPENS = 0.12; // until here, space opens for the product, which then appears entry by entry
const GOES = 0.88; // from here on, its factors disappear

/**
 * The state of a product in the backward pass at progress `t`: `opens` is how far its space has opened (0 to 1), `done`
 * how many of its entries are computed (with a fraction for the current one), and `goes` how far its factors have
 * disappeared (0 to 1).
 * @param {number} t @param {number} count
 */
export function productAt(t, count) {
  /** @param {number} from @param {number} to */
  const between = (from, to) => Math.min(1, Math.max(0, (t - from) / (to - from)));
  return { opens: between(0, OPENS), done: count * between(OPENS, GOES), goes: between(GOES, 1) };
}
