/**
 * The clock of a player: it moves a step on with time and, while playing, goes from step to step.
 *
 * What a step looks like on its way is no business of the clock: it only changes `progress`, 0 to 1, and the views show
 * that (`motion.js`).
 *
 * @import { State } from "./state.js"
 * @import { Store } from "./store.js"
 */

import { durationOf } from "./motion.js";
import { isAtEnd, moved, traceAt } from "./state.js";

const REST = 300; // milliseconds of what is no step

/** How long the step that is shown takes, in milliseconds. @param {State} state */
function durationAt(state) {
  const step = traceAt(state).steps[state.step];
  return step ? durationOf(step) / state.details.speed : REST;
}

/**
 * @param {Store<State>} store
 * @param {{goOn(): boolean, pause(): void}} actions `goOn` goes to the next step, if nothing is to be asked about it
 */
export function clockOf(store, actions) {
  let frame = 0;
  let rest = 0;

  /** @param {number} before when the last frame was shown */
  function tick(before) {
    const own = requestAnimationFrame((now) => {
      const passed = Math.max(0, now - before); // the first frame may have begun before its step
      store.update((state) => moved(state, passed / durationAt(state)));
      if (frame !== own) return; // somebody who was told of this has gone on to another step
      const { isRunning, isPlaying } = store.get();
      if (isRunning) tick(now);
      else if (isPlaying) beat();
    });
    frame = own;
  }
  /**
   * While playing: the next step. Where nothing moves, each stays as long as its motion would take.
   */
  function beat() {
    clearTimeout(rest);
    if (isAtEnd(store.get()) || !actions.goOn()) return actions.pause();
    const state = store.get();
    if (!state.isRunning) rest = window.setTimeout(beat, durationAt(state));
  }

  return {
    beat,
    /**
     * The clock runs as long as a step is on its way.
     * @param {State} state @param {State|null} before
     */
    render(state, before) {
      if (!state.isPlaying) clearTimeout(rest);
      if (state.isRunning && before?.isRunning && before.step === state.step) return;
      cancelAnimationFrame(frame);
      if (state.isRunning) tick(performance.now());
    },
  };
}
