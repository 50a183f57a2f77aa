import { html, linkTo, roving, scrollInside } from "./dom.js";

/** The learner's own text; the expression that a step runs is marked in it. See `mount` for what a pane is. */
export function sourceView(trace, host) {
  const element = html("div", { class: "adl-source" });
  const piecesOf = trace.lines.map(() => []); // the pieces of text that are the line's own expression
  const callsOf = trace.lines.map(() => []); // the pieces of the calls that led there
  const rowOf = trace.lines.map(() => null);
  const focusable = [];
  trace.sources.forEach((source, k) => {
    if (trace.sources.length > 1) element.append(html("div", { class: "adl-source-name" }, source.name));
    source.text.forEach((text, r) => {
      const on = ([source, line, , endLine]) => source === k && line <= r && r <= endLine;
      const from = ([, line, column]) => (line === r ? column : text.length - text.trimStart().length);
      const to = ([, , , endLine, endColumn]) => (endLine === r ? endColumn : text.length);
      const spans = trace.lines.flatMap((line, i) => line.where.filter(on).map((span) => ({ span, i, own: span === line.where.at(-1) })));
      const cuts = [...new Set([0, text.length, ...spans.flatMap(({ span }) => [from(span), to(span)])])].sort((a, b) => a - b);
      const code = html("code");
      const row = html("div", { class: "adl-code" }, html("span", { class: "adl-number", "aria-hidden": "true" }, String(source.first_line + r)), code);
      cuts.slice(0, -1).forEach((cut, c) => {
        const piece = html("span", {}, text.slice(cut, cuts[c + 1]));
        code.append(piece);
        const covering = spans.filter(({ span }) => from(span) <= cut && cuts[c + 1] <= to(span));
        for (const { i, own } of covering) (own ? piecesOf : callsOf)[i].push(piece);
        // The innermost expression answers for the piece; in a loop it stands for several tape lines.
        const own = covering.filter((c) => c.own);
        const width = ({ span: [, line, column, endLine, endColumn] }) => (endLine - line) * 1e4 + endColumn - column;
        const least = Math.min(...own.map(width));
        const lines = own.filter((c) => width(c) === least).map((c) => c.i);
        if (!lines.length) return;
        piece.classList.add("adl-piece");
        linkTo(piece, () => ({ line: lines.find((i) => i > host.line()) ?? lines[0] }), host);
        if (text.slice(cut, cuts[c + 1]).trim().length) {
          piece.setAttribute("role", "button");
          focusable.push(piece);
        }
      });
      for (const { span, i, own } of spans) if (own && span[1] === r) rowOf[i] = row;
      element.append(row);
    });
  });
  const note = trace.note || (trace.sources.length ? "" : trace.say("no source to show"));
  if (note) element.append(html("p", { class: "adl-note" }, note));
  roving(focusable);

  let shown = null;
  let linked = [];
  return {
    element,
    update({ step }) {
      if (shown !== null) {
        rowOf[shown]?.classList.remove("is-current");
        for (const piece of piecesOf[shown]) piece.classList.remove("is-current");
        for (const piece of callsOf[shown]) piece.classList.remove("is-call");
      }
      shown = step ? step.line : null;
      if (shown === null) return;
      rowOf[shown]?.classList.add("is-current");
      for (const piece of piecesOf[shown]) piece.classList.add("is-current");
      for (const piece of callsOf[shown]) piece.classList.add("is-call");
    },
    follow(step, smooth) {
      if (!rowOf[step.line]) return;
      const { top, bottom } = rowOf[step.line].getBoundingClientRect();
      const { left, right } = piecesOf[step.line][0].getBoundingClientRect();
      scrollInside(element, { top, bottom, left, right }, smooth);
    },
    link(target) {
      for (const piece of linked) piece.classList.remove("is-linked");
      linked = target ? piecesOf[target.line] : [];
      for (const piece of linked) piece.classList.add("is-linked");
    },
  };
}
