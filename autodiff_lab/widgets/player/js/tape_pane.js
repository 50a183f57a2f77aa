/**
 * The tape of a run.
 *
 * @import { Actions } from "./actions.js"
 * @import { Moment } from "./moment.js"
 * @import { Run } from "./run.js"
 * @import { State } from "./state.js"
 * @import { Line, Num, Step } from "./trace_types.js"
 */

import { hasCells, scalesOf } from "./cells.js";
import { classNames, html, linkTo, passClass, put, roving, scrollInside, set } from "./dom.js";
import { inBox } from "./graph/parts.js";
import { tapeCells, widthInTape } from "./tape_cells.js";
import { adjointOf, changedLines, looksLike, markOf } from "./moment.js";
import { momentOf } from "./state.js";
import { NOT_REACHED, adjointHistory, receivers, tangentsOf } from "./run.js";
import { whenChanged } from "./store.js";

const WIDEST = 13; // characters of a value on the tape; a longer one is cut, and its tooltip shows all of it
// The characters of an array, and whether the cells of a small one contain numbers; later choices need less space.
const ARRAYS = [
  { value: 20, adjoint: 20, isWritten: true },
  { value: 15, adjoint: 15, isWritten: false },
  { value: 13, adjoint: 12, isWritten: false },
  { value: 11, adjoint: 10, isWritten: false },
];
/** @type {Num} */
const MISSING = {
  text: NOT_REACHED,
  value: null,
  shape: [],
  short: "",
  cells: "",
  in_cells: "",
  lists_entries: false,
};
const NUMBERS = [{ value: WIDEST, adjoint: WIDEST, isWritten: true }];
const MIN_READING = 5; // ems; if the column of expressions gets narrower, cells lose their numbers

/**
 * Shortens a name that is too long for the tape to its end: `params['W1']` to its key. The box in the
 * graph shows all of it.
 * @param {string} name
 */
const inMargin = (name) =>
  name.length > 8 ? name.replace(/^.*\['([^'\]]+)'\]((\[\d+\])*)$/, "$1$2") : name;

/** Cuts a text to this many characters. @param {number} room @param {string} text */
function cutTo(room, text) {
  if (text.length <= room) return text;
  return `${text.slice(0, room - 1).replace(/[ …]+$/, "")}…`;
}

/**
 * The view of a run's tape: a table with a row for each line, with its value and its adjoint.
 * @param {Run} run @param {Actions} actions
 */
export function tapeView({ trace }, actions) {
  const { say } = trace;
  const hasTangents = trace.directions.length > 0;
  const hasAdjoints = trace.mode !== "forward";
  const several = trace.directions.length > 1;
  /** @param {string} title @param {string} [hint] */
  const heading = (title, hint) => html("th", { scope: "col", title: hint }, title);
  const head = [heading(""), heading(""), heading(say("tape value"))];
  for (const { name, shown } of trace.directions) {
    const title = several ? `→ ${name}` : say("tape tangent");
    head.push(heading(title, say("the tangent along", { direction: shown })));
  }
  if (hasAdjoints) head.push(heading(say("tape adjoint")));
  if (trace.fault) head.push(heading(say("tape true"), say("what a right engine finds")));
  const header = html("thead", {}, html("tr", {}, head));
  const body = html("tbody");
  /** @param {string[]} texts @param {number} [most] @param {number} [least] */
  const widest = (texts, most = WIDEST, least = 7) =>
    Math.min(most, Math.max(least, ...texts.map((text) => text.length)));
  const reached = adjointHistory(trace).flatMap((changes) =>
    changes.map((change) => change.adjoint),
  );
  const rooms = trace.lines.some(({ value }) => value.shape?.length) ? ARRAYS : NUMBERS;
  let most = rooms[rooms.length - 1];
  // A column is as wide as its widest text of the whole run, so that nothing shifts while stepping.
  /** @type {Num[][]} */
  const columns = [trace.lines.map(({ value }) => value)];
  for (const k of trace.directions.keys())
    columns.push(trace.lines.map((_, i) => tangentsOf(trace, i)[k]));
  if (hasAdjoints) columns.push(reached);
  if (trace.fault) columns.push(trace.truth.filter((number) => number !== null));
  const texts = columns.map((column) => column.filter((one) => !hasCells(one)).map(inBox));
  const arrays = columns.map((column) => column.filter(hasCells));
  const scales = scalesOf(trace);
  const element = html(
    "div",
    { class: "adl-tape-body" },
    html("table", { class: "adl-tape" }, header, body),
  );
  const rows = trace.lines.map((line, i) => {
    const isArray = line.value.shape?.length > 0;
    const value = html("td", { class: classNames("adl-value", isArray && "has-entries") });
    const tangents = hasTangents
      ? trace.directions.map(() => html("td", { class: "adl-tangent" }))
      : [];
    const adjoint = hasAdjoints ? html("td", { class: "adl-adjoint" }) : null;
    const truth = trace.fault ? html("td", { class: "adl-truth" }) : null;
    const isInput = line.kind === "input";
    const operation = html("span", {}, line.reading);
    set(operation, "title", `${line.display_name} = ${line.expression}`);
    const name = html(
      "th",
      // An input has no expression, so its name spans two columns.
      { scope: "row", title: line.assigned_name || null, colspan: isInput ? 2 : null },
      inMargin(line.assigned_name || line.display_name),
      line.occurrence > 0 && html("small", {}, ` ${line.occurrence}`),
      line.assigned_name && html("small", { class: "adl-on-tape" }, ` ${line.display_name}`),
    );
    if (!line.assigned_name) name.classList.add("is-unnamed");
    const row = html(
      "tr",
      { "data-line": i, tabindex: -1 },
      name,
      !isInput && html("td", { class: "adl-operation" }, operation),
      value,
      tangents,
      adjoint,
      truth,
    );
    linkTo(row, () => ({ line: i }), actions);
    const sweepBefore = trace.lines[i - 1]?.sweep_id ?? 0;
    if (line.sweep_id !== sweepBefore) {
      const title = say(line.sweep_id ? "stretch" : "stretch ends");
      const cell = html("th", { scope: "rowgroup", colspan: head.length }, title);
      body.append(html("tr", { class: "adl-stretch" }, cell));
    }
    if (line.sweep_id) row.dataset.stretch = String(line.sweep_id);
    body.append(row);
    return { row, value, tangents, adjoint, truth };
  });
  roving(body, () => rows.map(({ row }) => row)).renew();
  /** @type {Element[]} */
  let linked = [];
  /** @type {Moment|null} */
  let shown = null; // the moment that the table shows
  function setColumns() {
    /** @param {number} k of the column of numbers */
    const least = (k) => (several && k && k <= trace.directions.length ? 4 : 7);
    texts.forEach((all, k) => {
      const text = `${widest(all, k ? most.adjoint : most.value, least(k))}ch`;
      const cells = arrays[k].map(({ shape }) => widthInTape(shape, most.isWritten));
      const widestCells = `${Math.max(0, ...cells)}em`;
      header.rows[0].cells[k + 2].style.minWidth = `calc(max(${text}, ${widestCells}) + 14px)`;
    });
  }
  setColumns();
  /**
   * @param {HTMLElement} cell @param {Num|null} number @param {"value"|"tangent"|"adjoint"} kind
   * @param {number} [room]
   */
  const write = (cell, number, kind, room = most.adjoint) => {
    if (number && hasCells(number)) {
      const key = `${number.in_cells}|${most.isWritten}`;
      if (cell.dataset.cells === key) return;
      cell.replaceChildren(tapeCells(number, kind, scales[kind], most.isWritten, say));
      cell.dataset.cells = key;
      cell.dataset.whole = number.text;
      set(cell, "title", number.text);
      return;
    }
    delete cell.dataset.cells;
    const text = number ? inBox(number) : "";
    const shown = cutTo(room, text);
    put(cell, shown);
    if (number && shown !== number.text) set(cell, "title", number.text);
    else cell.removeAttribute("title");
    if (number && shown !== text) cell.dataset.whole = number.text;
    else delete cell.dataset.whole;
  };
  /** Rewrites the lines that have changed. @param {Moment} moment @param {Iterable<number>} lines */
  function update(moment, lines) {
    const { step, s, shown: at, landed } = moment;
    const hasLanded = landed === s;
    const isForward = step?.phase === "forward";
    const receiving = new Set(hasLanded && !isForward ? receivers(trace, at) : []);
    for (const i of lines) {
      const { row, value, tangents, adjoint: cell, truth } = rows[i];
      const marks = markOf(moment, i);
      const now = adjointOf(moment, i);
      const hasNewTangent = isForward && step.line === i && hasLanded;
      set(row, "class", classNames(marks.classes, row.matches(".is-linked") && "is-linked"));
      write(value, marks.recorded ? trace.lines[i].value : null, "value", most.value);
      if (marks.released) set(value, "title", say("let go", { value: trace.lines[i].value.text }));
      tangents.forEach((own, k) => {
        write(own, marks.recorded ? tangentsOf(trace, i)[k] : null, "tangent");
        set(own, "class", classNames("adl-tangent", hasNewTangent && "is-new"));
      });
      if (truth) write(truth, marks.swept ? (trace.truth[i] ?? MISSING) : null, "adjoint");
      if (!cell) continue;
      write(cell, marks.swept ? (now ?? MISSING) : null, "adjoint");
      const isNew = receiving.has(i);
      set(cell, "class", classNames("adl-adjoint", !now && "is-missing", isNew && "is-new"));
      if (now || !marks.swept) cell.removeAttribute("aria-label");
      else cell.setAttribute("aria-label", say("not reached"));
    }
  }
  const light = whenChanged(
    ({ hover }) => [hover],
    ({ hover }) => {
      const lines = hover ? [hover.line, hover.parent].filter((i) => i !== undefined) : [];
      const linkedRows = lines.map((i) => rows[i].row);
      linked = passClass("is-linked", linked, linkedRows);
    },
  );

  /** The width of the column of expressions, in ems. */
  function readingWidth() {
    /** @type {HTMLElement|null} */
    const reading = element.querySelector("th:nth-child(2)");
    return (reading?.offsetWidth ?? 0) / parseFloat(getComputedStyle(element).fontSize);
  }

  return {
    element,
    /**
     * Chooses the widths of the columns. Numbers have priority; the expressions are shown if there's
     * space left, because the source and the graph show them too.
     */
    fit() {
      const before = most;
      element.classList.remove("is-narrow");
      element.classList.add("is-measured");
      for (most of rooms) {
        setColumns();
        const isReadable = !most.isWritten || rooms.length === 1 || readingWidth() >= MIN_READING;
        if (element.scrollWidth <= element.clientWidth && isReadable) break;
      }
      element.classList.remove("is-measured");
      if (most !== before && shown) update(shown, trace.lines.keys());
      element.classList.toggle("is-narrow", readingWidth() < 4);
    },
    rows: trace.lines.length + 1 + body.querySelectorAll(".adl-stretch").length,
    /** @param {State} state */
    render(state) {
      const moment = momentOf(state);
      if (!looksLike(shown, moment)) update(moment, changedLines(shown, moment));
      shown = moment;
      light(state);
    },
    /** @param {Step} step @param {boolean} smooth @param {number} s */
    follow(step, smooth, s) {
      const head = header.offsetHeight; // it's sticky: rows scroll behind it
      const boxes = [step.line, ...receivers(trace, s)].map((i) =>
        rows[i].row.getBoundingClientRect(),
      );
      /** @param {DOMRect[]} some */
      const around = (some) => ({
        left: boxes[0].left,
        right: boxes[0].left,
        top: Math.min(...some.map((b) => b.top)) - head,
        bottom: Math.max(...some.map((b) => b.bottom)),
      });
      const [all, own] = [around(boxes), around(boxes.slice(0, 1))];
      scrollInside(element, all.bottom - all.top < element.clientHeight ? all : own, smooth, 4);
    },
  };
}
