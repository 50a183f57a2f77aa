import { html, put } from "./dom.js";
import { equationsAt, receivers, sentenceAt, sumAt } from "./state.js";
import { sumsView } from "./sums.js";

const FEW_ROWS = 170; // pixels that are kept free for the longest step in any case
const FEW_COLUMNS = 560; // on a phone the page scrolls, and nothing inside of it

/** The arithmetic of the step in colours, the sums that it is part of, and the same in words. */
export function wordsView(host) {
  const equation = html("div", { class: "adl-equation" });
  const sentence = html("p", { class: "adl-sentence", "aria-live": "polite" });
  const sums = sumsView(host);
  const element = html("div", { class: "adl-words" }, equation, sums.element, sentence);
  let lengths = [];
  let longest = 0;
  let several = false;
  let capped = false;
  return {
    element,
    load(run) {
      const { trace } = run;
      sums.load(run);
      const length = (line, s) => {
        const sum = sumAt(run, line, s);
        return sum ? [...sum.parts, ...sum.waiting].reduce((n, { text }) => n + (text?.length ?? 2) + 9, 16) : 0;
      };
      const last = trace.steps.length - 1;
      longest = Math.max(0, ...trace.lines.map((_, i) => Math.max(length(i, last), length(i, run.first - 1))));
      several = trace.steps.some((_, s) => receivers(trace, s).length > 1);
      lengths = trace.steps.map((step, k) => [step.sentence.length,
        ...equationsAt(trace, k).map((pieces) => pieces.reduce((sum, [, text]) => sum + text.length, 0))]);
    },
    update(trace, s) {
      equation.replaceChildren(...equationsAt(trace, s).map((pieces) =>
        html("div", {}, ...pieces.map(([kind, text]) => html("span", { class: `adl-t-${kind}` }, text)))));
      put(sentence, sentenceAt(trace, s));
      element.classList.toggle("is-long", sentence.textContent.length > 160);
      sums.update(s);
      element.scrollTop = 0;
      this.reach();
    },
    link: sums.link,
    /** What scrolls inside can be reached by key. */
    reach() {
      if (capped && element.scrollHeight > element.clientHeight + 1) element.tabIndex = 0;
      else element.removeAttribute("tabindex");
    },
    /**
     * Keeps room for a step's words at this width, so that the buttons stay where they are: for the longest, or, where few
     * are much longer than the others, for the others; those few scroll.
     */
    reserve() {
      const room = element.clientWidth - 30;
      if (room <= 0) return;
      const rows = (characters, size) => Math.max(1, Math.ceil((characters * size * 0.56) / room));
      const heights = lengths.map(([said, ...equations]) => rows(said, 15) * 23 + equations.reduce((sum, n) => sum + rows(n, 17) * 30, 0));
      // Long sums scroll, so that pointing at one moves nothing.
      const lines = longest ? Math.min(3, rows(longest, 14) + (several ? 1 : 0)) : 0;
      sums.element.style.height = `${lines * 32}px`;
      const [usual, longestOf] = [[...heights].sort((a, b) => a - b)[Math.floor(0.8 * (heights.length - 1))] ?? 0, Math.max(0, ...heights)];
      const most = Math.max(usual + 30, FEW_ROWS);
      capped = longestOf > most && room > FEW_COLUMNS;
      const height = `${(capped ? most : longestOf) + lines * 32 + 26}px`;
      element.style.minHeight = height;
      element.style.setProperty("--adl-words-most", height);
      element.classList.toggle("is-capped", capped);
      this.reach();
    },
  };
}
