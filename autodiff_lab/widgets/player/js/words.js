import { html, put } from "./dom.js";
import { arithmeticAt, equationsAt, sentenceAt } from "./state.js";

const LONG = 64; // characters of arithmetic that fit on one line of a laptop
const RESULTS = new Set(["value-result", "tangent-result", "result"]);

const spans = (pieces) => pieces.map(([kind, text]) => html("span", { class: `adl-t-${kind}` }, text));

/** What comes last in a line of arithmetic, from its "=" on: it is not known before the step lands. */
function resultOf(pieces) {
  const at = pieces.findLastIndex(([kind, text]) => kind === "op" && text.trim() === "=");
  return at >= 0 && pieces.slice(at).some(([kind]) => RESULTS.has(kind)) ? at : pieces.length;
}

/** One line of arithmetic a step, what it was all for at the end, and the same in words; in symbols if they are asked for. */
export function wordsView() {
  const equation = html("div", { class: "adl-equation" });
  const gradient = html("div", { class: "adl-gradient" });
  const sentence = html("p", { class: "adl-sentence", "aria-live": "polite" });
  const symbols = html("div", { class: "adl-symbols" });
  return {
    element: html("div", { class: "adl-words" }, equation, gradient, sentence, symbols),
    update(trace, s, landed) {
      const pieces = arithmeticAt(trace, s);
      const known = resultOf(pieces);
      const line = spans(pieces);
      if (!landed) for (const span of line.slice(known)) span.classList.add("is-coming");
      equation.replaceChildren(...line);
      equation.classList.toggle("is-long", pieces.reduce((n, [, text]) => n + text.length, 0) > LONG);
      const last = s === trace.steps.length - 1 && landed ? equationsAt(trace, s) : [];
      const closing = trace.steps[s]?.arithmetic ? last.filter((all) => all.some(([kind]) => kind === "gradient")) : last.slice(1);
      gradient.title = closing.flat().map(([, text]) => text).join("");
      gradient.replaceChildren(...closing.map((one) => html("span", {}, ...spans(one))));
      symbols.replaceChildren(...equationsAt(trace, s).filter((one) => !closing.includes(one)).map((one) => html("div", {}, ...spans(one))));
      const said = sentenceAt(trace, s);
      put(sentence, said);
      sentence.title = said;
    },
  };
}
