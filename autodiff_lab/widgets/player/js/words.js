/**
 * The words under the panes.
 *
 * @import { Piece } from "./run.js"
 */

import { html, put } from "./dom.js";
import { spokenStep } from "./moment.js";
import { momentOf, traceAt } from "./state.js";
import { arithmeticAt, equationsAt, sentenceAt } from "./run.js";
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
  return {
    element,
    /**
     * While a step moves, its arithmetic has no result, and the sentence is still the one about the
     * step that has landed.
     */
    render: whenChanged(
      (state) => [traceAt(state), momentOf(state).shown, spokenStep(momentOf(state))],
      (state) => {
        const trace = traceAt(state);
        const { shown: s } = momentOf(state);
        const told = spokenStep(momentOf(state));
        const landed = told === s;
        const pieces = arithmeticAt(trace, s);
        const known = resultOf(pieces);
        const line = spans(pieces);
        if (!landed) for (const span of line.slice(known)) span.classList.add("is-coming");
        equation.replaceChildren(...line);
        const last = s === trace.steps.length - 1 && landed ? equationsAt(trace, s) : [];
        const closing = trace.steps[s]?.arithmetic
          ? last.filter((all) => all.some(([kind]) => kind === "gradient"))
          : last.slice(1);
        gradient.replaceChildren(...closing.map((one) => html("span", {}, ...spans(one))));
        symbols.replaceChildren(
          ...equationsAt(trace, told)
            .filter((one) => !closing.includes(one))
            .map((one) => html("div", {}, ...spans(one))),
        );
        const said = sentenceAt(trace, told);
        put(sentence, said);
        sentence.title = said;
        fit();
      },
    ),
    fit,
  };
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
}
