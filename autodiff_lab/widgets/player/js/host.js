/**
 * Tells whoever has put a player on the page what the learner does in it.
 *
 * @import { State } from "./state.js"
 * @import { Score } from "./predict/questions.js"
 * @import { Mode } from "./trace.js"
 */

import { stopOf } from "./state.js";

/**
 * @typedef {object} Host all are optional: a page without Python has nobody to tell
 * @property {(step: number) => void} [onStep] another step is shown, or one that has to be fetched is wanted
 * @property {(changed: {index: number, value: number}) => void} [onInputs] a slider moves
 * @property {(place: number|null) => void} [onResult] another of several results is to be followed; null: all of them
 * @property {(seeds: number[]) => void} [onSeeds] of all results, each is to have another seed
 * @property {(mode: Mode, direction: string) => void} [onMode] another mode is chosen
 * @property {(rates: number[]) => void} [onCustom] a direction of the learner's own is typed
 * @property {(on: boolean) => void} [onPredict] predicting is turned on or off
 * @property {(score: Score) => void} [onScore] an answer is counted
 */

/**
 * A listener of the store.
 * @param {Host} host @returns {(state: State, before: State|null) => void}
 */
export const hostListener =
  ({ onStep, onScore }) =>
  (state, before) => {
    if (!before || before.step !== state.step || stopOf(before) !== stopOf(state))
      onStep?.(stopOf(state));
    // While one step is on its way, others are only noted; an answer to an older question does not end that.
    const isAsked = before?.wanted !== null && before?.payload === state.payload;
    if (state.wanted !== null && !isAsked) onStep?.(state.wanted);
    if (before && before.prediction.score !== state.prediction.score)
      onScore?.(state.prediction.score);
  };
