/**
 * The words under the panes.
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
 * What comes last in a line of arithmetic, from its "=" on: it is not known before the step lands.
 * @param {Piece[]} pieces
 */
function resultOf(pieces) {
  const at = pieces.findLastIndex(([kind, text]) => kind === "op" && text.trim() === "=");
  return at >= 0 && pieces.slice(at).some(([kind]) => RESULTS.has(kind)) ? at : pieces.length;
}

/**
 * The equations of a step in symbols: its `own`, and after the last step what all of it was for, which stands beside the
 * arithmetic and is not said twice.
 * @param {Trace} trace @param {number} s
 */
function inSymbols(trace, s) {
  const equations = equationsAt(trace, s);
  if (s < 0 || s !== trace.steps.length - 1) return { own: equations, closing: [] };
  if (!trace.steps[s].arithmetic)
    return { own: equations.slice(0, 1), closing: equations.slice(1) };
  const closing = equations.filter((pieces) => pieces.some(([kind]) => kind === "gradient"));
  return { own: equations.filter((one) => !closing.includes(one)), closing };
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
   * A line of arithmetic; while its step moves, without the result.
   * @param {Piece[]} pieces @param {boolean} hasLanded
   */
  function written(pieces, hasLanded) {
    const line = spans(pieces);
    const known = hasLanded ? line.length : resultOf(pieces);
    for (const span of line.slice(known)) span.classList.add("is-coming");
    return line;
  }
  /** What has moved with a slider, or the sentence of the step. @param {Change|string} said */
  function say(said) {
    sentence.classList.toggle("is-felt", typeof said !== "string");
    if (typeof said === "string") put(sentence, said);
    else sentence.replaceChildren(...pieces(said));
    sentence.title = sentence.textContent;
  }
  /** @param {Change} change */
  const pieces = ({ moved, forecast }) => [
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
      set(sentence, "aria-busy", !isStill); // who listens hears of each step once, when it rests; of a slider too
      say(change ?? sentenceAt(trace, shown, hasLanded));
      sentence.classList.toggle("is-birth", hasLanded && Boolean(trace.steps[shown]?.birth));
      fit();
    },
  );
  return { element, render, fit };
}
