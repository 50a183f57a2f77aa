/**
 * The state of a player and its transitions: pure functions, which need no browser.
 *
 * The state holds only what can't be derived from anything else: what Python sent, and what the learner chose. Everything
 * else is derived from it (`runAt`, `momentOf`). A transition takes a state and returns the next one.
 *
 * @import { Felt } from "./feel.js"
 * @import { Group, KeptGroups } from "./graph/groups.js"
 * @import { Moment } from "./moment.js"
 * @import { Prediction, Score } from "./predict/questions.js"
 * @import { Run } from "./run.js"
 * @import { Mode, Runs, ShownTrace as Trace } from "./trace.js"
 * @import { Layout, Payload } from "./trace_types.js"
 */

import { groupsOf, holding, leftBehind } from "./graph/groups.js";
import { momentAt } from "./moment.js";
import { noPrediction, turned } from "./predict/questions.js";
import { runOf } from "./run.js";
import {
  chosen,
  clampStep,
  clampStop,
  hasStep,
  inputsOf,
  ownStep,
  readAll,
  stepsOf,
  stopAfter,
  wholeLine,
  wholeStep,
} from "./trace.js";

/**
 * @typedef {{name: string, min: number, max: number, step: number, value: number, text?: string}}
 *   Control a slider
 */
/**
 * @typedef {{line: number, slot?: number, parent?: number, hasFocus?: boolean}} Target a line, or with `slot` the edge
 *   into it; `hasFocus` if it has the keyboard focus
 */
/**
 * @typedef {{open: boolean, names: boolean, source: boolean, speed: number}} Details the settings in
 *   the details panel, and whether it is open
 */
/**
 * How the learner has zoomed and moved the graph.
 * @typedef {{scale: number|null, isHeld: boolean, isWhole: boolean}} Lens `scale`: null if the pane chooses it; `isHeld`:
 *   the pane stays where the learner has moved it; `isWhole`: the whole graph is shown, as small as that needs
 */
/**
 * @typedef {object} State
 * @property {Payload} payload what Python sent
 * @property {Mode} mode the mode asked for; a run may not have it
 * @property {string} direction the direction asked for; it may only come with the next payload
 * @property {number} step the step that is shown, counted in this excerpt
 * @property {number} arrivals how many times a step has been shown; the panes scroll whenever it changes, also for the
 *   same step
 * @property {number} progress how far the step's motion has come, from 0 to 1
 * @property {boolean} isRunning whether the clock advances `progress`
 * @property {boolean} isPlaying whether the next step follows automatically
 * @property {number|null} wanted a step of another excerpt, until that excerpt has arrived
 * @property {boolean} canFetch whether other excerpts can be requested from Python
 * @property {string} notice why a step is not shown
 * @property {string} error why inputs could not be recorded
 * @property {Control[]} controls
 * @property {number[]} custom the input rates of the learner's own direction
 * @property {string} scale "lecture" in a lecture hall
 * @property {Details} details
 * @property {Lens} lens
 * @property {KeptGroups} groups the groups that the learner has opened and closed
 * @property {Target|null} hover what the pointer or the focus is on
 * @property {{line: number, slice: number}|null} entries the array whose entries are shown in a table
 * @property {Felt|null} felt the slider that was moved last
 * @property {Prediction} prediction
 */
/**
 * A run with the layouts and groups of its graph.
 * @typedef {Run & {runs: Runs, layouts: Layout[], whole?: Layout, root: Group, allGroups: Group[]}} ShownRun
 */

/** @type {WeakMap<Payload, Runs>} */
const runsRead = new WeakMap();
/** @type {WeakMap<Payload, Map<string, ShownRun>>} */
const runsShown = new WeakMap();
/** @type {WeakMap<State, Moment>} */
const moments = new WeakMap();

/** The runs of a payload. @param {Pick<State, "payload">} state @returns {Runs} */
export function runsAt({ payload }) {
  const runs = runsRead.get(payload) ?? readAll(payload);
  runsRead.set(payload, runs);
  return runs;
}

/** The direction asked for, or the first one if the payload doesn't have it. @param {State} state */
export function directionAt(state) {
  const { forward } = runsAt(state);
  if (state.direction in forward) return state.direction;
  return Object.keys(forward)[0] ?? "";
}

/**
 * The run that a state shows. The same payload, mode and direction always give the same object, so
 * callers may compare runs with `===`.
 * @param {State} state
 * @returns {ShownRun}
 */
export function runAt(state) {
  const { payload, mode } = state;
  const direction = directionAt(state);
  const shown = runsShown.get(payload) ?? new Map();
  runsShown.set(payload, shown);
  const key = `${mode} ${direction}`;
  if (!shown.has(key)) {
    const runs = runsAt(state);
    const trace = chosen(runs, mode, direction);
    const layouts = trace.layouts ?? payload.layouts;
    const { root, all } = groupsOf(trace, layouts[0], payload.whole);
    shown.set(key, { ...runOf(trace), runs, layouts, whole: payload.whole, root, allGroups: all });
  }
  return shown.get(key);
}

/** @param {State} state @returns {Trace} */
export const traceAt = (state) => runAt(state).trace;

/** The moment that a state shows. @param {State} state @returns {Moment} */
export function momentOf(state) {
  const moment = moments.get(state) ?? momentAt(runAt(state), state.step, state.progress);
  moments.set(state, moment);
  return moment;
}

/** The step of the whole run that is shown; −1 at the start. @param {State} state */
export const stopOf = (state) => momentOf(state).at;

/** The step of the whole run after the one that is shown. @param {State} state */
export const nextStop = (state) => stopAfter(traceAt(state), stopOf(state), 1);

/** The next step, counted in this excerpt; −1 if it is in another excerpt. @param {State} state */
export const nextStep = (state) => ownStep(traceAt(state), nextStop(state)) ?? -1;

/** @param {State} state */
export const isAtEnd = (state) => stopOf(state) >= stepsOf(traceAt(state)) - 1;

/** Whether the step that is shown belongs to the sweep (the backward pass). @param {State} state */
export function isSweeping(state) {
  const phase = traceAt(state).steps[state.step]?.phase;
  return phase === "seed" || phase === "sweep";
}

/**
 * The state in which a player starts.
 * @param {Payload} payload
 * @param {Partial<State> & {step?: number, predict?: boolean, score?: Score}} given
 * @returns {State}
 */
export function initialState(payload, { step = -1, predict = false, score, ...given }) {
  /** @type {State} */
  const empty = {
    payload,
    mode: "reverse",
    direction: "",
    step: -1,
    arrivals: 0,
    progress: 1,
    isRunning: false,
    isPlaying: false,
    wanted: null,
    canFetch: false,
    notice: "",
    error: "",
    controls: [],
    custom: [],
    scale: "",
    details: { open: false, names: false, source: true, speed: 1 },
    lens: { scale: null, isHeld: false, isWhole: false },
    groups: { opened: new Set(), shut: new Set() },
    hover: null,
    entries: null,
    felt: null,
    prediction: noPrediction(score),
    ...given,
  };
  const trace = traceAt(empty);
  const begun = shown(empty, trace.excerpt?.parts[0].first ?? -1);
  const state = sought(begun, step);
  if (!predict) return state;
  return { ...state, prediction: turned(state.prediction, traceAt(state), true) };
}

/**
 * Shows a step of this excerpt: with `moves` from the beginning of its motion, provided it is the
 * step after the one shown now; otherwise its result at once.
 * @param {State} state @param {number} next @param {boolean} [moves]
 * @returns {State}
 */
export function shown(state, next, moves = false) {
  const run = runAt(state);
  const { trace } = run;
  let step = clampStep(trace, next);
  const isStart = clampStop(trace, wholeStep(trace, step)) < 0;
  const isFirstStretch = !trace.excerpt?.number;
  if (isStart && isFirstStretch) step = inputsOf(trace) - 1; // the inputs are there from the start
  const isMoving = moves && step === state.step + 1;
  const line = isStart ? undefined : trace.steps[step]?.line;
  const around = line === undefined ? [] : holding(run.root, wholeLine(trace, line));
  return {
    ...state,
    step,
    arrivals: state.arrivals + 1,
    progress: isMoving ? 0 : 1,
    isRunning: isMoving,
    notice: "",
    groups: leftBehind(state.groups, around),
  };
}

/**
 * Shows a step of the whole run. It is in this excerpt, in another one of the payload, or has to be fetched from Python.
 * What the last slider move changed is no longer shown.
 * @param {State} before @param {number} next @param {boolean} [moves] @returns {State}
 */
export function sought(before, next, moves = false) {
  const state = { ...before, felt: null };
  const trace = traceAt(state);
  const isFirst = stopOf(state) < 0 && next === 0; // one step on from the start, past the inputs
  const target = clampStop(trace, isFirst ? nextStop(state) : next);
  const own = ownStep(trace, target);
  if (own !== null) return { ...shown(state, own, moves), wanted: null };

  const { payload } = state;
  const others = payload.others ?? [];
  const other = others.find((one) => hasStep(one.trace, target));
  if (other) {
    const current = { trace: payload.trace, layouts: payload.layouts };
    const rest = others.filter((one) => one !== other);
    const exchanged = { ...payload, ...other, others: [...rest, current] };
    return loaded({ ...state, wanted: target }, exchanged);
  }
  if (state.canFetch) return { ...state, wanted: target };
  return { ...state, wanted: null, notice: payload.no_others ?? "" };
}

/**
 * Shows a new payload, at the step that is wanted or else was shown.
 * @param {State} state @param {Payload} payload
 * @returns {State}
 */
export const loaded = (state, payload) => reshown(state, { ...state, payload });

/**
 * Shows the run in another mode or direction.
 * @param {State} state @param {Mode} mode @param {string} direction
 * @returns {State}
 */
export const inMode = (state, mode, direction) => reshown(state, { ...state, mode, direction });

/**
 * Replaces the run that is shown by another one, and stays at the same step if it has that.
 * @param {State} before
 * @param {State} next a state with the other run
 */
function reshown(before, next) {
  const trace = traceAt(next);
  const excerptBefore = traceAt(before).excerpt;
  const own = ownStep(trace, next.wanted ?? stopOf(before));
  const hasTurned = excerptBefore !== null && excerptBefore.number !== trace.excerpt?.number;
  const first = trace.excerpt?.parts[0].first ?? -1;
  const { on } = next.prediction;
  return {
    ...shown({ ...next, hover: null }, own ?? first),
    wanted: own === null ? next.wanted : null,
    lens: hasTurned ? { ...next.lens, isHeld: false } : next.lens, // another excerpt has another picture
    entries: hasEntries(trace, next.entries?.line) ? next.entries : null,
    prediction: on ? turned(next.prediction, trace, true) : next.prediction,
  };
}

/** Ends the motion of the step that is shown. @param {State} state @returns {State} */
export const finished = (state) => ({ ...state, progress: 1, isRunning: false });

/** Stops playing, and ends the motion. @param {State} state @returns {State} */
export const paused = (state) => ({ ...finished(state), isPlaying: false });

/**
 * Advances the motion by a share of its duration.
 * @param {State} state @param {number} share from 0 to 1
 * @returns {State}
 */
export function moved(state, share) {
  const progress = Math.min(1, state.progress + share);
  return { ...state, progress, isRunning: progress < 1 };
}

/** @param {Trace} trace @param {number|undefined} line */
const hasEntries = (trace, line) =>
  line !== undefined && Boolean(trace.lines[line]?.value.shape?.length);

/**
 * Shows the entries of a line's array in a table. If the line is a number, nothing changes.
 * @param {State} state @param {number} line
 * @returns {State}
 */
export function entriesShown(state, line) {
  if (!hasEntries(traceAt(state), line)) return state;
  const slice = state.entries?.line === line ? state.entries.slice : 0;
  return { ...state, entries: { line, slice } };
}
