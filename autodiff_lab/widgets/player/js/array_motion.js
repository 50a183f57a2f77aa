/**
 * The motion of small arrays: the cells that move in a step, and those that are highlighted. Pure functions of the step
 * and its progress.
 *
 * @import { CellsOnTheWay, Kind } from "./cells.js"
 * @import { ShownTrace as Trace } from "./trace.js"
 * @import { Line, Num, Step } from "./trace_types.js"
 */

import { hasCells, originsOf } from "./cells.js";
import {
  columnOf,
  factorsOf,
  isProduct,
  productAt,
  productParts,
  productSides,
  rowOf,
} from "./matrix_product.js";

/** @typedef {[first: number, second: number]} Progress of the two stages of a motion, 0 to 1 each */

/** @param {Num} number */
const isDrawn = (number) => hasCells(number) || !number.shape.length;

/**
 * The cells of an array that moves unchanged; null if it isn't drawn as cells.
 * @param {Num} number @returns {CellsOnTheWay|null}
 */
export function cellsOf(number) {
  if (!hasCells(number)) return null;
  return { from: number, to: null, toShape: number.shape, way: "fan", map: null, t: 0 };
}

/**
 * An operand that moves to an operation. If it's broadcast, its cells fan out into copies; in a reduction, they fold
 * together; with an index, only the selected cells arrive.
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
  const isFolded = targets.length > 0; // a reduction or an index
  if (isFolded && hasCells(value) && isDrawn(line.value)) {
    const to = line.value;
    return { from: value, to, toShape: shape, way: "fold", map: targets, t: folds };
  }
  return cellsOf(value);
}

/**
 * An adjoint that moves to an operand. It's multiplied by the local partial, cell by cell. If the operand was
 * broadcast, the products then fold into their sum; through a reduction or an index, the adjoint fans out.
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
  if (isProduct(line) && isDrawn(adjoint)) {
    const toShape = contribution.shape;
    const parts = productParts(line, slot).adjoint;
    return { from: adjoint, to: contribution, toShape, way: "entries", map: null, t: meets, parts };
  }
  const product = copies ?? contribution;
  /** @type {CellsOnTheWay} */
  const fan = {
    from: adjoint,
    to: product,
    toShape: product.shape,
    way: "fan",
    map: null,
    t: meets,
  };
  if (targets.length && isDrawn(adjoint) && hasCells(product))
    return { ...fan, map: targets, isCopied: true };
  if (!adjoint.shape.length && hasCells(product))
    return { ...fan, map: originsOf([], product.shape) };
  const isBefore = meets < 0.5; // halfway, the adjoint becomes the product
  if (!hasCells(product)) return isBefore ? cellsOf(adjoint) : null;
  if (!hasCells(adjoint)) return isBefore ? null : cellsOf(product);
  const isSameShape = adjoint.shape.join() === product.shape.join();
  if (!isSameShape) return cellsOf(isBefore ? adjoint : product);
  return { ...fan, partial: partial && hasCells(partial) ? partial : null, meets };
}

/**
 * A tangent that moves to an operation. It's multiplied by the local partial, cell by cell. If the operand is broadcast,
 * its cells fan out; in a reduction, they fold together; a matrix product is computed entry by entry.
 * @param {Line} line @param {number} slot @param {Num} rate @param {Num} contribution @param {number} meets
 * @returns {CellsOnTheWay|null}
 */
export function cellsPushed(line, slot, rate, contribution, meets) {
  const { partial, is_copied: isCopied, goes_to: targets } = line.operands[slot];
  if (!isDrawn(rate) || !isDrawn(contribution)) return null;
  const { shape } = contribution;
  /** @type {CellsOnTheWay} */
  const fan = { from: rate, to: contribution, toShape: shape, way: "fan", map: null, t: meets };
  if (isProduct(line)) return { ...fan, way: "entries", parts: factorsOf(line, slot) };
  if (isCopied && hasCells(contribution))
    return { ...fan, map: originsOf(rate.shape, shape), isCopied: true };
  if (targets.length && hasCells(rate)) return { ...fan, way: "fold", map: targets };
  if (rate.shape.join() !== shape.join()) return cellsOf(meets < 0.5 ? rate : contribution);
  if (!hasCells(rate)) return null;
  return { ...fan, partial: partial && hasCells(partial) ? partial : null, meets };
}

/** @typedef {Map<number, Partial<Record<Kind, Set<number>>>>} Lit the highlighted cells, by line and by kind */

/**
 * The highlighted cells of a step, by their lines: the entries that an index selects, or for a matrix product the row
 * and the column of one entry after another, in both passes.
 * @param {Trace} trace @param {Step} step @param {number} t the progress of the step, 0 to 1
 * @returns {Lit}
 */
export function cellsLit(trace, step, t) {
  const line = trace.lines[step.line];
  /** @type {Lit} */
  const lit = new Map();
  if (t <= 0 || t >= 1) return lit;
  if (step.phase === "sweep" && isProduct(line)) {
    for (const { slot } of step.sends) {
      const { adjoint, other } = productParts(line, slot);
      const { done } = productAt(t, adjoint.length);
      if (!done || done >= adjoint.length) continue;
      const entry = Math.floor(done);
      light(lit, step.line, adjoint[entry], "adjoint");
      light(lit, line.operands[1 - slot].line, other[entry]);
    }
    return lit;
  }
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
  const picked = targets.flatMap((target, k) => (target < 0 ? [] : [k]));
  light(lit, from, picked);
  return lit;
}

/**
 * @param {Lit} lit @param {number|null} line @param {number[]} cells @param {Kind} [kind]
 */
function light(lit, line, cells, kind = "value") {
  if (line === null || !cells.length) return;
  const known = lit.get(line) ?? {};
  lit.set(line, { ...known, [kind]: new Set([...(known[kind] ?? []), ...cells]) });
}
