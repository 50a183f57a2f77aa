/**
 * The costs of a run, as a table.
 *
 * @import { Attributes } from "./dom.js"
 * @import { State } from "./state.js"
 * @import { Say } from "./speech.js"
 * @import { Mode } from "./trace.js"
 * @import { Cost } from "./trace_types.js"
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

/** @param {number} n */
const number = (n) => n.toLocaleString("en").replaceAll(",", "\u202f");

/**
 * What the run has cost so far in each mode that is shown, and what the whole gradient costs.
 * @param {Say} say
 */
export function costView(say) {
  /** @param {number} numbers @param {number} bytes */
  const kept = (numbers, bytes) =>
    say("cost of keeping", { n: number(numbers), bytes: number(bytes) });
  /** How many passes the whole gradient takes, in words. @param {Mode} mode @param {Cost} cost */
  function passesOf(mode, { passes }) {
    if (mode === "reverse") return say("run and sweep");
    return counted(say, "runs", passes, { n: number(passes) });
  }
  // In a narrow player the table scrolls, and the arrow keys scroll it instead of stepping.
  /** @param {KeyboardEvent} event */
  const scroll = (event) => {
    const isScrolling = element.scrollWidth > element.clientWidth;
    if (/Left|Right/.test(event.key) && isScrolling) event.stopPropagation();
  };
  const element = html("div", {
    class: "adl-meter adl-scroll",
    tabindex: 0,
    role: "group",
    "aria-label": say("cost"),
    onkeydown: scroll,
  });
  /**
   * @param {"td"|"th"} tag
   * @param {number} k of the column
   * @param {Attributes} [attributes] @param {string} [text]
   */
  const cell = (tag, k, attributes, text) =>
    html(tag, { class: k === 3 ? "is-first" : null, ...attributes }, text);
  /** @type {{cells: HTMLElement[], row: HTMLElement}[]} */
  let rows = [];
  const load = whenChanged(
    (state) => [traceAt(state)],
    (state) => {
      const trace = traceAt(state);
      const modes = trace.costs.filter(([, cost]) => cost);
      rows = modes.map(([name]) => {
        const cells = COLUMNS.map((_, k) => cell("td", k));
        const title = html("th", { scope: "row" }, say(`mode ${name}`));
        return { cells, row: html("tr", { class: `is-${name}` }, title, cells) };
      });
      const groups = [
        cell("th", 0, { scope: "colgroup", colspan: 3 }, say("so far")),
        cell("th", 3, { scope: "colgroup", colspan: 4 }, say("the whole gradient")),
      ];
      const heads = COLUMNS.map((name, k) => cell("th", k, { scope: "col" }, say(name)));
      const headRows = [groups, heads].map((cells) => html("tr", {}, html("td"), cells));
      const head = html("thead", {}, headRows);
      const bodyRows = rows.map(({ row }) => row);
      const body = html("tbody", {}, bodyRows);
      element.hidden = !rows.length;
      element.replaceChildren(html("table", { "aria-label": say("cost") }, head, body));
    },
  );
  const write = whenChanged(
    (state) => [traceAt(state), momentOf(state).landed],
    (state) => {
      const trace = traceAt(state);
      const s = momentOf(state).landed;
      const meters = metersAt(trace, s).flatMap(([name, meter, cost]) =>
        cost ? [{ name, meter, cost }] : [],
      );
      const most = Math.max(1, ...meters.map(({ cost }) => cost.kept));
      meters.forEach(({ name, meter, cost }, k) => {
        const passes = passesOf(name, cost);
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
