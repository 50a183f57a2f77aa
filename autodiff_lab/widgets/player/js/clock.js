/**
 * The clock of a player: it moves a step on with time and, while playing, lets it rest and goes to the next one.
 *
 * The clock only changes `progress`, from 0 to 1; `motion.js` decides what a step looks like on its way.
 *
 * @import { State } from "./state.js"
 * @import { Store } from "./store.js"
 */

import { durationOf, restOf } from "./motion.js";
import { isAtEnd, moved, traceAt } from "./state.js";

const START = { motion: 0, rest: 300 }; // milliseconds: the start moves nothing

/** How long the step that is shown moves, and then rests, in milliseconds. @param {State} state */
function beatsAt(state) {
  const { steps, lines } = traceAt(state);
  const step = steps[state.step];
  const line = step && lines[step.line];
  const { motion, rest } = step
    ? { motion: durationOf(step, line), rest: restOf(step, line) }
    : START;
  const { speed } = state.details;
  return { motion: motion / speed, rest: rest / speed };
}

/**
 * @param {Store<State>} store
 * @param {{goOn(): boolean, pause(): void}} actions `goOn` goes to the next step, if nothing is to be asked about it
 */
export function clockOf(store, actions) {
  let frame = 0;
  let resting = 0; // the timer of a rest; 0 while there is none

  /** @param {number} before when the last frame was shown */
  function tick(before) {
    const own = requestAnimationFrame((now) => {
      const passed = Math.max(0, now - before); // the first frame may have begun before its step
      store.update((state) => moved(state, passed / beatsAt(state).motion));
      if (frame !== own) return; // a listener has gone on to another step
      if (store.get().isRunning) tick(now);
    });
    frame = own;
  }
  function stopResting() {
    clearTimeout(resting);
    resting = 0;
  }
  /** While playing: the next step. */
  function beat() {
    stopResting();
    if (isAtEnd(store.get()) || !actions.goOn()) actions.pause();
  }
  /** While playing, what does not move rests: where there was no motion, for as long as that would take as well. */
  function rest(/** @type {State} */ state, /** @type {boolean} */ hasMoved) {
    if (isAtEnd(state)) return actions.pause();
    const beats = beatsAt(state);
    resting = window.setTimeout(beat, hasMoved ? beats.rest : beats.motion + beats.rest);
  }

  return {
    beat,
    /**
     * Starts, keeps running or stops, as the state needs. Playing also goes on if another run replaces the one that moved.
     * @param {State} state @param {State|null} before
     */
    render(state, before) {
      if (!state.isPlaying) stopResting();
      if (state.isRunning) {
        if (before?.isRunning && before.step === state.step) return;
        stopResting();
        cancelAnimationFrame(frame);
        return tick(performance.now());
      }
      cancelAnimationFrame(frame);
      if (state.isPlaying && !resting) rest(state, Boolean(before?.isRunning));
    },
  };
}
