/**
 * The chapters of a run, in the forward pass and in the sweep: the lines that each loop or range of source lines
 * recorded. Needs no browser.
 *
 * @import { ShownTrace as Trace } from "./trace.js"
 * @import { Group } from "./trace_types.js"
 */

import { phaseLengths } from "./trace.js";

/**
 * @typedef {Group & {back: boolean}} Chapter `back`: the sweep goes through it
 */

/**
 * The step of the whole run that records a line, or in the sweep first sends its adjoint. An excerpt of a long run
 * doesn't contain the steps of other excerpts. Because the sweep visits all lines in reverse, the step is then
 * estimated from the line's position in its chapter.
 * @param {Trace} trace @param {number} line of the whole run @param {boolean} back
 */
export function stepOfLine(trace, line, back) {
  if (!back) return line;
  if (!trace.excerpt) {
    const found = trace.steps.findIndex((step) => step.phase === "sweep" && step.line <= line);
    return found < 0 ? trace.lines.length : found;
  }
  const at = trace.chapters.findIndex(({ first, end }) => first <= line && line < end);
  const swept = trace.excerpt.swept[at];
  const { first, end } = trace.chapters[at];
  return Math.round(swept.first + ((swept.end - swept.first) * (end - 1 - line)) / (end - first));
}

/**
 * The chapters in the order in which the player comes to them: forth, and then back.
 * @param {Trace} trace
 */
export function chaptersOf(trace) {
  const { forward, sweep } = phaseLengths(trace);
  const ahead = trace.chapters.map((chapter) => ({ ...chapter, back: false }));
  const back = trace.chapters.map((chapter) => ({ ...chapter, back: true })).reverse();
  return {
    chapters: sweep ? [...ahead, ...back] : ahead,
    phase: forward ? "forward" : "record",
  };
}

/**
 * The first line of the iteration at a place in a chapter, 0 to 1 in the order of the steps; of a chapter that isn't a
 * loop, its first line.
 * @param {Chapter} chapter @param {number} share
 */
export function turnAt({ first, end, each, back }, share) {
  if (!each) return first;
  const place = back ? 1 - share : share;
  const inside = Math.min(0.999999, Math.max(0, place));
  const offset = Math.floor((end - first) * inside);
  return first + offset - (offset % each);
}
