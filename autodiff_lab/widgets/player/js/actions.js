/**
 * What one can do with a player: for its buttons and keys, and for whoever has put it on the page.
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

const HAND_RESTS = 700; // milliseconds after which a slider is not on the move any more
const FORGOTTEN = 12000; // milliseconds after which its old value is no longer compared with

/**
 * @param {Store<State>} store
 * @param {object} page the player as a thing on the page
 * @param {() => void} page.focus gives it the keys
 * @param {() => void} page.comeIntoView
 * @param {(on: boolean) => void} page.onPredict tells that the learner has turned predicting on or off
 */
export function actionsOf(store, page) {
  /** A step that one has stepped to moves, unless the reader wants no motion. */
  const moves = () => !calm();

  /**
   * Asks about a step that is to be shown next.
   * @param {number} step
   * @returns {boolean} whether there is something to ask
   */
  function ask(step) {
    const state = store.get();
    const prediction = asked(state.prediction, traceAt(state), step);
    if (!prediction) return false;
    store.update({ prediction });
    return true;
  }
  /** After the last question about a step comes the step itself. @param {typeof revealed} answer */
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
  let atRest;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let forgotten;

  const actions = {
    /**
     * Shows step `next`; the inputs are the start, anything too large the end.
     * @param {number} next
     */
    go(next) {
      store.update((state) => sought(withoutQuestion(paused(state)), next));
    },
    /** Steps on; a step that is still moving is finished first. @param {number} by */
    advance(by) {
      actions.pause();
      if (by === 1 && ask(nextStep(store.get()))) return;
      store.update((state) => {
        const from = state.wanted ?? stopOf(state);
        return sought(withoutQuestion(state), from + by, by === 1 && moves());
      });
    },
    /** Goes on while playing. @returns {boolean} whether it did: a question stops it */
    goOn() {
      if (ask(nextStep(store.get()))) return false;
      store.update((state) => sought(state, nextStop(state), moves()));
      return true;
    },
    /**
     * Follows a step that came from elsewhere (Python, another view): no motion.
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
        hover: null, // what the pointer happens to rest on is not what the film is about
      }));
      page.comeIntoView(); // nobody has to scroll to see it
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
     * Shows a moment: step `next` at progress `progress`, 0 to 1. A film is a list of moments.
     * @param {number} next @param {number} progress
     */
    render(next, progress) {
      store.update((state) => {
        const isThere = clampStop(traceAt(state), next) === stopOf(state);
        const at = isThere ? finished(state) : sought(state, next);
        return { ...at, progress, isPlaying: false, isRunning: false };
      });
    },
    /** Takes what Python sent anew. @param {Payload} payload */
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
    /** Judges what the learner has typed. @param {string} text */
    answer(text) {
      close((prediction, trace) => answered(prediction, trace, text));
    },
    /** The number in a box is to be the answer, if one can see it. @param {number} line */
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
     * Takes other sliders, a direction of the learner's own, or another size.
     * @param {Partial<Pick<State, "controls"|"custom"|"scale">>} news
     */
    set(news) {
      store.update(news);
    },
    /** A hand moves slider number `index`; a film that plays gives way to it. @param {number} index */
    touch(index) {
      store.update((state) => touched(paused(state), index));
      clearTimeout(atRest);
      clearTimeout(forgotten);
      atRest = setTimeout(
        () => store.update((state) => rested(state, { isResting: true })),
        HAND_RESTS,
      );
      forgotten = setTimeout(
        () => store.update((state) => rested(state, { isFaint: true })),
        FORGOTTEN,
      );
    },
    /** Says why inputs could not be recorded; "" if they were. @param {string} message */
    error(message) {
      store.update({ error: message });
    },

    /** Lights a line or an edge in all panes; while playing, the steps alone do. @param {Target|null} hover */
    link(hover) {
      if (!store.get().isPlaying) store.update({ hover });
    },
    /**
     * Goes to a group of a long run that is not in this stretch: to where it begins, or in the
     * sweep to where it ends.
     * @param {Group} group
     */
    openGroup({ first, end }) {
      const state = store.get();
      const back = isSweeping(state);
      actions.go(stepOfLine(traceAt(state), back ? end - 1 : first, back));
    },
    /**
     * Goes to where a line is recorded or, during the sweep, to where it first sends its adjoint; while a question is
     * open, its number is the answer.
     * @param {Target} target
     */
    visit({ line }) {
      const state = store.get();
      if (state.prediction.pending) return actions.pick(line);
      const trace = traceAt(state);
      const sends = trace.steps.findIndex((step) => step.phase === "sweep" && step.line === line);
      store.update((state) => entriesShown(paused(state), line));
      const own = wholeStep(trace, isSweeping(state) && sends >= 0 ? sends : line); // a line is recorded at the step of its number
      if (!trace.excerpt || own >= 0) actions.go(own); // else it is from another stretch
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
