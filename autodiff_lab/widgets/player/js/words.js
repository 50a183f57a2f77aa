/**
 * The words under the panes: a line of arithmetic and a sentence for each step.
 *
 * @import { Change } from "./feel.js"
 * @import { Piece } from "./run.js"
 * @import { ShownTrace as Trace } from "./trace.js"
 */

import { html, put, set } from "./dom.js";
import { changeAt } from "./feel.js";
import { isLanded } from "./moment.js";
import { arithmeticAt, equationsAt, sentenceAt } from "./run.js";
import { momentOf, traceAt } from "./state.js";
import { whenChanged } from "./store.js";

const RESULTS = new Set(["value-result", "tangent-result", "result"]);

/** @param {Piece[]} pieces */
const spans = (pieces) =>
  pieces.map(([kind, text]) => html("span", { class: `adl-t-${kind}` }, text));

/**
 * Where the result begins in a line of arithmetic: at its last "=". The result isn't known before
 * the step lands.
 * @param {Piece[]} pieces
 * @returns {number} the index of that piece; the number of pieces if the line has no result
 */
function startOfResult(pieces) {
  const at = pieces.findLastIndex(([kind, text]) => kind === "op" && text.trim() === "=");
  const hasResult = at >= 0 && pieces.slice(at).some(([kind]) => RESULTS.has(kind));
  return hasResult ? at : pieces.length;
}

/**
 * The equations of a step in symbols. After the last step, `closing` has the gradient: it is written next to the
 * arithmetic, and left out of `own`.
 * @param {Trace} trace @param {number} s
 */
function inSymbols(trace, s) {
  const equations = equationsAt(trace, s);
  const isLast = s >= 0 && s === trace.steps.length - 1;
  if (!isLast) return { own: equations, closing: [] };
  if (!trace.steps[s].arithmetic)
    return { own: equations.slice(0, 1), closing: equations.slice(1) };
  const closing = equations.filter((pieces) => pieces.some(([kind]) => kind === "gradient"));
  return { own: equations.filter((one) => !closing.includes(one)), closing };
}

/**
 * The view of the words: each step's line of arithmetic and sentence, the gradient after the last step,
 * and the equations in symbols, if the names on the tape are turned on.
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
   * Fits the words into the box, whose height is constant: long words get smaller type. If they still
   * don't fit, the box can be focused and scrolled.
   */
  function fit() {
    /** @param {HTMLElement} box */
    const isCut = (box) => box.scrollHeight > box.clientHeight + 1;
    const levels = gradient.hasChildNodes() ? [0, 1, 2, 3, 4] : [0, 1]; // of tightness, in words.css
    const tight = levels.find((level) => {
      element.dataset.tight = String(level);
      return !isCut(element);
    });
    element.scrollTop = 0;
    if (tight === undefined || isCut(sentence)) element.tabIndex = 0;
    else if (element !== document.activeElement) element.removeAttribute("tabindex");
  }

  /**
   * A line of arithmetic; its result is hidden until the step has landed.
   * @param {Piece[]} pieces @param {boolean} hasLanded
   */
  function written(pieces, hasLanded) {
    const line = spans(pieces);
    const known = hasLanded ? line.length : startOfResult(pieces);
    for (const span of line.slice(known)) span.classList.add("is-coming");
    return line;
  }
  /** Writes the sentence of the step, or what a slider has changed. @param {Change|string} said */
  function say(said) {
    const isChange = typeof said !== "string";
    sentence.classList.toggle("is-felt", isChange);
    if (isChange) sentence.replaceChildren(...spansOfChange(said));
    else put(sentence, said);
    sentence.title = sentence.textContent;
  }
  /** @param {Change} change */
  const spansOfChange = ({ moved, forecast }) => [
    html("span", { class: "adl-t-value" }, moved),
    forecast && html("span", { class: "adl-t-op" }, " · "),
    forecast && html("span", { class: "adl-t-adjoint" }, forecast),
  ];
  const render = whenChanged(
    (state) => [
      traceAt(state),
      momentOf(state).shown,
      isLanded(momentOf(state)),
      state.felt,
      state.error,
    ],
    (state) => {
      const trace = traceAt(state);
      const moment = momentOf(state);
      const { shown } = moment;
      const hasLanded = isLanded(moment);
      equation.replaceChildren(...written(arithmeticAt(trace, shown), hasLanded));
      const { own, closing } = inSymbols(trace, shown);
      const whole = hasLanded ? closing : [];
      gradient.replaceChildren(...whole.map((one) => html("span", {}, spans(one))));
      symbols.replaceChildren(...own.map((one) => html("div", {}, written(one, hasLanded))));
      const change = changeAt(state);
      const isStill = hasLanded && state.felt?.isResting !== false;
      set(sentence, "aria-busy", !isStill); // a screen reader reads the sentence once, when the step or slider rests
      say(change ?? sentenceAt(trace, shown, hasLanded));
      sentence.classList.toggle("is-birth", hasLanded && Boolean(trace.steps[shown]?.birth));
      fit();
    },
  );
  return { element, render, fit };
}
