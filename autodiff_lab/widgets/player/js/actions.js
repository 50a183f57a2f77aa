/**
 * The actions of a player: what its buttons and keys, and the page around it, can make it do.
 *
 * @import { Group } from "./graph/groups.js"
 * @import { Control, State, Target } from "./state.js"
 * @import { Store } from "./store.js"
 * @import { Mode } from "./trace.js"
 * @import { Payload } from "./trace_types.js"
 */

import { clockOf } from "./clock.js";
import { calm } from "./dom.js";
import { rested, touched } from "./feel.js";
import { stepOfLine } from "./chapters.js";
import {
  entriesShown,
  finished,
  inMode,
  isAtEnd,
  isSweeping,
  loaded,
  momentOf,
  nextStep,
  nextStop,
  paused,
  shown,
  sought,
  stopOf,
  traceAt,
} from "./state.js";
import { adjointOf, markOf } from "./moment.js";
import { answered, asked, left, picked, revealed, turned } from "./predict/questions.js";
import { clampStop, wholeStep } from "./trace.js";

/** @typedef {ReturnType<typeof actionsOf>} Actions */

const REST_DELAY_MS = 700; // a slider that hasn't moved for this long is at rest
const FADE_DELAY_MS = 12000; // after this long without a move, the values from before it fade

/**
 * The actions on a store, and the clock that plays it.
 * @param {Store<State>} store
 * @param {object} page what the player's element and its host do
 * @param {() => void} page.focus moves the keyboard focus to the player
 * @param {() => void} page.comeIntoView scrolls the player into view
 * @param {(on: boolean) => void} page.onPredict is called when the learner turns predicting on or off
 */
export function actionsOf(store, page) {
  /** Whether the next step is animated: not if the reader prefers reduced motion. */
  const moves = () => !calm();

  /**
   * Asks the next question about a step before it is shown.
   * @param {number} step
   * @returns {boolean} whether there is a question
   */
  function ask(step) {
    const state = store.get();
    const prediction = asked(state.prediction, traceAt(state), step);
    if (!prediction) return false;
    store.update({ prediction });
    return true;
  }
  /** Answers the open question; after the last one about a step, shows the step. @param {typeof revealed} answer */
  function close(answer) {
    const before = store.get();
    const prediction = answer(before.prediction, traceAt(before));
    const isDone = before.prediction.pending && !prediction.pending;
    store.update({ prediction });
    if (!isDone) return;
    store.update((state) => shown(state, nextStep(state), moves()));
    page.focus();
  }
  /** @param {State} state */
  const withoutQuestion = (state) => ({ ...state, prediction: left(state.prediction) });

  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let restTimer;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let fadeTimer;

  const actions = {
    /**
     * Shows step `next`, clamped to the run: −1 is the start, and any number past the end is the end.
     * @param {number} next
     */
    go(next) {
      store.update((state) => sought(withoutQuestion(paused(state)), next));
    },
    /** Steps forward or back; finishes a step that is still moving. @param {number} by */
    advance(by) {
      actions.pause();
      if (by === 1 && ask(nextStep(store.get()))) return;
      store.update((state) => {
        const from = state.wanted ?? stopOf(state);
        return sought(withoutQuestion(state), from + by, by === 1 && moves());
      });
    },
    /** Shows the next step while playing. @returns {boolean} false if a question comes first */
    goOn() {
      if (ask(nextStep(store.get()))) return false;
      store.update((state) => sought(state, nextStop(state), moves()));
      return true;
    },
    /**
     * Shows a step that came from elsewhere (Python, another view), without motion.
     * @param {number} next
     */
    follow(next) {
      const state = store.get();
      if (clampStop(traceAt(state), next) === stopOf(state)) return;
      store.update({ ...sought(state, next), felt: state.felt });
    },
    play() {
      store.update((state) => ({
        ...(isAtEnd(state) ? sought(state, -1) : state),
        isPlaying: true,
        hover: null, // the pointer may happen to rest on a box that has nothing to do with the step
      }));
      page.comeIntoView();
      clock.beat();
    },
    pause() {
      store.update(paused);
    },
    toggle() {
      if (store.get().isPlaying) actions.pause();
      else actions.play();
    },
    /**
     * Shows step `next` at progress `progress`, from 0 to 1. Films are rendered with it, frame by frame.
     * @param {number} next @param {number} progress
     */
    render(next, progress) {
      store.update((state) => {
        const isThere = clampStop(traceAt(state), next) === stopOf(state);
        const at = isThere ? finished(state) : sought(state, next);
        return { ...at, progress, isPlaying: false, isRunning: false };
      });
    },
    /** Replaces the payload with a new one from Python. @param {Payload} payload */
    update(payload) {
      store.update((state) => loaded(state, { ...payload }));
    },
    /**
     * Shows the run in another mode, or in another direction.
     * @param {Mode} mode @param {string} [direction]
     */
    choose(mode, direction = store.get().direction) {
      const now = store.get();
      if (mode === now.mode && direction === now.direction) return;
      store.update((state) => inMode(paused(state), mode, direction));
    },
    /** Turns predicting on or off. @param {boolean} on */
    predict(on) {
      const { prediction } = store.get();
      if (on === prediction.on) return;
      store.update((state) => ({ ...state, prediction: turned(prediction, traceAt(state), on) }));
    },
    togglePredict() {
      actions.predict(!store.get().prediction.on);
      page.onPredict(store.get().prediction.on);
    },
    /** Judges the learner's typed answer. @param {string} text */
    answer(text) {
      close((prediction, trace) => answered(prediction, trace, text));
    },
    /** Takes the number in a box as the answer, if it is visible. @param {number} line */
    pick(line) {
      const state = store.get();
      const moment = momentOf(state);
      const { value } = traceAt(state).lines[line];
      if (!markOf(moment, line).recorded || value.shape.length) return;
      const prediction = picked(state.prediction, value, adjointOf(moment, line));
      store.update({ prediction });
    },
    revealAnswer() {
      close(revealed);
    },
    /**
     * Changes the sliders, the learner's own direction, or the size.
     * @param {Partial<Pick<State, "controls"|"custom"|"scale">>} news
     */
    set(news) {
      store.update(news);
    },
    /** Notes that the learner moves slider number `index`; playing pauses. @param {number} index */
    touch(index) {
      store.update((state) => touched(paused(state), index));
      clearTimeout(restTimer);
      clearTimeout(fadeTimer);
      restTimer = setTimeout(
        () => store.update((state) => rested(state, { isResting: true })),
        REST_DELAY_MS,
      );
      fadeTimer = setTimeout(
        () => store.update((state) => rested(state, { isFaint: true })),
        FADE_DELAY_MS,
      );
    },
    /** Shows why inputs could not be recorded; "" removes the message. @param {string} message */
    error(message) {
      store.update({ error: message });
    },

    /** Highlights a line or an edge in all panes, except while playing. @param {Target|null} hover */
    link(hover) {
      if (!store.get().isPlaying) store.update({ hover });
    },
    /**
     * Goes to a group of a long run that is not in this excerpt: to its first line, or in the sweep
     * to its last line, which the sweep reaches first.
     * @param {Group} group
     */
    openGroup({ first, end }) {
      const state = store.get();
      const isBackward = isSweeping(state);
      const line = isBackward ? end - 1 : first;
      actions.go(stepOfLine(traceAt(state), line, isBackward));
    },
    /**
     * Goes to the step that records a line or, during the sweep, to the first step in which it sends
     * its adjoint. While a question is open, takes the line's number as the answer instead.
     * @param {Target} target
     */
    visit({ line }) {
      const state = store.get();
      if (state.prediction.pending) return actions.pick(line);
      const trace = traceAt(state);
      const sends = trace.steps.findIndex((step) => step.phase === "sweep" && step.line === line);
      store.update((state) => entriesShown(paused(state), line));
      const records = line; // each line is recorded at the step of its own number
      const target = wholeStep(trace, isSweeping(state) && sends >= 0 ? sends : records);
      const isElsewhere = trace.excerpt && target < 0; // in another excerpt of a long run
      if (!isElsewhere) actions.go(target);
    },
    closeEntries() {
      store.update({ entries: null });
      page.focus();
    },
    /** Shows another slice of the array whose entries are shown. @param {number} slice */
    showSlice(slice) {
      store.update((state) => ({
        ...state,
        entries: state.entries && { ...state.entries, slice },
      }));
    },
  };
  const clock = clockOf(store, actions);
  store.subscribe(clock.render);
  return actions;
}
