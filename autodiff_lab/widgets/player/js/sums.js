import { html, linkTo, roving } from "./dom.js";
import { receivers, sumAt } from "./state.js";

const MOST_SUMS = 2; // shown at once; a step that changes more names the rest in words

/** The sum at a node, contribution by contribution: of the lines that a step changes, or of the one that is pointed at. */
export function sumsView(host) {
  const element = html("div", { class: "adl-sums", role: "group", "aria-label": host.say("sums") });
  let run, s, shown = "", chips = [];

  function chip(part, trace) {
    const from = trace.lines[part.from];
    const waiting = part.text === undefined;
    const kind = waiting ? "to come" : part.lost ? "overwritten" : part.edge.line === part.from ? "from" : "through";
    const said = host.say(`contribution ${kind}`, { name: from.shown, term: part.text, value: part.number?.text });
    const node = html("button", { type: "button", class: `adl-chip${waiting ? " is-waiting" : part.lost ? " is-lost" : ""}`, title: said },
                      html("small", {}, from.label || from.shown), waiting ? "…" : part.text);
    linkTo(node, () => part.edge, { ...host, visit: () => host.go(part.step) });
    chips.push({ node, edge: part.edge });
    return node;
  }
  function line(i) {
    const { trace } = run;
    const sum = sumAt(run, i, s);
    if (!sum) return null;
    const own = trace.lines[i];
    const parts = [...(sum.seed ? [html("span", { class: "adl-seed" }, html("small", {}, i === trace.result ? host.say("sum seed") : trace.excerpt.later), sum.seed.text)] : []),
                   ...sum.parts.map((part) => chip(part, trace)),
                   ...sum.waiting.map(({ text, ...part }) => chip(part, trace))];
    const total = sum.total ? [html("span", { class: "adl-t-op" }, " = "), html("span", { class: "adl-total" }, sum.total.text)] : [];
    if (trace.truth[i] && sum.total) total.push(html("small", {}, host.say("sum true", { value: trace.truth[i].text })));
    return html("div", { class: "adl-sum", "data-line": i },
                html("span", { class: "adl-sum-name" }, sum.name, ...(own.label ? [html("small", {}, ` ${own.label}`)] : [])), html("span", { class: "adl-t-op" }, " = "),
                ...parts.flatMap((part, k) => (k ? [html("span", { class: "adl-t-op" }, sum.parts.some(({ lost }) => lost) ? " " : " + "), part] : [part])), ...total);
  }
  function show(lines) {
    const key = `${s} ${lines.join()}`;
    if (key === shown) return;
    shown = key;
    const focused = chips.findIndex(({ node }) => node === document.activeElement);
    chips = [];
    element.replaceChildren(...lines.map(line).filter(Boolean));
    roving(chips.map(({ node }) => node));
    if (focused >= 0) (chips[focused]?.node ?? element.closest(".adl-player")).focus({ preventScroll: true });
  }
  const current = () => receivers(run.trace, s).slice(0, MOST_SUMS);
  return {
    element,
    load(next) {
      run = next;
      shown = "";
    },
    update(step) {
      s = step;
      show(current());
    },
    /** Shows the sum at what is pointed at; at a contribution, the sum that it is part of. */
    link(target) {
      for (const { node } of chips) node.classList.remove("is-linked");
      if (!target) return show(element.contains(document.activeElement) ? shown.split(" ")[1].split(",").filter(Boolean).map(Number) : current());
      const receiver = target.slot === undefined ? target.line : run.trace.steps[s]?.phase === "forward" ? target.line : target.parent;
      if (!element.querySelector(`.adl-sum[data-line="${receiver}"]`) && sumAt(run, receiver, s)) show([receiver]);
      for (const { node, edge } of chips)
        if (target.slot !== undefined && edge.line === target.line && edge.slot === target.slot) node.classList.add("is-linked");
    },
  };
}
