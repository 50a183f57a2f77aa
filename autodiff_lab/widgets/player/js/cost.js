/**
 * The costs of a run, as a table.
 *
 * @import { State } from "./state.js"
 * @import { Say } from "./speech.js"
 */

import { html, put } from "./dom.js";
import { momentOf, traceAt } from "./state.js";
import { counted } from "./speech.js";
import { metersAt } from "./run.js";
import { whenChanged } from "./store.js";

const COLUMNS = [
  "cost operations",
  "cost products",
  "cost kept",
  "cost passes",
  "cost operations",
  "cost products",
  "cost kept",
];

const number = (n) => n.toLocaleString("en").replaceAll(",", "\u202f");

/** What the run has cost so far in each mode that is shown, and what the whole gradient costs. */
export function costView(say) {
  const kept = (numbers, bytes) =>
    say("cost of keeping", { n: number(numbers), bytes: number(bytes) });
  // In a narrow player it scrolls: then the arrows are its own.
  const scroll = (event) =>
    /Left|Right/.test(event.key) &&
    element.scrollWidth > element.clientWidth &&
    event.stopPropagation();
  const element = html("div", {
    class: "adl-meter adl-scroll",
    tabindex: 0,
    role: "group",
    "aria-label": say("cost"),
    onkeydown: scroll,
  });
  const cell = (tag, k, attributes, text) =>
    html(tag, { class: k === 3 ? "is-first" : null, ...attributes }, text);
  let rows = [];
  const load = whenChanged(
    (state) => [traceAt(state)],
    (state) => {
      const trace = traceAt(state);
      rows = trace.costs
        .filter(([, cost]) => cost)
        .map(([name]) => {
          const cells = COLUMNS.map((_, k) => cell("td", k));
          return {
            cells,
            row: html(
              "tr",
              { class: `is-${name}` },
              html("th", { scope: "row" }, say(`mode ${name}`)),
              cells,
            ),
          };
        });
      const groups = [
        ["so far", 0, 3],
        ["the whole gradient", 3, 4],
      ].map(([name, k, colspan]) => cell("th", k, { scope: "colgroup", colspan }, say(name)));
      const heads = COLUMNS.map((name, k) => cell("th", k, { scope: "col" }, say(name)));
      const head = html(
        "thead",
        {},
        [groups, heads].map((cells) => html("tr", {}, html("td"), cells)),
      );
      element.hidden = !rows.length;
      element.replaceChildren(
        html(
          "table",
          { "aria-label": say("cost") },
          head,
          html(
            "tbody",
            {},
            rows.map(({ row }) => row),
          ),
        ),
      );
    },
  );
  const write = whenChanged(
    (state) => [traceAt(state), momentOf(state).landed],
    (state) => {
      const trace = traceAt(state);
      const s = momentOf(state).landed;
      const meters = metersAt(trace, s).filter(([, , cost]) => cost);
      const most = Math.max(1, ...meters.map(([, , cost]) => cost.kept));
      meters.forEach(([name, meter, cost], k) => {
        const passes =
          name === "reverse"
            ? say("run and sweep")
            : counted(say, "runs", cost.passes, { n: number(cost.passes) });
        const texts = [
          number(meter.operations),
          number(meter.products),
          kept(meter.kept, meter.bytes),
          passes,
          number(cost.operations),
          number(cost.products),
          kept(cost.kept, cost.bytes),
        ];
        texts.forEach((text, c) => put(rows[k].cells[c], text));
        rows[k].cells[2].style.setProperty("--adl-share", String(meter.kept / most));
      });
    },
  );
  return {
    element,
    /** @param {State} state */
    render(state) {
      load(state);
      write(state);
    },
  };
}
