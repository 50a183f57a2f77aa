/**
 * The source of a run.
 *
 * @import { Actions } from "./actions.js"
 * @import { Run } from "./run.js"
 * @import { State } from "./state.js"
 * @import { Store } from "./store.js"
 * @import { RaisedError, Span, Step, Turn } from "./trace_types.js"
 */

import { classNames, html, linkTo, passClass, put, roving, scrollInside, set } from "./dom.js";
import { momentOf } from "./state.js";
import { counted } from "./speech.js";
import { whenChanged } from "./store.js";

/**
 * @typedef {{node: HTMLElement, text: string, said: string}} Times the text in the margin of a row:
 *   how often it ran
 */

/**
 * The length of an expression. One on more lines always counts as longer.
 * @param {Span} span
 */
const lengthOf = (span) => (span.end_line - span.line) * 1e4 + span.end_column - span.column;

/**
 * The view of the learner's code. The margin shows how often each row ran, and the expression of the step is
 * highlighted.
 * @param {Run} run @param {Store<State>} store @param {Actions} actions
 */
export function sourceView({ trace }, store, actions) {
  const element = html("div", { class: "adl-source" });
  /** @type {HTMLElement[][]} */
  const piecesOf = trace.lines.map(() => []); // the pieces of text that make up the line's expression
  /** @type {HTMLElement[][]} */
  const callsOf = trace.lines.map(() => []); // the pieces of the calls that led to it
  /** @type {(HTMLElement|null)[]} */
  const rowOf = trace.lines.map(() => null);
  /** @type {HTMLElement[]} */
  const focusable = [];
  const hasCounts = trace.sources.some(({ ran }) => ran?.length);
  const turns = trace.lines.flatMap((line) => line.turns);
  const widest = Math.max(3, ...turns.map(({ count }) => 2 * String(count).length + 1)); // characters of the margin
  /** @type {Map<string, Times>} */
  const times = new Map();
  /** The count of a row, in words. @param {number} ran */
  const saidOf = (ran) => (ran ? counted(trace.say, "row ran", ran) : trace.say("row missed"));
  /**
   * The margin of a row: how often it ran. At the head of a loop, it shows the number of the current iteration
   * instead.
   * @param {string} place @param {number|undefined} ran negative or undefined where it isn't counted
   */
  function timesOf(place, ran) {
    const isCounted = ran !== undefined && ran >= 0;
    const said = isCounted ? saidOf(ran) : "";
    const node = html(
      "span",
      { class: "adl-times", "aria-hidden": "true", title: said || null },
      isCounted ? `×${ran}` : "",
    );
    times.set(place, { node, text: node.textContent, said });
    return [node, said && html("span", { class: "adl-unseen" }, `${said}: `)];
  }
  const currentLine = () => trace.steps[store.get().step]?.line ?? -1;
  /** @type {Times[]} */
  let heads = [];
  /** @param {Turn[]} turns */
  function showTurns(turns) {
    for (const { node, text, said } of heads) {
      put(node, text);
      set(node, "title", said);
      node.classList.remove("is-turn");
    }
    heads = turns.flatMap(({ source, line, n, count }) => {
      const head = times.get(`${source} ${line}`);
      if (!head) return [];
      put(head.node, `${n}/${count}`);
      set(head.node, "title", trace.say("iteration", { n, count }));
      head.node.classList.add("is-turn");
      return [head];
    });
  }
  /** @type {Map<string, HTMLElement>} */
  const rowsOf = new Map(); // by source and row
  /** Marks the row whose exception ended the run, and the calls that led there. @param {RaisedError} raised */
  function markRaised({ text, where }) {
    for (const [k, { source, line }] of where.entries()) {
      const row = rowsOf.get(`${source} ${line}`);
      row?.classList.add(k === where.length - 1 ? "is-raised" : "is-raised-call");
      if (k === where.length - 1) row?.append(html("span", { class: "adl-unseen" }, ` ${text}`));
    }
  }
  trace.sources.forEach((source, k) => {
    if (trace.sources.length > 1)
      element.append(html("div", { class: "adl-source-name" }, source.name));
    source.text.forEach((text, r) => {
      /** @param {Span} span */
      const on = (span) => span.source === k && span.line <= r && r <= span.end_line;
      const indent = text.length - text.trimStart().length;
      /** @param {Span} span */
      const from = ({ line, column }) => (line === r ? column : indent);
      /** @param {Span} span */
      const to = (span) => (span.end_line === r ? span.end_column : text.length);
      const spans = trace.lines.flatMap((line, i) =>
        line.where.filter(on).map((span) => ({ span, i, own: span === line.where.at(-1) })),
      );
      const ends = spans.flatMap(({ span }) => [from(span), to(span)]);
      const cuts = [...new Set([0, text.length, ...ends])].sort((a, b) => a - b);
      const code = html("code");
      const ran = source.ran?.[r];
      const marginStyle = { class: "adl-margin", style: `--adl-times: ${widest}ch` };
      const margin = hasCounts && html("span", marginStyle, timesOf(`${k} ${r}`, ran));
      const row = html(
        "div",
        {
          class: classNames("adl-code", ran === 0 && "is-missed"),
          style: `--adl-indent: ${indent + 2}ch`, // a line that is too long wraps, with a deeper indent
        },
        margin,
        code,
      );
      cuts.slice(0, -1).forEach((start, c) => {
        const end = cuts[c + 1];
        const piece = html("span", {}, text.slice(start, end));
        code.append(piece);
        const covering = spans.filter(({ span }) => from(span) <= start && end <= to(span));
        for (const { i, own } of covering) {
          const pieces = own ? piecesOf : callsOf;
          pieces[i].push(piece);
        }
        // A piece belongs to the innermost expression around it; in a loop, that is several lines of the tape.
        const expressions = covering.filter(({ own }) => own);
        const shortest = Math.min(...expressions.map(({ span }) => lengthOf(span)));
        const innermost = expressions.filter(({ span }) => lengthOf(span) === shortest);
        const lines = innermost.map(({ i }) => i);
        if (!lines.length) return;
        piece.classList.add("adl-piece");
        const meant = () => ({ line: lines.find((i) => i > currentLine()) ?? lines[0] });
        linkTo(piece, meant, actions);
        if (!piece.textContent.trim()) return;
        piece.setAttribute("role", "button");
        piece.setAttribute("data-lm-suppress-shortcuts", "true");
        focusable.push(piece);
      });
      for (const { span, i, own } of spans) {
        if (own && span.line === r) rowOf[i] = row;
      }
      rowsOf.set(`${k} ${r}`, row);
      element.append(row);
    });
  });
  if (trace.raised) markRaised(trace.raised);
  const note = trace.note || (trace.sources.length ? "" : trace.say("no source to show"));
  if (note) element.append(html("p", { class: "adl-note" }, note));
  roving(element, () => focusable).renew();

  // The elements that each of these classes marks now.
  /** @type {Element[]} */
  let current = [];
  /** @type {Element[]} */
  let calls = [];
  /** @type {Element[]} */
  let linked = [];
  /** @type {Element[]} */
  let births = [];
  const mark = whenChanged(
    (state) => [momentOf(state).step],
    (state) => {
      const { step } = momentOf(state);
      if (hasCounts) showTurns(step ? trace.lines[step.line].turns : []);
      const marked = step ? [rowOf[step.line], ...piecesOf[step.line]] : [];
      const present = marked.filter((node) => node !== null);
      current = passClass("is-current", current, present);
      calls = passClass("is-call", calls, step ? callsOf[step.line] : []);
    },
  );
  /** Marks the rows where a NaN or an infinity first appeared, from that step on. */
  const markBirths = whenChanged(
    (state) => [momentOf(state).landed],
    (state) => {
      const { landed, shown: at } = momentOf(state);
      const born = at < 0 ? [] : trace.steps.slice(0, landed + 1).filter((step) => step.birth);
      const rows = born.map((step) => rowOf[step.line]).filter((row) => row !== null);
      births = passClass("is-birth", births, rows);
    },
  );
  const light = whenChanged(
    ({ hover }) => [hover],
    ({ hover }) => {
      linked = passClass("is-linked", linked, hover ? piecesOf[hover.line] : []);
    },
  );
  let rows = note ? 1 + note.length / 36 : 0; // the height that shows all of it
  for (const source of trace.sources) {
    rows += source.text.length;
    if (trace.sources.length > 1) rows += 1.4; // its name
  }
  return {
    element,
    rows,
    /** @param {State} state */
    render(state) {
      mark(state);
      markBirths(state);
      light(state);
    },
    /** @param {Step} step @param {boolean} smooth */
    follow(step, smooth) {
      const row = rowOf[step.line];
      if (row) scrollInside(element, row.getBoundingClientRect(), smooth, 6);
    },
  };
}
