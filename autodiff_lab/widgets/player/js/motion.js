/**
 * How a step moves: pure functions of the step and of its progress u, 0 to 1, which need no browser.
 *
 * Cause comes before effect. Numbers leave where they stand and travel along the edges; only when they have come together
 * does the step land, and the boxes, the tape and the arithmetic change. At u = 1 nothing is on its way: that is what
 * scrubbing shows, and a reader who wants no motion.
 */

import { tangentsOf } from "./run.js";

const DURATION = { record: 850, forward: 1200, seed: 900, sweep: 1300 }; // milliseconds at speed 1
const LANDS = { record: 0.78, forward: 0.88, seed: 0.6, sweep: 0.93 };
const MEETS = [0.4, 0.62]; // a number stops at the local partial, and is multiplied there
const ON_EDGE = 12; // characters of a local partial on its edge

export const durationOf = ({ phase }) => DURATION[phase];
export const hasLanded = ({ phase }, u) => u >= LANDS[phase];

const between = (u, from, to) => Math.min(1, Math.max(0, (u - from) / (to - from)));
const ease = (t) => t * t * (3 - 2 * t);
const inShort = (number) => number.short || number.text;
const cut = (text) => (text.length > ON_EDGE ? `${text.slice(0, ON_EDGE - 1)}…` : text);

/** The local partial of an operand, as it fits on the edge. */
const partialOf = ({ partial, edge = "" }) =>
  cut(
    partial && !partial.shape?.length
      ? inShort(partial)
      : edge || (partial ? inShort(partial) : ""),
  );

/** What stands on the edges of a step, by slot: the local partials that it multiplies by, or how an array is copied. @returns {Map<number, string>} */
export function labelsOf(trace, step) {
  const { operands } = trace.lines[step.line];
  if (step.phase === "record")
    return new Map(
      operands.flatMap(({ shapes, is_copied }, slot) => (is_copied ? [[slot, shapes]] : [])),
    );
  const slots = step.phase === "sweep" ? step.sends : step.phase === "forward" ? step.pushes : [];
  return new Map(
    slots.map(({ slot }) => [slot, partialOf(operands[slot])]).filter(([, text]) => text),
  );
}

/** How far a number has come that is multiplied half way: 0 to 1. */
const stopping = (u, from, to) =>
  0.5 * ease(between(u, from, MEETS[0])) + 0.5 * ease(between(u, MEETS[1], to));

/**
 * What a number is on its way: itself; where it meets the local partial, the product that it becomes, or the map that it
 * goes through; then what comes out.
 */
function multiplied(u, kind, rate, operand, result) {
  const partial = partialOf(operand);
  if (!partial || u < MEETS[0] + 0.03) return [[kind, rate]];
  if (u >= MEETS[1] - 0.02) return [[kind, result]];
  return operand.partial
    ? [[kind, rate], ["op", "×"], inBrackets([kind, partial])]
    : [[kind, partial]];
}

/**
 * The numbers that are on their way at progress `u` of step `s`. `along` is where: 0 at the operand, 1 at the operation,
 * ½ where the local partial stands; `spread` how far the copies of an array are apart; `drop` how far above its box a seed
 * still is; `kind` decides where in its box a number stands, and its colour.
 * @param {Trace} trace @param {number} s @param {number} u
 * @returns {{slot?: number, kind: string, along?: number, drop?: number, spread: number, texts: [kind: string, text: string][]}[]}
 */
export function tokensAt(trace, s, u) {
  const step = trace.steps[s];
  if (!step || u <= 0 || hasLanded(step, u)) return [];
  return { record: recording, forward: pushing, seed: seeding, sweep: sending }[step.phase](
    trace,
    step,
    u,
  );
}

/** Operands are read, one copy for each entry where an array is broadcast. */
function recording(trace, step, u) {
  const along = ease(between(u, 0.02, LANDS.record));
  return moving(trace.lines[step.line]).map(({ slot, value, is_copied }) => ({
    slot,
    kind: "value",
    along,
    spread: is_copied ? between(u, 0.3, 0.5) : 0,
    texts: [["value", inShort(value)]],
  }));
}

/** Forward, a value and its tangent go together; the tangent is multiplied by the local partial. */
function pushing(trace, step, u) {
  const pushes = new Map(step.pushes.map((push) => [push.slot, push]));
  return moving(trace.lines[step.line]).map((operand) => {
    const { slot, line, value, is_copied } = operand;
    const push = pushes.get(slot);
    const rate = tangentsOf(trace, line).map(inShort).join(", ");
    const tangent = push
      ? multiplied(u, "tangent", rate, operand, inShort(push.contribution))
      : [["tangent", rate]];
    return {
      slot,
      kind: "value",
      along: stopping(u, 0.02, LANDS.forward),
      spread: is_copied ? between(u, 0.62, 0.75) : 0,
      texts: [["value", inShort(value)], ...tangent],
    };
  });
}

function seeding(trace, { adjoint }, u) {
  return adjoint
    ? [
        {
          kind: "adjoint",
          drop: 1 - ease(between(u, 0.05, 0.55)),
          spread: 0,
          texts: [["adjoint", inShort(adjoint)]],
        },
      ]
    : [];
}

/** An adjoint goes back to an operand, is multiplied on its way, and is added to what is there. */
function sending(trace, { line, adjoint, sends }, u) {
  return sends.map(({ slot, contribution, before, replaces, copies }) => {
    const texts = multiplied(
      u,
      "adjoint",
      inShort(adjoint),
      trace.lines[line].operands[slot],
      inShort(contribution),
    );
    const sum =
      before && !replaces && u >= 0.82
        ? [["adjoint", inShort(before)], ["op", "+"], ...texts.map(inBrackets)]
        : texts;
    const gathers = copies
      ? between(u, MEETS[0], MEETS[0] + 0.05) * (1 - between(u, MEETS[1], 0.78))
      : 0;
    return {
      slot,
      kind: "adjoint",
      along: 1 - stopping(u, 0.04, 0.82),
      spread: gathers,
      texts: sum,
    };
  });
}

const inBrackets = ([kind, text]) => [kind, text.startsWith("−") ? `(${text})` : text];
const moving = ({ operands }) =>
  operands.map((operand, slot) => ({ ...operand, slot })).filter(({ line }) => line !== null);
