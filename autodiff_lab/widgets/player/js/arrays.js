import { html } from "./dom.js";
import { copiedTo, gridOf, shapeText, sharesOf, tablesAt } from "./entries.js";
import { nameWithKeys } from "./speech.js";
import { adjointAt } from "./state.js";
import { MAX_CELLS_PER_SIDE } from "./trace_types.js";

/** The entries of the array that the learner has chosen: its value, its adjoint, its partials, and what was copied. */
export function arraysView(say, onClose) {
  const title = html("strong");
  const close = html(
    "button",
    {
      type: "button",
      class: "adl-close",
      ...nameWithKeys(say, say("close entries"), "Esc"),
      onclick: shut,
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
  let run,
    chosen = null,
    slice = 0,
    shown = "",
    latest = -1;

  function table(caption, { rows, height, width, slices, copies }) {
    const shares = sharesOf(rows);
    const cell = (text, r, c) => {
      const share = shares[r][c];
      const marks = [share < 0 ? "is-negative" : "", copies?.[r][c] ? "is-copy" : ""].filter(
        Boolean,
      );
      return html(
        "td",
        {
          class: marks.join(" ") || null,
          style: `--adl-share: ${Math.round(Math.abs(share) * 100)}%`,
        },
        text,
        copies?.[r][c] && html("span", { class: "adl-unseen" }, ` ${say("entry copied")}`),
      );
    };
    const head = html(
      "tr",
      {},
      html("td"),
      (rows[0] ?? []).map((_, c) => html("th", { scope: "col" }, String(c))),
    );
    const lines = rows.map((row, r) =>
      html(
        "tr",
        {},
        html("th", { scope: "row" }, height > 1 && String(r)),
        row.map((text, c) => cell(text, r, c)),
      ),
    );
    const note = [
      slices > 1 && say("slice of", { n: slice + 1, count: slices }),
      height > MAX_CELLS_PER_SIDE && say("cells rows", { n: MAX_CELLS_PER_SIDE, count: height }),
      width > MAX_CELLS_PER_SIDE && say("cells columns", { n: MAX_CELLS_PER_SIDE, count: width }),
    ]
      .filter(Boolean)
      .join(say("separator"));
    return html(
      "table",
      {},
      html("caption", {}, caption, note && html("small", {}, note)),
      html("thead", {}, head),
      html("tbody", {}, lines),
    );
  }
  /** A number, and what broadcasting makes of it. */
  function figure({ kind, name, number, to, sum }) {
    const named = (words, grid) => table(say(`cells ${words}`, { name }), grid);
    const own = named(kind === "copied" ? "operand" : kind, gridOf(number, slice));
    const made = to
      ? named("copied", copiedTo(number, to, slice))
      : sum
        ? named("sum", gridOf(sum, slice))
        : null;
    return html(
      "div",
      { class: `adl-figure is-${kind}` },
      own,
      made && [html("span", { class: "adl-flow", "aria-hidden": "true" }, "→"), made],
    );
  }
  /** The buttons that go from slice to slice, if several have come. */
  function slicer(tables) {
    const held = Math.max(...tables.map(({ number }) => gridOf(number).held));
    if (held < 2) return [];
    const buttons = [
      ["slice before", "‹", -1],
      ["next slice", "›", 1],
    ].map(([name, sign, by], k) => {
      const at = slice + by;
      const over = at < 0 || at >= held;
      const turn = () => {
        if (over) return;
        slice = at;
        draw(latest, true);
        heading.querySelectorAll(".adl-slicer button")[k].focus();
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
  function draw(s, anew = false) {
    latest = s;
    const tables =
      chosen === null ? [] : tablesAt(run, chosen, s, adjointAt(run.history, chosen, s));
    element.hidden = !tables.length;
    const key = tables.length
      ? `${chosen} ${tables.map(({ kind, number }) => kind + number.text + (number.cells ?? "")).join()}`
      : "";
    if (!anew && key === shown) return;
    shown = key;
    if (!tables.length) return body.replaceChildren();
    const line = run.trace.lines[chosen];
    const named = line.label
      ? `${line.label} (${line.display_name})`
      : `${line.display_name} = ${line.source_expression}`;
    const said = say("cells of", { name: named, shape: shapeText(line.value) });
    element.setAttribute("aria-label", said);
    title.textContent = said;
    heading.querySelector(".adl-slicer")?.remove();
    close.before(...slicer(tables));
    body.replaceChildren(...tables.map(figure));
  }
  function shut() {
    chosen = null;
    draw(latest);
    onClose();
  }
  function leave(event) {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    shut();
  }
  const hasEntries = (line) => run.trace.lines[line]?.value.shape?.length;
  return {
    element,
    load(next) {
      run = next;
      if (!hasEntries(chosen)) chosen = null;
      shown = "";
    },
    update: draw,
    /** Opens the table of a line; of a number there is none, and what is open stays. */
    choose(line) {
      if (!hasEntries(line)) return;
      if (line !== chosen) slice = 0;
      chosen = line;
      draw(latest);
    },
  };
}
