/**
 * What a run shows at a moment, as pure functions that need no browser.
 *
 * A moment is a step and the progress of its motion, 0 to 1. Everything shown is a function of these, so stepping
 * back works exactly like stepping forward, and a film is a list of moments. Until a motion lands (see `motion.js`),
 * values and adjoints are those of the previous step.
 *
 * @import { Mode, ShownTrace as Trace } from "./trace.js"
 * @import { Cost, Equation, Meter, Num, Step } from "./trace_types.js"
 */

import { counted } from "./speech.js";
import { phaseLengths, wholeStep } from "./trace.js";
import { EQUATION_KINDS } from "./trace_types.js";

/**
 * @typedef {[kind: string, text: string]} Piece of a line of arithmetic; the kind decides the
 *   colour
 */
/** @typedef {{step: number, adjoint: Num}[]} AdjointChanges of one line, in order */
/**
 * @typedef {{step: number, number: Num, lostAt?: number}} SentTo one line; `lostAt` is where a
 *   faulty engine overwrites it
 */
/** @typedef {{recorded: boolean, released: boolean, swept: boolean, classes: string}} Mark */
/**
 * A trace with everything that is computed once for it, so that any step is cheap to show.
 * @typedef {object} Run
 * @property {Trace} trace
 * @property {number[]} sweptAt for each line the last step that sends its adjoint
 * @property {number[][]} sentAt for each line all steps that send its adjoint
 * @property {number[]} releasedAt for each line the step that frees it
 * @property {Record<Phase, number>} phases how many steps each has
 * @property {AdjointChanges[]} history for each line
 * @property {SentTo[][]} contributions for each line
 * @property {number} first the first step of the sweep
 */
/** @typedef {Step["phase"]} Phase */

/** The text of an adjoint without any contribution yet; an adjoint that is 0 is shown as "0". */
export const NOT_REACHED = "·";

/**
 * For every line, the steps at which its adjoint changes.
 * @param {Trace} trace @returns {AdjointChanges[]}
 */
export function adjointHistory(trace) {
  /** @type {AdjointChanges[]} */
  const history = trace.lines.map(() => []);
  trace.steps.forEach((step, s) => {
    const isSeed = step.phase === "seed";
    if (isSeed && step.adjoint) history[step.line].push({ step: s, adjoint: step.adjoint });
    // In an excerpt of a long run, the seed step stands for everything that later excerpts sent.
    const arrived = isSeed && !step.adjoint ? (trace.excerpt?.arrived ?? []) : [];
    for (const [line, adjoint] of arrived.entries()) {
      if (adjoint) history[line].push({ step: s, adjoint });
    }
    for (const send of step.sends) history[send.parent].push({ step: s, adjoint: send.after });
  });
  return history;
}

/**
 * The adjoint a line holds after step `s`, or null before the first contribution.
 * @param {AdjointChanges[]} history @param {number} line @param {number} s
 */
export function adjointAt(history, line, s) {
  const changes = history[line];
  for (let k = changes.length - 1; k >= 0; k--) if (changes[k].step <= s) return changes[k].adjoint;
  return null;
}

/**
 * The lines that look different at a step: its own, its operands, those it sends to, those it frees.
 * @param {Trace} trace @param {number} s
 */
export function touchedLines(trace, s) {
  const step = trace.steps[s];
  if (!step) return [];
  if (step.phase === "seed") return trace.lines.map((_, i) => i); // from now on, every line shows an adjoint
  const operands = trace.lines[step.line].operands
    .map((o) => o.line)
    .filter((line) => line !== null);
  return [step.line, ...operands, ...step.sends.map((send) => send.parent), ...step.freed_lines];
}

/**
 * The lines that look different at any step from one to another.
 * @param {Trace} trace @param {number} one @param {number} other
 */
export function linesBetween(trace, one, other) {
  const first = Math.max(0, Math.min(one, other));
  const count = Math.abs(other - one) + 1;
  /** @type {number[]} */
  const lines = [];
  for (let s = first; s < first + count; s++) lines.push(...touchedLines(trace, s));
  return lines;
}

/** "5 operations · sweep 2 of 5": where we are, in words. @param {Trace} trace @param {number} s */
export function statusText(trace, s) {
  const { say } = trace;
  const operations = counted(say, "status operations", operationsIn(trace));
  const step = trace.steps[s];
  const lengths = phaseLengths(trace);
  if (!step) {
    const where = say(lengths.forward ? "nothing computed" : "nothing recorded");
    return say("status", { operations, where });
  }
  const n = step.phase === "sweep" ? sweepStepsUpTo(trace, s) : wholeStep(trace, s) + 1;
  const where = say(`status ${step.phase}`, { n, count: lengths[step.phase] });
  const iterations = trace.lines[step.line].turns.map(({ n, count }) =>
    say("iteration", { n, count }),
  );
  const turns = iterations.join(say("separator"));
  const place = turns ? say("status in iteration", { where, turns }) : where;
  return say("status", { operations, where: place });
}

/** How many operations the whole run has. @param {Trace} trace */
function operationsIn(trace) {
  if (trace.excerpt) return trace.cost?.operations ?? 0;
  return trace.lines.filter(({ kind }) => kind === "operation").length;
}

/** How many steps of the sweep there are up to step `s`, in the whole run. @param {Trace} trace @param {number} s */
function sweepStepsUpTo(trace, s) {
  if (!trace.excerpt)
    return trace.steps.slice(0, s + 1).filter(({ phase }) => phase === "sweep").length;
  const { record, seed } = phaseLengths(trace);
  return wholeStep(trace, s) + 1 - record - seed;
}

/**
 * The sentence of step `s`, or of the start: first what the step will do, and once it has landed, what it did.
 * @param {Trace} trace @param {number} s @param {boolean} [hasLanded]
 */
export function sentenceAt(trace, s, hasLanded = true) {
  if (s < 0) return trace.opening;
  const { announcement, outcome, sentence } = trace.steps[s];
  return (hasLanded ? outcome : announcement) || sentence;
}

/** The pieces of one line of arithmetic. @param {Equation} equation @returns {Piece[]} */
function piecesOf({ form, pieces }) {
  let used = 0;
  return [...form].map((letter) => {
    const kind = EQUATION_KINDS[letter];
    return kind ? [kind, pieces[used++]] : ["op", ` ${letter} `];
  });
}

/**
 * The arithmetic of step `s` in symbols: a list of lines.
 * @param {Pick<Trace, "steps">} trace @param {number} s
 */
export const equationsAt = (trace, s) => (trace.steps[s]?.equations ?? []).map(piecesOf);

/**
 * The single line of arithmetic that a step shows, in numbers and in the learner's variable names. At the start
 * it's the headline of the run, if there is one.
 * @param {Trace} trace @param {number} s
 */
export function arithmeticAt(trace, s) {
  const arithmetic = s < 0 ? trace.headline : trace.steps[s]?.arithmetic;
  return arithmetic ? piecesOf(arithmetic) : (equationsAt(trace, s)[0] ?? []);
}

/** @type {Meter} */
const NOTHING_SPENT = { operations: 0, products: 0, kept: 0, bytes: 0 };

/**
 * The cost of each mode up to step `s`; after a mode's last step, its cost no longer changes.
 * @param {Trace} trace @param {number} s @returns {[mode: Mode, now: Meter, whole: Cost|null][]}
 */
export const metersAt = (trace, s) =>
  trace.costs.map(([mode, cost], k) => {
    const steps = trace.meters[k];
    const meter = s < 0 ? null : steps[Math.min(s, steps.length - 1)].meter;
    return [mode, meter ?? NOTHING_SPENT, cost];
  });

/**
 * Computes everything that's needed to show any step of a trace.
 * @param {Trace} trace @returns {Run}
 */
export function runOf(trace) {
  const sweptAt = trace.lines.map(() => Infinity);
  /** @type {number[][]} */
  const sentAt = trace.lines.map(() => []);
  const releasedAt = trace.lines.map(() => Infinity);
  trace.steps.forEach((step, k) => {
    if (step.phase === "sweep") {
      sweptAt[step.line] = k;
      sentAt[step.line].push(k);
    }
    for (const line of step.freed_lines) releasedAt[line] = k;
  });
  const phases = phaseLengths({ steps: trace.steps, excerpt: null });
  return {
    trace,
    sweptAt,
    sentAt,
    releasedAt,
    phases,
    history: adjointHistory(trace),
    contributions: contributionsOf(trace),
    first: phases.record + phases.forward,
  };
}

/**
 * For every line, the contributions to its adjoint, in order; `lostAt` is where a faulty engine overwrites it.
 * @param {Trace} trace @returns {SentTo[][]}
 */
export function contributionsOf(trace) {
  /** @type {SentTo[][]} */
  const contributions = trace.lines.map(() => []);
  trace.steps.forEach((step, s) => {
    for (const { parent, contribution, replaces } of step.sends) {
      if (replaces) for (const one of contributions[parent]) one.lostAt ??= s;
      contributions[parent].push({ step: s, number: contribution });
    }
  });
  return contributions;
}

/**
 * The terms whose sum is the adjoint of a line after step `s`: its seed, if it has one, and the
 * contributions so far.
 * @param {Run} run @param {number} line @param {number} s
 * @returns {Num[]}
 */
export function termsAt({ trace, contributions, first }, line, s) {
  if (s < first) return [];
  const seeds = seedsOf(trace, first, line, s);
  const sent = contributions[line]
    .filter(({ step, lostAt = Infinity }) => step <= s && s < lostAt)
    .map(({ number }) => number);
  return [...seeds, ...sent];
}

/**
 * The seeds of a line at step `s`: those of a result, or the adjoint that it received from later lines of a long run.
 * @param {Trace} trace @param {number} first the first step of the sweep @param {number} line @param {number} s
 * @returns {Num[]}
 */
function seedsOf(trace, first, line, s) {
  const arrived = trace.excerpt?.arrived[line];
  if (arrived) return [arrived];
  if (trace.seeds.length) {
    const landed = trace.steps.slice(first, s + 1).filter(({ phase }) => phase === "seed");
    const known = trace.seeds.slice(0, landed.length);
    return known.filter((one) => one.line === line).map(({ seed }) => seed);
  }
  const { adjoint } = trace.steps[first];
  return line === trace.result && adjoint ? [adjoint] : [];
}

/** Whether a line is a result that is differentiated. @param {Trace} trace @param {number} i */
export const isResultLine = ({ result, seeds }, i) =>
  seeds.length ? seeds.some(({ line }) => line === i) : i === result;

/** The lines whose sums step `s` changes. @param {Trace} trace @param {number} s */
export function receivers(trace, s) {
  const step = trace.steps[s];
  if (!step || step.phase === "record") return [];
  return step.phase === "sweep" ? [...new Set(step.sends.map((send) => send.parent))] : [step.line];
}

/**
 * The widths of the edges into a line, by slot: the size of what came along them up to step `s`, as
 * a share of the largest of the run.
 * @param {Run} run @param {number} line @param {number} s
 */
export function sharesAt({ trace, sentAt, first }, line, s) {
  const steps = s < first ? [line] : sentAt[line];
  /** @type {Map<number, number>} */
  const shares = new Map();
  for (const k of steps) {
    if (k > s) continue;
    const { phase, pushes, sends } = trace.steps[k];
    const carried = phase === "forward" ? pushes : sends;
    for (const { slot, share } of carried) shares.set(slot, share);
  }
  return shares;
}

/**
 * The tangents of a line, one for each direction; none in reverse mode. (Step i computes line i.)
 * @param {Trace} trace @param {number} line
 */
export const tangentsOf = (trace, line) => trace.steps[line]?.tangents ?? [];

/** @type {Record<Phase, string>} */
const COLORS = {
  record: "on-value",
  forward: "on-tangent",
  seed: "on-adjoint",
  sweep: "on-adjoint",
};

/**
 * Whether a step computes its line from its operands. Other steps send adjoints to the operands.
 * @param {Step} step
 */
export const isAhead = ({ phase }) => phase === "record" || phase === "forward";

/**
 * The state of a line at step `s`, and its CSS classes. `told` is the last step that has landed: `s`, or the
 * previous one while `s` moves.
 * @param {Run} run @param {number} line @param {number} s @param {number} [told] @returns {Mark}
 */
export function markAt({ trace, sweptAt, releasedAt, first }, line, s, told = s) {
  const step = trace.steps[s];
  const recorded = line < Math.min(told + 1, first);
  const classes = recorded ? [] : ["is-ahead"];
  if (step) {
    const color = COLORS[step.phase];
    const partner = isAhead(step)
      ? trace.lines[step.line].operands.some((o) => o.line === line)
      : step.sends.some((send) => send.parent === line);
    if (step.line === line) classes.push("is-current", color);
    else if (partner) classes.push("is-operand", color);
    else if (s > sweptAt[line]) classes.push("is-swept");
  }
  const released = told >= releasedAt[line];
  if (released) classes.push("is-released");
  return { recorded, released, swept: s >= first, classes: classes.join(" ") };
}
