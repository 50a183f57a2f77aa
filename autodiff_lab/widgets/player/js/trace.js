/**
 * A run as Python wrote it: its traces, its modes, and where a stretch of a long run stands in the whole.
 *
 * Every number, formula and sentence of the run comes written from Python (autodiff_lab/trace).
 *
 * @typedef {{text: string, short?: string, shape?: number[], cells?: string}} Num
 * @typedef {{line: number|null, value: Num, partial: Num|null, edge?: string, edge_title?: string, shapes?: string}} Operand
 * @typedef {[source: number, line: number, column: number, endLine: number, endColumn: number]} Span
 * @typedef {[source: number, line: number, n: number, count: number]} Turn
 * @typedef {{kind: "input"|"operation", label: string, symbol: string, shown: string, expression: string,
 *            meaning: string, bar: string, dot: string, stretch: number, operands: Operand[], value: Num, where: Span[], turns: Turn[]}} Line
 * @typedef {{slot: number, parent: number, contribution: Num, after: Num, copies: Num|null, term: string, share: number}} Send
 * @typedef {{slot: number, parent: number, contribution: Num, term: string, share: number}} Push
 * @typedef {[operations: number, products: number, kept: number, bytes: number]} Meter
 * @typedef {[passes: number, operations: number, products: number, kept: number, bytes: number]} Cost
 * @typedef {{phase: "record"|"forward"|"seed"|"sweep", line: number, adjoint: Num|null, sends: Send[], tangents: Num[], pushes: Push[],
 *            sentence: string, equations: [form: string, pieces: string[]][], meter: Meter, released: number[], questions: Question[]}} Step
 * @typedef {{kind: "value"|"partial"|"adjoint"|"tangent", ask: string, answer: Num, mistakes: [kind: string, value: number][]}} Question
 * @typedef {{mode: "reverse"|"forward"|"both", title: string, note: string, opening: string, result: number|null,
 *            result_name: string, sources: {name: string, first_line: number, text: string[], ran?: number[]}[],
 *            fault: string, badge: string, warning: string, truth: (Num|null)[], directions: {name: string, shown: string}[], lines: Line[], steps: Step[], cost: Cost|null}} Trace
 * @typedef {{x: number, y: number, w: number, h: number}} Box
 * @typedef {{width: number, height: number, nodes: Object<string, Box>,
 *            edges: Object<string, {path: string, label: {x: number, y: number}, shapes?: string}>}} Layout
 */

import { speaker } from "./speech.js";

/**
 * A trace as Python wrote it: what is left out has its default, and a number is its place in the list of numbers.
 * @param {object} data @param {object} [base] the trace that says what `data` leaves out, and has its first numbers
 * @returns {Trace}
 */
export function read(data, base) {
  const whole = base
    ? { ...base, ...data, numbers: [...base.numbers.slice(0, data.from), ...data.numbers] }
    : data;
  const number = (place) => (place === undefined || place === null ? null : whole.numbers[place]);
  return {
    mode: "reverse",
    note: "",
    opening: "",
    result_name: "y",
    result: null,
    directions: [],
    cost: null,
    fault: "",
    ...whole,
    excerpt: whole.excerpt && {
      said: "",
      later: "",
      before: [],
      ...whole.excerpt,
      arrived: (whole.excerpt.arrived ?? []).map(number),
    },
    truth: (whole.truth ?? []).map(number),
    hints: new Map(whole.hints ?? []),
    lines: whole.lines.map((line) => ({
      label: "",
      called: "",
      occurrence: 0,
      reading: line.meaning,
      where: [],
      turns: [],
      stretch: 0,
      ...line,
      value: number(line.value),
      operands: (line.operands ?? []).map((operand) => ({
        ...operand,
        value: number(operand.value),
        partial: number(operand.partial),
      })),
    })),
    steps: whole.steps.map((step) => ({
      released: [],
      sentence: "",
      arithmetic: null,
      ...step,
      questions: (step.questions ?? []).map((question) => ({
        mistakes: [],
        ...question,
        answer: number(question.answer),
      })),
      adjoint: number(step.adjoint),
      tangents: (step.tangents ?? []).map(number),
      pushes: (step.pushes ?? []).map((push) => ({
        share: 0,
        ...push,
        contribution: number(push.contribution),
      })),
      sends: (step.sends ?? []).map((send) => ({
        share: 0,
        ...send,
        contribution: number(send.contribution),
        after: number(send.after),
        before: number(send.before),
        copies: number(send.copies),
      })),
    })),
  };
}

/**
 * The traces of a payload: the run in reverse, and forward by direction.
 * @returns {{reverse: Trace, forward: Object<string, Trace>}}
 */
export function readAll(payload) {
  const say = speaker(payload.words);
  const forward = (payload.forward ?? []).map((data) => [
    data.name,
    { ...read(data, payload.trace), say },
  ]);
  return { reverse: { ...read(payload.trace), say }, forward: Object.fromEntries(forward) };
}

/** What a mode shows: one run, or the run forward with the sweep behind it. @returns {Trace} */
export function chosen({ reverse, forward }, mode, direction) {
  const pushed = forward[direction];
  if (mode === "reverse" || !pushed)
    return { ...reverse, costs: [["reverse", reverse.cost]], meters: [reverse.steps] };
  if (mode === "forward")
    return { ...pushed, costs: [["forward", pushed.cost]], meters: [pushed.steps] };
  const back = reverse.steps.slice(reverse.lines.length);
  const steps = [...pushed.steps.map((step) => ({ ...step, released: [] })), ...back]; // the tape forgets nothing
  const last = steps.at(-1);
  if (pushed.agreement && back.length)
    steps[steps.length - 1] = { ...last, equations: [...last.equations, pushed.agreement] };
  return {
    ...pushed,
    mode: "both",
    note: reverse.note,
    steps,
    costs: [
      ["forward", pushed.cost],
      ["reverse", reverse.cost],
    ],
    meters: [pushed.steps, reverse.steps],
  };
}

/** How many lines of the whole run are inputs: they are there from the start, so their steps are none to stop at. @param {Trace} trace */
export const inputsOf = ({ excerpt, chapters, lines }) =>
  excerpt ? chapters[0][1] : lines.filter(({ kind }) => kind === "input").length;

/** The step of the whole run to stop at for `next`: the inputs are the start, −1. */
export const clampStop = (trace, next) => {
  const step = Math.min(stepsOf(trace) - 1, Math.trunc(next));
  return step < inputsOf(trace) ? -1 : step;
};

/** The stop that is `by` steps after `from`. */
export const stopAfter = (trace, from, by) =>
  by > 0 ? Math.max(from + by, inputsOf(trace)) : from + by;

/** How many steps each phase has. */
export function phaseLengths(trace) {
  if (trace.excerpt)
    return {
      record: trace.excerpt.lines,
      forward: 0,
      seed: 1,
      sweep: Math.max(0, trace.excerpt.steps - trace.excerpt.lines - 1),
    };
  const count = { record: 0, forward: 0, seed: 0, sweep: 0 };
  for (const step of trace.steps) count[step.phase] += 1;
  return count;
}

/** What the scrubber shows: each phase with its length; a recorded sweep is a phase of its own. @returns {[name: string, length: number][]} */
export function segmentsOf(trace) {
  const segments = [];
  const inputs = inputsOf(trace);
  if (trace.excerpt) {
    const { record, ...others } = phaseLengths(trace);
    return Object.entries({ record: record - inputs, ...others }).filter(([, length]) => length);
  }
  for (const { phase, line } of trace.steps.slice(inputs)) {
    const name =
      (phase === "record" || phase === "forward") && trace.lines[line].stretch ? "inner" : phase;
    if (segments.at(-1)?.[0] === name) segments.at(-1)[1] += 1;
    else segments.push([name, 1]);
  }
  return segments;
}

/** A run that is shown whole is an excerpt of itself. */
const WHOLE = { number: 0, before: [], parts: [[0, Infinity, 0]] };

/**
 * A long run is shown a stretch at a time: an excerpt. Where step `s` of the excerpt stands in the whole run; −1 for the start.
 * Steps that only prepare the others have no place of their own.
 * @param {Trace} trace @param {number} s
 */
export function wholeStep({ excerpt = WHOLE }, s) {
  const part = excerpt.parts.find(([first, last]) => first <= s && s <= last);
  return part ? part[2] + s - part[0] : -1;
}

/** The step of this excerpt that is step `at` of the whole run; null if it is in another stretch. @param {Trace} trace @param {number} at */
export function ownStep({ excerpt = WHOLE }, at) {
  if (at < 0) return excerpt.number === 0 ? -1 : null;
  const part = excerpt.parts.find(([first, last, from]) => from <= at && at <= from + last - first);
  return part ? part[0] + at - part[2] : null;
}

/** The line of the whole run that is line `i` of this excerpt; its first lines are from before. @param {Trace} trace @param {number} i */
export function wholeLine({ excerpt = WHOLE }, i) {
  const [first, , at] = excerpt.parts[0];
  return i < first ? excerpt.before[i] : at + i - first;
}

/** The line of this excerpt that is `line` of the whole run; null if it is not here. @param {Trace} trace @param {number} line */
export function ownLine({ excerpt = WHOLE, lines }, line) {
  const [first, , at] = excerpt.parts[0];
  const own = line < at ? excerpt.before.indexOf(line) : first + line - at;
  return own >= 0 && own < lines.length ? own : null;
}

/** How many steps the whole run has. @param {Trace} trace */
export const stepsOf = ({ excerpt, steps }) => excerpt?.steps ?? steps.length;

export const clampStep = (trace, s) =>
  Math.max(-1, Math.min(trace.steps.length - 1, Math.trunc(s)));
