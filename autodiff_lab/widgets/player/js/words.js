/**
 * The words under the panes.
 *
 * @import { Piece } from "./run.js"
 * @import { ShownTrace as Trace } from "./trace.js"
 */

import { html, put } from "./dom.js";
import { spokenStep } from "./moment.js";
import { arithmeticAt, equationsAt, sentenceAt } from "./run.js";
import { momentOf, traceAt } from "./state.js";
import { whenChanged } from "./store.js";

const RESULTS = new Set(["value-result", "tangent-result", "result"]);

/** @param {Piece[]} pieces */
const spans = (pieces) =>
  pieces.map(([kind, text]) => html("span", { class: `adl-t-${kind}` }, text));

/**
 * What comes last in a line of arithmetic, from its "=" on: it is not known before the step lands.
 * @param {Piece[]} pieces
 */
function resultOf(pieces) {
  const at = pieces.findLastIndex(([kind, text]) => kind === "op" && text.trim() === "=");
  return at >= 0 && pieces.slice(at).some(([kind]) => RESULTS.has(kind)) ? at : pieces.length;
}

/**
 * One line of arithmetic a step, what it was all for at the end, and the same in words; in symbols
 * if they are asked for.
 */
export function wordsView() {
  const equation = html("div", { class: "adl-equation" });
  const gradient = html("div", { class: "adl-gradient" });
  const sentence = html("p", { class: "adl-sentence", "aria-live": "polite" });
  const symbols = html("div", { class: "adl-symbols" });
  const element = html(
    "div",
    { class: "adl-words", "data-lm-suppress-shortcuts": "true" },
    equation,
    gradient,
    sentence,
    symbols,
  );
  /**
   * The box keeps its height: long words are smaller, and whoever goes to them by key or finger can
   * scroll.
   */
  function fit() {
    /** @param {HTMLElement} box */
    const cut = (box) => box.scrollHeight > box.clientHeight + 1;
    const tight = (gradient.hasChildNodes() ? [0, 1, 2, 3, 4] : [0, 1]).find((tight) => {
      element.dataset.tight = String(tight);
      return !cut(element);
    });
    element.scrollTop = 0;
    if (tight === undefined || cut(sentence)) element.tabIndex = 0;
    else if (element !== document.activeElement) element.removeAttribute("tabindex");
  }

  /**
   * The arithmetic of a step; while it moves, without its result.
   * @param {Trace} trace @param {number} s @param {boolean} hasLanded
   */
  function writeArithmetic(trace, s, hasLanded) {
    const pieces = arithmeticAt(trace, s);
    const line = spans(pieces);
    const known = hasLanded ? line.length : resultOf(pieces);
    for (const span of line.slice(known)) span.classList.add("is-coming");
    equation.replaceChildren(...line);
  }
  /**
   * What all of it was for: once the last step has landed.
   * @param {Trace} trace @param {number} s @param {boolean} hasLanded
   */
  function closingOf(trace, s, hasLanded) {
    if (!hasLanded || s !== trace.steps.length - 1) return [];
    const equations = equationsAt(trace, s);
    if (!trace.steps[s]?.arithmetic) return equations.slice(1);
    return equations.filter((pieces) => pieces.some(([kind]) => kind === "gradient"));
  }
  const render = whenChanged(
    (state) => [traceAt(state), momentOf(state).shown, spokenStep(momentOf(state))],
    (state) => {
      const trace = traceAt(state);
      const { shown } = momentOf(state);
      const spoken = spokenStep(momentOf(state)); // while a step moves, the one before
      const hasLanded = spoken === shown;
      writeArithmetic(trace, shown, hasLanded);
      const closing = closingOf(trace, shown, hasLanded);
      gradient.replaceChildren(...closing.map((one) => html("span", {}, spans(one))));
      const equations = equationsAt(trace, spoken);
      symbols.replaceChildren(...equations.map((one) => html("div", {}, spans(one))));
      const said = sentenceAt(trace, spoken);
      put(sentence, said);
      sentence.title = said;
      fit();
    },
  );
  return { element, render, fit };
}
