import { html, put } from "./dom.js";
import { counted } from "./speech.js";
import { metersAt } from "./state.js";

const COLUMNS = ["cost operations", "cost products", "cost kept", "cost passes", "cost operations", "cost products", "cost kept"];
const number = (n) => n.toLocaleString("en").replaceAll(",", "\u202f");

/** What the run has cost so far in each mode that is shown, and what the whole gradient costs. */
export function meterView(say) {
  const kept = (numbers, bytes) => say("cost of keeping", { n: number(numbers), bytes: number(bytes) });
  const element = html("div", { class: "adl-meter", "data-lm-suppress-shortcuts": "true" });
  let rows = [];
  // In a narrow player it scrolls: then it can be reached, and the arrows are its own.
  const scrolls = () => element.scrollWidth > element.clientWidth;
  element.addEventListener("keydown", (event) => /Left|Right/.test(event.key) && scrolls() && event.stopPropagation());
  return {
    element,
    fit: () => (scrolls() ? element.setAttribute("tabindex", 0) : element.removeAttribute("tabindex")),
    load(trace) {
      rows = trace.costs.filter(([, cost]) => cost).map(([name]) => {
        const cells = COLUMNS.map((_, k) => html("td", { class: k === 3 ? "is-first" : null }));
        const bar = html("i", { "aria-hidden": "true" });
        return { name, cells, bar, row: html("tr", { class: `is-${name}` }, html("th", { scope: "row" }, say(`mode ${name}`)), ...cells) };
      });
      const groups = html("tr", {}, html("td"), html("th", { scope: "colgroup", colspan: 3 }, say("so far")), html("th", { scope: "colgroup", colspan: 4, class: "is-first" }, say("the whole gradient")));
      const heads = html("tr", {}, html("td"), ...COLUMNS.map((name, k) => html("th", { scope: "col", class: k === 3 ? "is-first" : null }, say(name))));
      element.hidden = !rows.length;
      element.replaceChildren(html("table", { "aria-label": say("cost") }, html("thead", {}, groups, heads), html("tbody", {}, ...rows.map(({ row }) => row))));
    },
    update(trace, s) {
      const meters = metersAt(trace, s).filter(([, , cost]) => cost);
      const most = Math.max(1, ...meters.map(([, , cost]) => cost[3]));
      meters.forEach(([name, [operations, products, now, bytes], cost], k) => {
        const passes = name === "reverse" ? say("run and sweep") : counted(say, "runs", cost[0], { n: number(cost[0]) });
        const texts = [number(operations), number(products), kept(now, bytes), passes, number(cost[1]), number(cost[2]), kept(cost[3], cost[4])];
        texts.forEach((text, c) => put(rows[k].cells[c], text));
        rows[k].cells[2].style.setProperty("--adl-share", now / most);
      });
    },
  };
}
