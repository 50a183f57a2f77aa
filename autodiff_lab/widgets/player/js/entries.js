/**
 * The entries of arrays, as tables: pure functions, which need no browser. Every entry comes written from Python, up to
 * twelve rows and columns of up to a few slices.
 *
 * @typedef {{rows: string[][], height: number, width: number, slices: number, held: number}} Grid `held` slices have come
 */

import { MAX_CELLS_PER_SIDE, MAX_SLICES } from "./trace_types.js";

/** The shape of an array, as Python writes it. */
export const shapeText = ({ shape }) => `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;

/** The last two axes of a shape, and all before them as one. @param {number[]} shape */
const sides = (shape) => [
  shape.slice(0, -2).reduce((n, m) => n * m, 1),
  shape.length > 1 ? shape.at(-2) : 1,
  shape.at(-1) ?? 1,
];

/** One slice of an array; a number is an array of one entry. @param {Num} number @param {number} [slice] @returns {Grid} */
export function gridOf({ text, shape = [], cells = "" }, slice = 0) {
  const [slices, height, width] = sides(shape);
  const [rows, columns] = [
    Math.min(height, MAX_CELLS_PER_SIDE),
    Math.min(width, MAX_CELLS_PER_SIDE),
  ];
  let all = shape.length ? cells.split(" ").filter(Boolean) : [text];
  if (all.length === 1) all = Array(Math.min(slices, MAX_SLICES) * rows * columns).fill(all[0]); // one stands for all
  const held = rows * columns ? all.length / (rows * columns) : 0;
  const from = Math.min(slice, held - 1) * rows * columns;
  return {
    height,
    width,
    slices,
    held,
    rows: Array.from({ length: held ? rows : 0 }, (_, r) =>
      all.slice(from + r * columns, from + (r + 1) * columns),
    ),
  };
}

const toNumber = (text) => Number(text.replace("−", "-").replace("∞", "Infinity"));

/** How large each entry is beside the largest, with its sign: −1 to 1. @param {string[][]} rows */
export function sharesOf(rows) {
  const numbers = rows.map((row) => row.map(toNumber));
  const most = Math.max(0, ...numbers.flat().filter(Number.isFinite).map(Math.abs));
  return numbers.map((row) =>
    row.map((x) =>
      Number.isNaN(x) ? 0 : Number.isFinite(x) ? (most ? x / most : 0) : Math.sign(x),
    ),
  );
}

/**
 * An operand as broadcasting has it: copied to the shape of the result.
 * @param {Num} number @param {number[]} to @param {number} [slice]
 * @returns {Grid & {copies: boolean[][]}} `copies` marks what stands there a second time
 */
export function copiedTo(number, to, slice = 0) {
  const from = [...Array(to.length - (number.shape ?? []).length).fill(1), ...(number.shape ?? [])];
  const [slices, height, width] = sides(to);
  // Which slice of the operand: of its leading axes those with one entry are copied.
  let [rest, own, stride, first] = [slice, 0, 1, true];
  for (let axis = to.length - 3; axis >= 0; axis--) {
    const at = rest % to[axis];
    rest = Math.floor(rest / to[axis]);
    if (from[axis] === 1 && at) first = false;
    own += from[axis] === 1 ? 0 : at * stride;
    stride *= from[axis];
  }
  const grid = gridOf(number, own);
  const [tall, wide] = [
    to.length > 1 ? from.at(-2) === to.at(-2) : true,
    from.at(-1) === to.at(-1),
  ];
  const indices = (n) => Array.from({ length: Math.min(n, MAX_CELLS_PER_SIDE) }, (_, k) => k);
  const rows = indices(height).map((r) =>
    indices(width).map((c) => grid.rows[tall ? r : 0]?.[wide ? c : 0] ?? ""),
  );
  const copies = indices(height).map((r) =>
    indices(width).map((c) => !first || (!tall && r > 0) || (!wide && c > 0)),
  );
  return { rows, copies, height, width, slices, held: Math.min(slices, MAX_SLICES) };
}

/**
 * What there is to show of a line at step `s`: its value, its adjoint and partials, and how its operands were copied.
 * @param {Run} run @param {number} i @param {number} s @param {Num|null} adjoint
 * @returns {{kind: "value"|"adjoint"|"tangent"|"partial"|"copied"|"summed", name: string, number: Num, to?: number[], sum?: Num}[]}
 */
export function tablesAt({ trace, first }, i, s, adjoint) {
  const line = trace.lines[i];
  if (!line?.value.shape?.length || i >= Math.min(s + 1, first)) return [];
  const called = (k) => trace.lines[k].label || trace.lines[k].display_name;
  const tables = [{ kind: "value", name: line.display_name, number: line.value }];
  const tangents = trace.steps[i].tangents;
  if (tangents.length === 1)
    tables.push({ kind: "tangent", name: line.tangent_name, number: tangents[0] });
  if (adjoint) tables.push({ kind: "adjoint", name: line.adjoint_name, number: adjoint });
  for (const operand of line.operands.filter((one) => one.line !== null && one.is_copied))
    tables.push({
      kind: "copied",
      name: called(operand.line),
      number: operand.value,
      to: line.value.shape,
    });
  for (const step of trace.steps.slice(first, s + 1))
    if (step.phase === "sweep" && step.line === i)
      for (const { parent, copies, contribution } of step.sends)
        if (copies)
          tables.push({ kind: "summed", name: called(parent), number: copies, sum: contribution });
  for (const operand of line.operands)
    if (operand.line !== null && operand.partial?.shape?.length)
      tables.push({ kind: "partial", name: called(operand.line), number: operand.partial });
  return tables;
}
