/**
 * The motion of a step, as pure functions of the step and its progress u, 0 to 1; they need no browser.
 *
 * Cause comes before effect. Numbers leave their boxes and travel along the edges. Only when they have met does the
 * step land, and then the boxes, the tape and the arithmetic change. At u = 1 nothing moves: this is what scrubbing
 * shows, and what a reader sees who prefers reduced motion.
 *
 * @import { Lit } from "./array_motion.js"
 * @import { CellsOnTheWay } from "./cells.js"
 * @import { Phase, Piece } from "./run.js"
 * @import { ShownTrace as Trace } from "./trace.js"
 * @import { Line, Num, Operand, Step } from "./trace_types.js"
 */

import { cellsLit, cellsOf, cellsPushed, cellsRead, cellsSent } from "./array_motion.js";
import { isProduct } from "./matrix_product.js";
import { tangentsOf } from "./run.js";

/** @type {Record<Phase, number>} */
const DURATION = { record: 750, forward: 1100, seed: 700, sweep: 1080 }; // milliseconds at speed 1
const REST = 560; // milliseconds from the landing of a step to the next one: time to read the result
/** The progress at which a step lands. */
/** @type {Record<Phase, number>} */
const LANDS = { record: 0.78, forward: 0.88, seed: 0.6, sweep: 0.93 };
/** @type {[from: number, to: number]} */
const MEETS = [0.4, 0.62]; // a number stops at the local partial, and is multiplied there
/** @type {[from: number, to: number]} */
const MAKES = [0.28, 0.72]; // a matrix product is computed there, element by element
const PRODUCT_SLOWER = 1.9; // a matrix product takes so many times as long, because it is shown element by element
const ARRIVES = 0.82; // an adjoint has reached its box, and is about to be added
const MAX_PARTIAL = 12; // characters of a local partial on its edge
const MAX_WITH_FORMULA = 18; // characters with the formula that it comes from: "cos x2 = 0.2837"

/**
 * A number that moves. `along` is its position: 0 at the operand, 1 at the operation, ½ at the local partial; `drop`
 * is how far a seed still is above its box.
 * @typedef {object} Token
 * @property {number} [slot] the operand whose edge it is on; a seed is on none
 * @property {Kind} kind decides its colour, and its position in its box
 * @property {number} [along]
 * @property {number} [drop]
 * @property {number} spread the distance between the copies of an array
 * @property {-1|1} [side] of the edge on which its cells move: above or below
 * @property {number} [together] how far it has moved next to the other operands, 0 to 1
 * @property {Piece[]} texts
 * @property {CellsOnTheWay|null} [cells] of a small array, drawn instead of the texts
 */
/** @typedef {"value"|"tangent"|"adjoint"} Kind */
/**
 * @typedef {Operand & {slot: number, line: number}} Moving an operand that is a line of the tape
 */

/**
 * How long the motion of a step takes, in milliseconds.
 * @param {Pick<Step, "phase">} step @param {Line} [line] that it is about
 */
export function durationOf({ phase }, line) {
  const isByElement = line !== undefined && phase !== "seed" && isProduct(line);
  return isByElement ? DURATION[phase] * PRODUCT_SLOWER : DURATION[phase];
}
/**
 * How long a step rests after its motion, before the next one starts, in milliseconds.
 * @param {Pick<Step, "phase">} step @param {Line} [line] that it is about
 */
export const restOf = ({ phase }, line) => REST - (1 - LANDS[phase]) * durationOf({ phase }, line);
/**
 * Whether a step has landed at progress `u` of its motion.
 * @param {Pick<Step, "phase">} step @param {number} u
 */
export const hasLanded = ({ phase }, u) => u >= LANDS[phase];

/**
 * How far `u` is between two points: 0 to 1.
 * @param {number} u @param {number} from @param {number} to
 */
const between = (u, from, to) => Math.min(1, Math.max(0, (u - from) / (to - from)));
/** @param {number} t */
const ease = (t) => t * t * (3 - 2 * t);
/** @param {Num} number */
const inShort = (number) => number.short || number.text;
/** @param {string} text */
const cut = (text) => (text.length > MAX_PARTIAL ? `${text.slice(0, MAX_PARTIAL - 1)}…` : text);

/**
 * The text of a local partial on its edge, with the formula that it comes from if that is short. An array whose
 * formula is too long has no text, because half a formula is useless; the arithmetic shows all of it.
 * @param {Pick<Operand, "partial"|"edge"|"edge_reading">} operand
 */
function labelOf({ partial, edge, edge_reading: reading }) {
  const label = reading || edge;
  if (label && label.length <= MAX_WITH_FORMULA) return label;
  if (partial && !partial.shape.length) return cut(inShort(partial));
  if (label) return "";
  return partial ? cut(inShort(partial)) : "";
}

/**
 * The text that a number is multiplied by on the edge: the local partial alone, or a formula that stands for many.
 * @param {Operand} operand
 */
function partialOf(operand) {
  const { partial } = operand;
  const isNumber = partial && !partial.shape.length;
  return isNumber ? cut(inShort(partial)) : labelOf(operand);
}

/**
 * The labels on the edges of a step, by slot: the local partials that it multiplies by, or how an
 * array is broadcast.
 * @param {Trace} trace @param {Step} step
 * @returns {Map<number, string>}
 */
export function labelsOf(trace, step) {
  const { operands } = trace.lines[step.line];
  /** @type {Map<number, string>} */
  const labels = new Map();
  if (step.phase === "record") {
    for (const [slot, { shapes, is_copied }] of operands.entries()) {
      if (is_copied) labels.set(slot, shapes);
    }
  }
  const pushed = step.pushes.filter(({ slot }) => operands[slot].partial);
  for (const { slot } of [...step.sends, ...pushed]) {
    const text = labelOf(operands[slot]);
    if (text) labels.set(slot, text);
  }
  return labels;
}

/**
 * The progress of a number that stops halfway, where it is multiplied: 0 to 1.
 * @param {number} u @param {number} from @param {number} to @param {[from: number, to: number]} [stop] when it stops
 */
const stopping = (u, from, to, [stops, goes] = MEETS) =>
  0.5 * ease(between(u, from, stops)) + 0.5 * ease(between(u, goes, to));

/**
 * The text of a number that moves: first itself; at the local partial, the product (or the formula that it goes
 * through); then the result.
 * @param {number} u @param {Kind} kind @param {string} rate @param {Operand} operand @param {string} result
 * @returns {Piece[]}
 */
function multiplied(u, kind, rate, operand, result) {
  // Without a partial, the edge's text is the formula for adjoints; it doesn't apply to tangents.
  const partial = kind === "tangent" && !operand.partial ? "" : partialOf(operand);
  if (!partial || u < MEETS[0] + 0.03) return [[kind, rate]];
  if (u >= MEETS[1] - 0.02) return [[kind, result]];
  if (!operand.partial) return [[kind, partial]]; // a formula that stands for many partials
  return [[kind, rate], ["op", "×"], inBrackets([kind, partial])];
}

/**
 * The lines whose values a step's local partials are computed from, until the partials have been multiplied by.
 * @param {Trace} trace @param {number} s @param {number} u
 * @returns {number[]}
 */
export function sourcesAt(trace, s, u) {
  const step = trace.steps[s];
  if (!step || u <= 0 || u >= MEETS[1]) return [];
  const { operands } = trace.lines[step.line];
  return [...step.sends, ...step.pushes].flatMap(({ slot }) => operands[slot].partial_reads);
}

/**
 * The numbers that move at progress `u` of step `s`.
 * @param {Trace} trace @param {number} s @param {number} u
 * @returns {Token[]}
 */
export function tokensAt(trace, s, u) {
  const step = trace.steps[s];
  if (!step || u <= 0 || hasLanded(step, u)) return [];
  return MOTIONS[step.phase](trace, step, u);
}

/** @typedef {(trace: Trace, step: Step, u: number) => Token[]} Motion of a phase */

/** @type {Record<Phase, Motion>} */
const MOTIONS = { record: recording, forward: pushing, seed: seeding, sweep: sending };

/** Operands are read; a broadcast one fans out into a copy for each element. @type {Motion} */
function recording(trace, step, u) {
  const line = trace.lines[step.line];
  const along = ease(between(u, 0.02, LANDS.record));
  const fans = between(u, 0.3, 0.5);
  const folds = between(u, 0.5, 0.72);
  return moving(line).map(({ slot, value, is_copied }) => ({
    slot,
    kind: "value",
    along,
    together: ease(between(along, 0.55, 0.95)),
    spread: is_copied ? fans : 0,
    texts: [["value", inShort(value)]],
    cells: cellsRead(line, slot, value, [fans, folds]),
  }));
}

/**
 * In forward mode, a value and its tangent move together, and the tangent is multiplied by the local partial.
 * @type {Motion}
 */
function pushing(trace, step, u) {
  const pushes = new Map(step.pushes.map((push) => [push.slot, push]));
  const own = trace.lines[step.line];
  const stop = isProduct(own) ? MAKES : MEETS;
  const along = stopping(u, 0.02, LANDS.forward, stop);
  const meets = between(u, ...stop);
  /** @param {Moving} operand @returns {Token[]} */
  const tokensOf = (operand) => {
    const { slot, line, value, is_copied } = operand;
    const push = pushes.get(slot);
    const tangents = tangentsOf(trace, line);
    const rate = tangents.map(inShort).join(", ");
    /** @type {Piece[]} */
    const tangent = push
      ? multiplied(u, "tangent", rate, operand, inShort(push.contribution))
      : [["tangent", rate]];
    const cells = cellsRead(own, slot, value, [meets, meets]);
    const single = tangents.length === 1 ? tangents[0] : null;
    if (cells && single) {
      const pushed = push
        ? cellsPushed(own, slot, single, push.contribution, meets)
        : cellsOf(single);
      const shown = { slot, along, spread: 0 };
      return [
        { ...shown, kind: "value", side: -1, texts: [["value", inShort(value)]], cells },
        { ...shown, kind: "tangent", side: 1, texts: tangent, cells: pushed },
      ];
    }
    return [
      {
        slot,
        kind: "value",
        along,
        together: ease(between(along, 0.55, 0.95)),
        spread: is_copied ? between(u, 0.62, 0.75) : 0,
        texts: [["value", inShort(value)], ...tangent],
        cells,
      },
    ];
  };
  return moving(own).flatMap(tokensOf);
}

/** The seed comes down to its box. @type {Motion} */
function seeding(_, { adjoint }, u) {
  if (!adjoint) return [];
  const drop = 1 - ease(between(u, 0.05, 0.55));
  return [
    {
      kind: "adjoint",
      drop,
      spread: 0,
      texts: [["adjoint", inShort(adjoint)]],
      cells: cellsOf(adjoint),
    },
  ];
}

/**
 * An adjoint moves to an operand. It's multiplied on the way, and added to the operand's adjoint.
 * @type {Motion}
 */
function sending(trace, { line, adjoint, sends }, u) {
  if (!adjoint) return [];
  const stop = isProduct(trace.lines[line]) ? MAKES : MEETS;
  const own = trace.lines[line];
  const meets = between(u, ...stop);
  const folds = between(u, MEETS[1], 0.78); // the copies of a broadcast operand come together in their sum
  return sends.map(({ slot, contribution, before, replaces, copies }) => {
    const operand = own.operands[slot];
    let texts = multiplied(u, "adjoint", inShort(adjoint), operand, inShort(contribution));
    const isAdded = before !== null && !replaces;
    if (isAdded && u >= ARRIVES)
      texts = [["adjoint", inShort(before)], ["op", "+"], ...texts.map(inBrackets)];
    const opens = between(u, MEETS[0], MEETS[0] + 0.05);
    return {
      slot,
      kind: "adjoint",
      along: 1 - stopping(u, 0.04, ARRIVES, stop),
      spread: copies ? opens * (1 - folds) : 0,
      texts,
      cells: cellsSent(own, slot, adjoint, { contribution, copies }, [meets, folds]),
    };
  });
}

/**
 * The contributions that have arrived at their boxes and are about to be added; `shade` is their opacity, 0 to 1.
 * @param {Trace} trace @param {number} s @param {number} u
 * @returns {{line: number, number: Num, isAdded: boolean, shade: number}[]}
 */
export function landingsAt(trace, s, u) {
  const step = trace.steps[s];
  if (step?.phase !== "sweep" || hasLanded(step, u)) return [];
  const shade = between(u, ARRIVES - 0.06, ARRIVES);
  if (!shade) return [];
  return step.sends.map(({ parent, contribution, before, replaces }) => ({
    line: parent,
    number: contribution,
    isAdded: before !== null && !replaces,
    shade,
  }));
}

/**
 * The cells that a step is about while it moves, by the lines that they are of; see `cellsLit`.
 * @param {Trace} trace @param {number} s @param {number} u
 * @returns {Lit}
 */
export function litAt(trace, s, u) {
  const step = trace.steps[s];
  if (!step || u <= 0 || hasLanded(step, u)) return new Map();
  const isBack = step.phase === "sweep";
  const [from, to] = isBack ? MAKES : [0.05, LANDS[step.phase] - 0.05];
  return cellsLit(trace, step, between(u, from, to));
}

/** @param {Piece} piece @returns {Piece} */
const inBrackets = ([kind, text]) => [kind, text.startsWith("−") ? `(${text})` : text];
/**
 * The operands that a number can come from: a constant has no line.
 * @param {Line} line
 * @returns {Moving[]}
 */
const moving = ({ operands }) =>
  operands.flatMap((operand, slot) => {
    const { line } = operand;
    return line === null ? [] : [{ ...operand, slot, line }];
  });
