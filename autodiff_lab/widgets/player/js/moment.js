/**
 * A moment of a run: a step, and how far its motion has come. All that is shown of a run is a function of its moment, so
 * going back is the same thing as going forward, and a film is a list of moments.
 *
 * @import { Num, Step } from "./trace_types.js"
 * @import { Mark, Run } from "./run.js"
 */

import { hasLanded } from "./motion.js";
import { adjointAt, linesBetween, markAt, sharesAt } from "./run.js";
import { clampStop, wholeStep } from "./trace.js";

/**
 * @typedef {object} Moment
 * @property {Run} run
 * @property {number} s the step of this excerpt; at the start the last input, for the inputs are there from the start
 * @property {number} u how far its motion has come, 0 to 1
 * @property {number} at the stop of the whole run; −1 at the start
 * @property {number} shown the step that the words are about; −1 at the start
 * @property {number} landed the last step that has landed: `s`, or while that moves the one before
 * @property {Step|undefined} step undefined at the start
 */

/**
 * @param {Run} run @param {number} s a step of this excerpt @param {number} u
 * @returns {Moment}
 */
export function momentAt(run, s, u) {
  const { trace } = run;
  const at = clampStop(trace, wholeStep(trace, s));
  if (at < 0) return { run, s, u: 1, at, shown: -1, landed: s, step: undefined };
  const step = trace.steps[s];
  const isThere = u >= 1 || !step || hasLanded(step, u);
  return { run, s, u, at, shown: s, landed: isThere ? s : s - 1, step };
}

/** How a line is marked: as recorded, freed, swept, and its CSS classes. @param {Moment} moment @param {number} line @returns {Mark} */
export const markOf = ({ run, shown, landed }, line) => markAt(run, line, shown, landed);

/**
 * The adjoint that a line holds.
 * @param {Moment} moment @param {number} line
 * @returns {Num|null}
 */
export const adjointOf = ({ run, landed }, line) => adjointAt(run.history, line, landed);

/** How thick the edges into a line are, by slot. @param {Moment} moment @param {number} line */
export const edgeSharesOf = ({ run, landed }, line) => sharesAt(run, line, landed);

/**
 * Whether the step has landed, so that its result is shown. The words are always about the step that is shown: until it
 * lands they announce what it will do, and then they state its result.
 * @param {Moment} moment
 */
export const isLanded = ({ s, landed }) => landed === s;

/**
 * The lines that look different from one moment to another; all of them, if nothing was shown before.
 * @param {Moment|null} before @param {Moment} now
 * @returns {Iterable<number>}
 */
export function changedLines(before, now) {
  if (before?.run !== now.run) return now.run.trace.lines.keys();
  const from = Math.min(before.landed, now.landed);
  const to = Math.max(before.s, now.s);
  return new Set(linesBetween(now.run.trace, from, to));
}

/**
 * Whether two moments look the same, apart from what moves.
 * @param {Moment|null} before @param {Moment} now
 */
export const looksLike = (before, now) =>
  before?.run === now.run &&
  before.s === now.s &&
  before.landed === now.landed &&
  before.shown === now.shown;
