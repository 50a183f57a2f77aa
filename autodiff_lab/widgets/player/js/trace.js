/**
 * Reading a run that Python recorded: its traces, its modes, and the position of an excerpt in a long run.
 *
 * Python (autodiff_lab/trace) formats every number, formula and sentence of the run.
 *
 * @typedef {import("./trace_types.js").Num} Num
 * @typedef {import("./trace_types.js").Trace} Trace
 * @typedef {import("./trace_types.js").Payload} Payload
 * @typedef {import("./trace_types.js").Layout} Layout
 * @typedef {import("./trace_types.js").Cost} Cost
 * @typedef {import("./trace_types.js").Step} Step
 * @typedef {"reverse"|"forward"|"both"} Mode
 * @typedef {Trace & {say: Say, layouts?: Layout[]}} SpokenTrace with the player's phrases, and with
 *   its own layouts if it needs wider boxes
 * @typedef {{reverse: SpokenTrace, forward: Record<string, SpokenTrace>}} Runs
 * @typedef {Omit<SpokenTrace, "mode"> & {mode: Mode, costs: [mode: Mode, cost: Cost | null][], meters: Step[][]}} ShownTrace with
 *   the cost of each mode that is shown, and the steps whose meters add up to it
 * @import { Say } from "./speech.js"
 * @import { Excerpt } from "./trace_types.js"
 */

import { speaker } from "./speech.js";
import { RECORDS } from "./trace_types.js";

/**
 * Reads a trace from its JSON.
 * @param {Record<string, any>} data as Python's `Trace.to_dict` returns it
 * @returns {Trace}
 */
export const read = (data) => readWith(data, readNumbers(data));

/**
 * Reads the numbers of a trace. The JSON lists each number once; records refer to it by its index.
 * @param {Record<string, any>} data @returns {Num[]}
 */
const readNumbers = (data) =>
  data.numbers.map((/** @type {object} */ number) => complete("Num", number, []));

/** @param {Record<string, any>} data @param {Num[]} numbers @returns {Trace} */
function readWith(data, numbers) {
  const trace = complete("Trace", data, numbers);
  delete trace.numbers; // the records hold them now
  return trace;
}

/**
 * Completes a record: names its fields, fills in the defaults that its JSON leaves out, and reads the
 * records inside it.
 * @param {string} type @param {any} data @param {Num[]} numbers @returns {any}
 */
function complete(type, data, numbers) {
  const { order, defaults, inside } = RECORDS[type];
  const given = order ? Object.fromEntries(order.map((name, k) => [name, data[k]])) : data;
  /** @type {Record<string, any>} */
  const record = { ...defaults, ...given };
  for (const [name, kind] of Object.entries(inside)) {
    if (Array.isArray(kind)) {
      record[name] = record[name].map((/** @type {any} */ one) => resolve(kind[0], one, numbers));
    } else {
      record[name] = resolve(kind, record[name], numbers);
    }
  }
  return record;
}

/**
 * Reads a record inside another one; null stays null, and a number is given by its index.
 * @param {string} type @param {any} data @param {Num[]} numbers @returns {any}
 */
function resolve(type, data, numbers) {
  if (data === null) return null;
  return type === "Num" ? numbers[data] : complete(type, data, numbers);
}

/**
 * Reads the traces of a payload: the run in reverse mode, and one run in forward mode for each direction.
 * @param {Payload} payload
 * @returns {Runs}
 */
export function readAll(payload) {
  const say = speaker(payload.words);
  const numbers = readNumbers(payload.trace);
  const forward = (payload.forward ?? []).map(({ name, trace, shared_numbers, layouts }) => {
    const own = [...numbers.slice(0, shared_numbers), ...readNumbers(trace)];
    /** @type {[name: string, run: SpokenTrace]} */
    const run = [name, { ...readWith({ ...payload.trace, ...trace }, own), say, layouts }];
    return run;
  });
  return {
    reverse: { ...readWith(payload.trace, numbers), say },
    forward: Object.fromEntries(forward),
  };
}

/**
 * The trace that a mode shows: a single run, or in mode "both" the forward run followed by the sweep.
 * @param {Runs} runs @param {Mode} mode @param {string} direction
 * @returns {ShownTrace}
 */
export function chosen({ reverse, forward }, mode, direction) {
  const pushed = forward[direction];
  if (mode === "reverse" || !pushed)
    return {
      ...reverse,
      mode: "reverse",
      costs: [["reverse", reverse.cost]],
      meters: [reverse.steps],
    };
  if (mode === "forward")
    return {
      ...pushed,
      mode: "forward",
      costs: [["forward", pushed.cost]],
      meters: [pushed.steps],
    };
  const back = reverse.steps.slice(reverse.lines.length);
  // The sweep needs every line, so the forward run doesn't free any.
  const kept = pushed.steps.map((step) => ({ ...step, freed_lines: [] }));
  const steps = [...kept, ...back];
  const last = steps.at(-1);
  if (pushed.agreement && back.length && last)
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

/**
 * How many lines of the whole run are inputs. They exist from the start, so the player doesn't stop
 * at their steps.
 * @param {Pick<Trace, "excerpt"|"chapters"|"lines">} trace
 */
export const inputsOf = ({ excerpt, chapters, lines }) =>
  excerpt ? chapters[0].first : lines.filter(({ kind }) => kind === "input").length;

/**
 * The step of the whole run to stop at for `next`; −1, the start, if `next` is the step of an input.
 * @param {Pick<Trace, "excerpt"|"chapters"|"lines"|"steps">} trace @param {number} next
 */
export const clampStop = (trace, next) => {
  const step = Math.min(stepsOf(trace) - 1, Math.trunc(next));
  return step < inputsOf(trace) ? -1 : step;
};

/**
 * The stop that is `by` steps after `from`.
 * @param {Pick<Trace, "excerpt"|"chapters"|"lines"|"steps">} trace @param {number} from
 * @param {number} by
 */
export const stopAfter = (trace, from, by) =>
  by > 0 ? Math.max(from + by, inputsOf(trace)) : from + by;

/**
 * How many steps each phase has.
 * @param {Pick<Trace, "excerpt"|"steps">} trace
 * @returns {Record<Step["phase"], number>}
 */
export function phaseLengths(trace) {
  if (trace.excerpt) {
    const { steps, lines, seeds } = trace.excerpt;
    const sweep = Math.max(0, steps - lines - seeds);
    return { record: lines, forward: 0, seed: seeds, sweep };
  }
  const count = { record: 0, forward: 0, seed: 0, sweep: 0 };
  for (const step of trace.steps) count[step.phase] += 1;
  return count;
}

/**
 * The segments of the scrubber: each phase with its length. A recorded sweep is a separate segment.
 * @param {Pick<Trace, "excerpt"|"chapters"|"lines"|"steps">} trace
 * @returns {[name: string, length: number][]}
 */
export function segmentsOf(trace) {
  /** @type {[name: string, length: number][]} */
  const segments = [];
  const inputs = inputsOf(trace);
  if (trace.excerpt) {
    const { record, ...others } = phaseLengths(trace);
    return Object.entries({ record: record - inputs, ...others }).filter(([, length]) => length);
  }
  for (const { phase, line } of trace.steps.slice(inputs)) {
    const isComputed = phase === "record" || phase === "forward";
    const isInner = isComputed && trace.lines[line].sweep_id > 0; // a recorded sweep
    const name = isInner ? "inner" : phase;
    const latest = segments.at(-1);
    if (latest?.[0] === name) latest[1] += 1;
    else segments.push([name, 1]);
  }
  return segments;
}

/**
 * The excerpt of a short run: the whole of it.
 * @type {Pick<Excerpt, "number"|"before"|"parts">}
 */
const WHOLE = { number: 0, before: [], parts: [{ first: 0, last: Infinity, at: 0 }] };

/**
 * The step of the whole run that is step `s` of this excerpt; −1 for the start. (A long run is shown
 * one excerpt at a time.) Steps that only prepare the excerpt count as the start.
 * @param {Pick<Trace, "excerpt">} trace @param {number} s
 */
export function wholeStep({ excerpt }, s) {
  const part = (excerpt ?? WHOLE).parts.find(({ first, last }) => first <= s && s <= last);
  return part ? part.at + s - part.first : -1;
}

/**
 * The step of this excerpt that is `step` of the whole run; null if it is in another excerpt.
 * @param {Pick<Trace, "excerpt">} trace @param {number} step
 */
export function ownStep({ excerpt }, step) {
  const { number, parts } = excerpt ?? WHOLE;
  if (step < 0) return number === 0 ? -1 : null;
  const part = parts.find(({ first, last, at }) => at <= step && step <= at + last - first);
  return part ? part.first + step - part.at : null;
}

/**
 * Whether a trace contains this step of the whole run.
 * @param {Record<string, any>} data the trace's JSON @param {number} step
 */
export const hasStep = (data, step) => ownStep(read(data), step) !== null;

/**
 * The line of the whole run that is line `i` of this excerpt. The first lines of an excerpt come from
 * earlier ones.
 * @param {Pick<Trace, "excerpt">} trace @param {number} i
 */
export function wholeLine({ excerpt }, i) {
  const { before, parts } = excerpt ?? WHOLE;
  const { first, at } = parts[0];
  return i < first ? before[i] : at + i - first;
}

/**
 * The line of this excerpt that is `line` of the whole run; null if this excerpt doesn't have it.
 * @param {Pick<Trace, "excerpt"|"lines">} trace @param {number} line
 */
export function ownLine({ excerpt, lines }, line) {
  const { before, parts } = excerpt ?? WHOLE;
  const { first, at } = parts[0];
  const own = line < at ? before.indexOf(line) : first + line - at;
  return own >= 0 && own < lines.length ? own : null;
}

/** How many steps the whole run has. @param {Pick<Trace, "excerpt"|"steps">} trace */
export const stepsOf = ({ excerpt, steps }) => excerpt?.steps ?? steps.length;

/**
 * The step of this excerpt that is nearest to `s`; −1 is the start.
 * @param {Pick<Trace, "steps">} trace @param {number} s
 */
export const clampStep = (trace, s) =>
  Math.max(-1, Math.min(trace.steps.length - 1, Math.trunc(s)));
