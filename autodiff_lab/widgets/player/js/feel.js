/**
 * What a learner sees when a slider moves: how far the result has moved, and how far the adjoint predicted that it would.
 * Pure functions, which need no browser.
 *
 * @import { State } from "./state.js"
 * @import { SpokenTrace } from "./trace.js"
 * @import { Payload } from "./trace_types.js"
 */

import { writeNumber } from "./numbers.js";
import { momentOf, runsAt, traceAt } from "./state.js";

/**
 * A slider that has been moved, and what the player showed before.
 * @typedef {object} Felt
 * @property {number} index of the slider
 * @property {number} from where it stood
 * @property {Payload} before
 * @property {boolean} isResting whether the hand has come to rest
 * @property {boolean} isFaint whether it rests for so long that the old values are forgotten
 */
/**
 * The line that says what has moved.
 * @typedef {{moved: string, forecast: string}} Change `forecast` is empty before the adjoint has been shown
 */

const DIGITS = 3; // of a change: the forecast is about as good as that

/** @param {number} x */
const inShort = (x) => writeNumber(Number(x.toPrecision(DIGITS)));
/** @param {number} x */
const signed = (x) => (x > 0 ? `+${inShort(x)}` : inShort(x));
/** @param {string} text */
const inBrackets = (text) => (text.startsWith("−") ? `(${text})` : text);

/**
 * A hand moves a slider: a film that plays gives way to it. As long as the hand stays at the slider, the values are those
 * from before it began.
 * @param {State} state @param {number} index
 * @returns {State}
 */
export function touched(state, index) {
  const { felt, payload, controls } = state;
  const goesOn = felt?.index === index && !felt.isFaint;
  const { from, before } = goesOn ? felt : { from: controls[index].value, before: payload };
  return { ...state, felt: { index, from, before, isResting: false, isFaint: false } };
}

/** The hand rests, or rests for long. @param {State} state @param {Partial<Felt>} news @returns {State} */
export const rested = (state, news) =>
  state.felt ? { ...state, felt: { ...state.felt, ...news } } : state;

/** The run in reverse as it was before the slider moved, and as it is. @param {State} state */
function tracesOf(state) {
  if (!state.felt || state.error || state.felt.before === state.payload) return null;
  const before = runsAt({ ...state, payload: state.felt.before }).reverse;
  return { before, now: runsAt(state).reverse };
}

/** The number of a line; NaN if it is an array. @param {SpokenTrace} trace @param {number} line */
function numberOf(trace, line) {
  const { value } = trace.lines[line].value;
  return typeof value === "number" ? value : NaN;
}

/** @param {SpokenTrace} trace */
const inputsIn = ({ lines }) => lines.flatMap(({ kind }, line) => (kind === "input" ? [line] : []));

/** The last step that sends to a line. @param {Pick<SpokenTrace, "steps">} trace @param {number} line */
const lastSendTo = ({ steps }, line) =>
  steps.findLastIndex(({ sends }) => sends.some(({ parent }) => parent === line));

/**
 * How far the result has moved with the slider, in words; null if nothing of the kind can be said: another input has moved
 * too, or the result is an array.
 * @param {State} state
 * @returns {Change|null}
 */
export function changeAt(state) {
  const traces = tracesOf(state);
  const name = state.controls[state.felt?.index ?? -1]?.name;
  if (!traces || name === undefined) return null;
  const { before, now } = traces;
  const inputs = inputsIn(before);
  const line = inputs.find((i) => before.lines[i].label === name);
  const others = inputs.filter((i) => i !== line);
  const isAlone = others.every((i) => before.lines[i].value.text === now.lines[i]?.value.text);
  if (line === undefined || !isAlone || now.lines[line]?.label !== name) return null;
  const dx = numberOf(now, line) - numberOf(before, line);
  if (!Number.isFinite(dx) || dx === 0) return null;
  const y = now.value.value;
  const old = before.value.value;
  if (typeof y !== "number" || typeof old !== "number") return null;
  const slots = { name, dx: signed(dx), result: now.result_name, dy: signed(y - old) };
  const moved = now.say("felt", slots);
  const forecast = hasShownAdjoint(state, line) ? forecastOf(before, line, dx) : "";
  return { moved, forecast };
}

/** Whether all that a line is sent has arrived. @param {State} state @param {number} line */
function hasShownAdjoint(state, line) {
  const last = lastSendTo(traceAt(state), line);
  return last >= 0 && momentOf(state).landed >= last;
}

/**
 * How far the result moves according to the adjoint of an input, in words.
 * @param {SpokenTrace} before @param {number} line @param {number} dx
 */
function forecastOf(before, line, dx) {
  const last = before.steps[lastSendTo(before, line)];
  const adjoint = last?.sends.find(({ parent }) => parent === line)?.after;
  if (typeof adjoint?.value !== "number") return "";
  return before.say("felt adjoint", {
    adjoint: adjoint.text,
    dx: inBrackets(inShort(dx)),
    product: inShort(adjoint.value * dx),
  });
}

/** @type {WeakMap<Payload, WeakMap<Payload, Map<number, string>>>} */
const ghosts = new WeakMap();
/** @type {Map<number, string>} */
const NONE = new Map();

/**
 * The old values of the lines that have another one now, as texts.
 * @param {State} state
 * @returns {Map<number, string>}
 */
export function ghostsAt(state) {
  const traces = tracesOf(state);
  if (!traces || !state.felt) return NONE;
  const from = ghosts.get(state.felt.before) ?? new WeakMap();
  ghosts.set(state.felt.before, from);
  const known = from.get(state.payload);
  if (known) return known;
  const { before, now } = traces;
  const found = new Map();
  const isComparable = before.lines.length === now.lines.length;
  const lines = isComparable ? before.lines : [];
  for (const [line, { value }] of lines.entries()) {
    const hasChanged = value.text !== now.lines[line].value.text;
    if (hasChanged) found.set(line, value.short || value.text);
  }
  from.set(state.payload, found);
  return found;
}
