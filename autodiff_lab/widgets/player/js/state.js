/**
 * The state of a player, and what becomes of it: pure functions, which need no browser.
 *
 * The state holds what cannot be worked out from anything else: what Python sent, what the learner chose. Everything else
 * is derived (`runAt`, `momentAt`). A transition takes a state and returns the next.
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
 *   into it; `hasFocus` if one has come there by key
 */
/**
 * @typedef {{open: boolean, names: boolean, source: boolean, speed: number}} Details what the fold
 *   has, and whether it is open
 */
/**
 * How the learner looks at the graph.
 * @typedef {{scale: number|null, isHeld: boolean, isWhole: boolean}} Lens `scale` null: as the pane wants it; `isHeld`:
 *   the pane stays where the learner has moved it; `isWhole`: as small as all of the graph needs
 */
/**
 * @typedef {object} State
 * @property {Payload} payload what Python sent
 * @property {Mode} mode that is asked for; a run may not have it
 * @property {string} direction that is asked for: a payload on its way may bring it
 * @property {number} step the step that is shown, of this stretch
 * @property {number} arrivals how often a step has been gone to: the panes scroll to it, also if it is the same one
 * @property {number} progress how far its motion has come, 0 to 1
 * @property {boolean} isRunning whether the clock moves `progress` on
 * @property {boolean} isPlaying whether the next step follows by itself
 * @property {number|null} wanted a step of another stretch, until that is there
 * @property {boolean} canFetch whether somebody can be asked for other stretches
 * @property {string} notice why a step is not shown
 * @property {string} error why inputs could not be recorded
 * @property {Control[]} controls
 * @property {number[]} custom the rates of a direction of the learner's own
 * @property {string} scale "lecture" for a hall
 * @property {Details} details
 * @property {Lens} lens
 * @property {KeptGroups} groups that the learner has opened and closed
 * @property {Target|null} hover what is pointed at
 * @property {{line: number, slice: number}|null} entries the array whose entries are shown
 * @property {Felt|null} felt the slider that has been moved last
 * @property {Prediction} prediction
 */
/**
 * A run, and what belongs to its picture.
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

/** The direction that is asked for, once it is there. @param {State} state */
export function directionAt(state) {
  const { forward } = runsAt(state);
  if (state.direction in forward) return state.direction;
  return Object.keys(forward)[0] ?? "";
}

/**
 * The run that a state shows. It is read once: as long as it is the same object, it is the same
 * run.
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

/** The stop of the whole run that is shown; −1 at the start. @param {State} state */
export const stopOf = (state) => momentOf(state).at;

/** The stop after the one that is shown. @param {State} state */
export const nextStop = (state) => stopAfter(traceAt(state), stopOf(state), 1);

/** The step of this stretch that comes next; −1 if it is in another. @param {State} state */
export const nextStep = (state) => ownStep(traceAt(state), nextStop(state)) ?? -1;

/** @param {State} state */
export const isAtEnd = (state) => stopOf(state) >= stepsOf(traceAt(state)) - 1;

/** Whether the program has run, and adjoints go back. @param {State} state */
export function isSweeping(state) {
  const phase = traceAt(state).steps[state.step]?.phase;
  return phase === "seed" || phase === "sweep";
}

/**
 * The state that a player begins with.
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
 * A step of this stretch is shown: at once or, if one steps there, from the beginning of its
 * motion.
 * @param {State} state @param {number} next @param {boolean} [moves]
 * @returns {State}
 */
export function shown(state, next, moves = false) {
  const run = runAt(state);
  const { trace } = run;
  let step = clampStep(trace, next);
  const isStart = clampStop(trace, wholeStep(trace, step)) < 0;
  if (isStart && !trace.excerpt?.number) step = inputsOf(trace) - 1; // the inputs are there from the start
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
 * A step of the whole run is shown: it is in this stretch, in one that is at hand, or has to be fetched. It takes the
 * place of what a slider has moved.
 * @param {State} before @param {number} next @param {boolean} [moves] @returns {State}
 */
export function sought(before, next, moves = false) {
  const state = { ...before, felt: null };
  const trace = traceAt(state);
  const isFirst = stopOf(state) < 0 && next === 0;
  const target = clampStop(trace, isFirst ? nextStop(state) : next);
  const own = ownStep(trace, target);
  if (own !== null) return { ...shown(state, own, moves), wanted: null };
  const { payload } = state;
  const others = payload.others ?? [];
  const other = others.find((one) => hasStep(one.trace, target));
  if (other) {
    const { trace: left, layouts } = payload;
    const rest = others.filter((one) => one !== other);
    const turnedTo = { ...payload, ...other, others: [...rest, { trace: left, layouts }] };
    return loaded({ ...state, wanted: target }, turnedTo);
  }
  if (state.canFetch) return { ...state, wanted: target };
  return { ...state, wanted: null, notice: payload.no_others ?? "" };
}

/**
 * What Python sent anew is shown, at the step that was shown or is wanted.
 * @param {State} state @param {Payload} payload
 * @returns {State}
 */
export const loaded = (state, payload) => reshown(state, { ...state, payload });

/**
 * The run is shown in another mode, or in another direction.
 * @param {State} state @param {Mode} mode @param {string} direction
 * @returns {State}
 */
export const inMode = (state, mode, direction) => reshown(state, { ...state, mode, direction });

/**
 * @param {State} before
 * @param {State} next shows another run, which takes the place of the one before
 */
function reshown(before, next) {
  const trace = traceAt(next);
  const left = traceAt(before).excerpt;
  const own = ownStep(trace, next.wanted ?? stopOf(before));
  const hasTurned = left !== null && left.number !== trace.excerpt?.number;
  const first = trace.excerpt?.parts[0].first ?? -1;
  const { on } = next.prediction;
  return {
    ...shown({ ...next, hover: null }, own ?? first),
    wanted: own === null ? next.wanted : null,
    lens: hasTurned ? { ...next.lens, isHeld: false } : next.lens, // another stretch has another picture
    entries: hasEntries(trace, next.entries?.line) ? next.entries : null,
    prediction: on ? turned(next.prediction, trace, true) : next.prediction,
  };
}

/** The motion that is under way is over. @param {State} state @returns {State} */
export const finished = (state) => ({ ...state, progress: 1, isRunning: false });

/** Nothing goes on by itself. @param {State} state @returns {State} */
export const paused = (state) => ({ ...finished(state), isPlaying: false });

/**
 * The motion has come further; it runs on until it has landed.
 * @param {State} state @param {number} share
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
 * The entries of a line are shown; a number has none, and what is open stays.
 * @param {State} state @param {number} line
 * @returns {State}
 */
export function entriesShown(state, line) {
  if (!hasEntries(traceAt(state), line)) return state;
  const slice = state.entries?.line === line ? state.entries.slice : 0;
  return { ...state, entries: { line, slice } };
}
