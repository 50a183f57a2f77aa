/**
 * How small arrays move: which cells travel in a step, and which are lit. Pure functions of the step and its progress.
 *
 * @import { CellsOnTheWay, Kind } from "./cells.js"
 * @import { ShownTrace as Trace } from "./trace.js"
 * @import { Line, Num, Step } from "./trace_types.js"
 */

import { hasCells, originsOf, sidesOf } from "./cells.js";

/** @typedef {[first: number, second: number]} Progress of the two stages of a way, 0 to 1 each */

/** @param {Num} number */
const isDrawn = (number) => hasCells(number) || !number.shape.length;

/**
 * An array that stays as it is; null if it is none that is drawn as cells.
 * @param {Num} number @returns {CellsOnTheWay|null}
 */
export function cellsOf(number) {
  if (!hasCells(number)) return null;
  return { from: number, to: null, toShape: number.shape, way: "fan", map: null, t: 0 };
}

/**
 * An operand on its way to an operation: where it is broadcast its cells fan out into copies, in a reduction they fold,
 * and of an index only what it picks arrives.
 * @param {Line} line @param {number} slot @param {Num} value @param {Progress} progress
 * @returns {CellsOnTheWay|null}
 */
export function cellsRead(line, slot, value, [fans, folds]) {
  const { is_copied: isCopied, goes_to: targets } = line.operands[slot];
  const { shape } = line.value;
  if (isCopied && isDrawn(value) && hasCells(line.value)) {
    const map = originsOf(value.shape, shape);
    return { from: value, to: null, toShape: shape, way: "fan", map, t: fans, isCopied: true };
  }
  if (hasCells(value) && targets.length && isDrawn(line.value))
    return {
      from: value,
      to: line.value,
      toShape: shape,
      way: "fold",
      map: targets,
      t: folds,
    };
  return cellsOf(value);
}

/**
 * An adjoint on its way to an operand: it meets the local partial, cell by cell; where the operand was copied, what comes
 * out folds into its sum; through a reduction or an index it fans out.
 * @param {Line} line @param {number} slot @param {Num} adjoint
 * @param {{contribution: Num, copies: Num|null}} sent @param {Progress} progress
 * @returns {CellsOnTheWay|null}
 */
export function cellsSent(line, slot, adjoint, { contribution, copies }, [meets, folds]) {
  const { partial, goes_to: targets } = line.operands[slot];
  if (copies && folds > 0) {
    if (!hasCells(copies) || !isDrawn(contribution)) return null;
    const { shape } = contribution;
    const map = originsOf(shape, copies.shape);
    return { from: copies, to: contribution, toShape: shape, way: "fold", map, t: folds };
  }
  const product = copies ?? contribution;
  if (targets.length && isDrawn(adjoint) && hasCells(product))
    return {
      from: adjoint,
      to: product,
      toShape: product.shape,
      way: "fan",
      map: targets,
      t: meets,
      isCopied: true,
    };
  if (!adjoint.shape.length && hasCells(product)) {
    const map = originsOf([], product.shape);
    return { from: adjoint, to: product, toShape: product.shape, way: "fan", map, t: meets };
  }
  if (!hasCells(product)) return meets < 0.5 ? cellsOf(adjoint) : null;
  if (!hasCells(adjoint)) return meets < 0.5 ? null : cellsOf(product);
  const isSame = adjoint.shape.join() === product.shape.join();
  if (!isSame) return cellsOf(meets < 0.5 ? adjoint : product);
  return {
    from: adjoint,
    to: product,
    toShape: product.shape,
    way: "fan",
    map: null,
    t: meets,
    partial: partial && hasCells(partial) ? partial : null,
    meets,
  };
}

/**
 * The cells that a step is about, by the lines that they are of: what an index picks, and of a matrix product the row
 * and the column of one entry after another.
 * @param {Trace} trace @param {Step} step @param {number} t how far the step is, 0 to 1
 * @returns {Map<number, {kind: Kind, cells: Set<number>}>}
 */
export function cellsLit(trace, step, t) {
  const line = trace.lines[step.line];
  /** @type {Map<number, {kind: Kind, cells: Set<number>}>} */
  const lit = new Map();
  if (t <= 0 || t >= 1) return lit;
  const isAhead = step.phase === "record" || step.phase === "forward";
  if (isAhead && line.op === "matmul") {
    const [left, right] = line.operands;
    const [rows, columns] = productSides(left.value, right.value);
    const entry = Math.min(rows * columns - 1, Math.floor(t * rows * columns));
    light(lit, left.line, rowOf(left.value, Math.floor(entry / columns)));
    light(lit, right.line, columnOf(right.value, entry % columns));
  }
  if (!isAhead || line.op !== "getitem") return lit;
  const [{ line: from, goes_to: targets }] = line.operands;
  light(lit, from, new Set(targets.flatMap((target, k) => (target < 0 ? [] : [k]))));
  return lit;
}

/**
 * @param {Map<number, {kind: Kind, cells: Set<number>}>} lit @param {number|null} line
 * @param {Set<number>} cells
 */
function light(lit, line, cells) {
  if (line === null || !cells.size) return;
  const known = lit.get(line)?.cells ?? [];
  lit.set(line, { kind: "value", cells: new Set([...known, ...cells]) });
}

/**
 * How many rows and columns a matrix product has; a vector on the left is a row, on the right a column.
 * @param {Num} left @param {Num} right
 */
function productSides(left, right) {
  const rows = left.shape.length > 1 ? left.shape[0] : 1;
  return [rows, right.shape.length > 1 ? right.shape[1] : 1];
}
/** @param {Num} number @param {number} row */
function rowOf({ shape }, row) {
  const [, width] = sidesOf(shape);
  return new Set(Array.from({ length: width }, (_, k) => row * width + k));
}
/** @param {Num} number @param {number} column */
function columnOf({ shape }, column) {
  if (shape.length < 2) return new Set(Array.from({ length: shape[0] ?? 1 }, (_, k) => k));
  const [height, width] = sidesOf(shape);
  return new Set(Array.from({ length: height }, (_, k) => k * width + column));
}
