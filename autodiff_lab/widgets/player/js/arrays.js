/**
 * Arrays, as tables of their entries.
 *
 * @import { Actions } from "./actions.js"
 * @import { EntriesTable, Grid } from "./entries.js"
 * @import { State } from "./state.js"
 * @import { Say } from "./speech.js"
 */

import { classNames, html } from "./dom.js";
import { copiedTo, gridOf, shapeText, sharesOf, tablesAt } from "./entries.js";
import { momentOf, runAt } from "./state.js";
import { nameWithKeys } from "./speech.js";
import { adjointAt } from "./run.js";
import { whenChanged } from "./store.js";
import { MAX_CELLS_PER_SIDE } from "./trace_types.js";

/**
 * The entries of the array that the learner has chosen: its value, its adjoint, its partials, and what was copied.
 * @param {Actions} actions @param {Say} say
 */
export function arraysView(actions, say) {
  const title = html("strong");
  const close = html(
    "button",
    {
      type: "button",
      class: "adl-close",
      ...nameWithKeys(say, say("close entries"), "Esc"),
      onclick: () => actions.closeEntries(),
    },
    "×",
  );
  const body = html("div", {
    class: "adl-tables adl-scroll",
    tabindex: 0,
    role: "group",
    "aria-label": say("cells"),
  });
  const heading = html("div", { class: "adl-arrays-title" }, title, close);
  const element = html(
    "div",
    { class: "adl-arrays", role: "region", hidden: "", onkeydown: leave },
    heading,
    body,
  );
  let shown = ""; // what the tables are about

  /** @param {string} caption @param {number} slice @param {Grid} grid */
  function table(caption, slice, { rows, height, width, slices, copies }) {
    const shares = sharesOf(rows);
    /** @param {string} text @param {number} r @param {number} c */
    const cell = (text, r, c) => {
      const share = shares[r][c];
      const isCopy = copies?.[r][c];
      const marks = classNames(share < 0 && "is-negative", isCopy && "is-copy");
      const percent = Math.round(Math.abs(share) * 100);
      return html(
        "td",
        { class: marks || null, style: `--adl-share: ${percent}%` },
        text,
        isCopy && html("span", { class: "adl-unseen" }, ` ${say("entry copied")}`),
      );
    };
    const head = html(
      "tr",
      {},
      html("td"),
      (rows[0] ?? []).map((_, c) => html("th", { scope: "col" }, String(c))),
    );
    const lines = rows.map((row, r) => {
      const number = html("th", { scope: "row" }, height > 1 && String(r));
      const cells = row.map((text, c) => cell(text, r, c));
      return html("tr", {}, number, cells);
    });
    const most = MAX_CELLS_PER_SIDE;
    const notes = [];
    if (slices > 1) notes.push(say("slice of", { n: slice + 1, count: slices }));
    if (height > most) notes.push(say("cells rows", { n: most, count: height }));
    if (width > most) notes.push(say("cells columns", { n: most, count: width }));
    const note = notes.join(say("separator"));
    return html(
      "table",
      {},
      html("caption", {}, caption, note && html("small", {}, note)),
      html("thead", {}, head),
      html("tbody", {}, lines),
    );
  }
  /**
   * A number, and what broadcasting makes of it.
   * @param {EntriesTable} given @param {number} slice
   */
  function figure({ kind, name, number, to, sum }, slice) {
    /** @param {string} words @param {Grid} grid */
    const named = (words, grid) => table(say(`cells ${words}`, { name }), slice, grid);
    const own = named(kind === "copied" ? "operand" : kind, gridOf(number, slice));
    const copied = to && named("copied", copiedTo(number, to, slice));
    const made = copied ?? (sum && named("sum", gridOf(sum, slice)));
    return html(
      "div",
      { class: `adl-figure is-${kind}` },
      own,
      made && [html("span", { class: "adl-flow", "aria-hidden": "true" }, "→"), made],
    );
  }
  /**
   * The buttons that go from slice to slice, if several have come.
   * @param {EntriesTable[]} tables @param {number} slice
   */
  function slicer(tables, slice) {
    const held = Math.max(...tables.map(({ number }) => gridOf(number).held));
    if (held < 2) return [];
    const ways = [
      { name: "slice before", sign: "‹", at: slice - 1 },
      { name: "next slice", sign: "›", at: slice + 1 },
    ];
    const buttons = ways.map(({ name, sign, at }, k) => {
      const over = at < 0 || at >= held;
      const turn = () => {
        if (over) return;
        actions.showSlice(at);
        /** @type {NodeListOf<HTMLButtonElement>} */
        const drawnAnew = heading.querySelectorAll(".adl-slicer button");
        drawnAnew[k].focus();
      };
      return html(
        "button",
        { type: "button", "aria-label": say(name), "aria-disabled": over, onclick: turn },
        sign,
      );
    });
    return [
      html("span", { class: "adl-slicer", role: "group", "aria-label": say("slices") }, buttons),
    ];
  }
  /** @param {State} state */
  function render(state) {
    const { run, landed } = momentOf(state);
    const { line: chosen, slice } = state.entries ?? { line: -1, slice: 0 };
    const adjoint = chosen < 0 ? null : adjointAt(run.history, chosen, landed);
    const tables = chosen < 0 ? [] : tablesAt(run, chosen, landed, adjoint);
    element.hidden = !tables.length;
    const numbers = tables.map(({ kind, number }) => kind + number.text + (number.cells ?? ""));
    const key = tables.length ? `${chosen} ${slice} ${numbers.join()}` : "";
    if (key === shown) return;
    shown = key;
    if (!tables.length) return body.replaceChildren();
    const line = run.trace.lines[chosen];
    const { label, display_name, source_expression } = line;
    const named = label ? `${label} (${display_name})` : `${display_name} = ${source_expression}`;
    const said = say("cells of", { name: named, shape: shapeText(line.value) });
    element.setAttribute("aria-label", said);
    title.textContent = said;
    heading.querySelector(".adl-slicer")?.remove();
    close.before(...slicer(tables, slice));
    body.replaceChildren(...tables.map((one) => figure(one, slice)));
  }
  /** @param {KeyboardEvent} event */
  function leave(event) {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    actions.closeEntries();
  }
  return {
    element,
    render: whenChanged((state) => [state.entries, runAt(state), momentOf(state).landed], render),
  };
}
