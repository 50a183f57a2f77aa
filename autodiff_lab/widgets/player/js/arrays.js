import { html } from "./dom.js";
import { copiedTo, gridOf, sharesOf, SIDE, tablesAt } from "./entries.js";
import { adjointAt } from "./state.js";

/** The entries of the array that the learner has chosen: its value, its adjoint, its partials, and what was copied. */
export function arraysView(say, onClose) {
  const title = html("strong");
  const close = html("button", { type: "button", class: "adl-close", "aria-label": say("close entries"), title: say("button", { label: say("close entries"), keys: "Esc" }) }, "×");
  const body = html("div", { class: "adl-tables adl-scroll", tabindex: 0, role: "group", "aria-label": say("cells") });
  const element = html("div", { class: "adl-arrays", role: "region", hidden: "" }, html("div", { class: "adl-arrays-title" }, title, close), body);
  let run, chosen = null, slice = 0, shown = "", latest = -1;

  function table(caption, { rows, height, width, slices, copies }) {
    const shares = sharesOf(rows);
    const head = html("tr", {}, html("td"), ...(rows[0] ?? []).map((_, c) => html("th", { scope: "col" }, String(c))));
    const lines = rows.map((row, r) => html("tr", {}, html("th", { scope: "row" }, height > 1 ? String(r) : ""), ...row.map((text, c) =>
      html("td", { class: `${shares[r][c] < 0 ? "is-negative" : ""}${copies?.[r][c] ? " is-copy" : ""}`.trim() || null, style: `--adl-share: ${Math.round(Math.abs(shares[r][c]) * 100)}%` },
           text, ...(copies?.[r][c] ? [html("span", { class: "adl-unseen" }, ` ${say("entry copied")}`)] : [])))));
    const cut = [...(height > SIDE ? [say("cells rows", { n: SIDE, count: height })] : []), ...(width > SIDE ? [say("cells columns", { n: SIDE, count: width })] : [])];
    const which = slices > 1 ? [say("slice of", { n: slice + 1, count: slices })] : [];
    const note = [...which, ...cut].join(say("separator"));
    return html("table", {}, html("caption", {}, caption, ...(note ? [html("small", {}, note)] : [])), html("thead", {}, head), html("tbody", {}, ...lines));
  }
  const arrow = () => html("span", { class: "adl-flow", "aria-hidden": "true" }, "→");
  function figure({ kind, name, number, to, sum }) {
    const caption = say(`cells ${kind}`, { name });
    if (kind === "copied") return [table(say("cells operand", { name }), gridOf(number, slice)), arrow(), table(caption, copiedTo(number, to, slice))];
    if (kind === "summed") return [table(caption, gridOf(number, slice)), arrow(), table(say("cells sum", { name }), gridOf(sum, slice))];
    return [table(caption, gridOf(number, slice))];
  }
  function slicer(tables) {
    const held = Math.max(...tables.map(({ number }) => gridOf(number).held));
    if (held < 2) return [];
    return ["−", "+"].map((sign, k) => {
      const by = 2 * k - 1;
      const button = html("button", { type: "button", "aria-label": say(k ? "next slice" : "slice before"), "aria-disabled": slice + by < 0 || slice + by >= held }, k ? "›" : "‹");
      button.addEventListener("click", () => {
        if (slice + by < 0 || slice + by >= held) return;
        slice += by;
        draw(latest, true);
        title.parentElement.querySelectorAll(".adl-slicer button")[k].focus();
      });
      return button;
    });
  }
  function draw(s, anew = false) {
    latest = s;
    const tables = chosen === null ? [] : tablesAt(run, chosen, s, adjointAt(run.history, chosen, s));
    element.hidden = !tables.length;
    const key = tables.length ? `${chosen} ${tables.map(({ kind, number }) => kind + number.text + (number.cells ?? "")).join()}` : "";
    if (!anew && key === shown) return;
    shown = key;
    if (!tables.length) return body.replaceChildren();
    const line = run.trace.lines[chosen];
    const named = line.label ? `${line.label} (${line.shown})` : `${line.shown} = ${line.meaning}`;
    const said = say("cells of", { name: named, shape: `(${line.value.shape.join(", ")}${line.value.shape.length === 1 ? "," : ""})` });
    title.replaceChildren(said);
    element.setAttribute("aria-label", said);
    title.parentElement.querySelector(".adl-slicer")?.remove();
    const buttons = slicer(tables);
    if (buttons.length) close.before(html("span", { class: "adl-slicer", role: "group", "aria-label": say("slices") }, ...buttons));
    const figures = tables.map((one) => html("div", { class: `adl-figure is-${one.kind}` }, ...figure(one)));
    body.replaceChildren(...figures);
  }
  function shut() {
    chosen = null;
    draw(latest);
    onClose();
  }
  close.addEventListener("click", shut);
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    shut();
  });
  return {
    element,
    load(next) {
      run = next;
      if (!run.trace.lines[chosen]?.value.shape?.length) chosen = null;
      shown = "";
    },
    update: draw,
    /** Opens the table of a line; of a number there is none, and what is open stays. */
    choose(line) {
      if (!run.trace.lines[line]?.value.shape?.length) return;
      if (line !== chosen) slice = 0;
      chosen = line;
      draw(latest);
    },
  };
}
