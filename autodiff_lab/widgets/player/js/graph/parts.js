/**
 * The parts of the graph: boxes, edges and their texts. Each is drawn around its own centre.
 *
 * @import { Actions } from "../actions.js"
 * @import { Mark, Run } from "../run.js"
 * @import { Target } from "../state.js"
 * @import { ShownTrace as Trace } from "../trace.js"
 * @import { Box, Line, Num, Operand } from "../trace_types.js"
 * @import { EdgePlace, Point } from "./stretch.js"
 */

import { classNames, linkTo, put, set, svg } from "../dom.js";
import { hasCells, isSmallShape, rowsInBox, scalesOf, sidesOf, sizeInConstant } from "../cells.js";
import { isResultLine, NOT_REACHED, tangentsOf, termsAt } from "../run.js";
import { cellRow } from "./cell_parts.js";
import { spotBeside } from "./spots.js";
import { pathOf } from "./stretch.js";

/**
 * The y positions of the texts of a node, from its centre: its heading, then its numbers.
 * @typedef {{head: number, value: number, tangent?: number, adjoint?: number, truth?: number}} Rows
 */
/** @type {Record<Trace["mode"]|"faulty", Rows>} */
const ROWS = {
  reverse: { head: -19, value: 0, adjoint: 19 },
  forward: { head: -19, value: 0, tangent: 19 },
  both: { head: -22, value: -7, tangent: 8, adjoint: 22 },
  faulty: { head: -22, value: -7, adjoint: 8, truth: 22 },
};
/** The y positions of the texts in the nodes of a trace. @param {Trace} trace */
const rowsOf = (trace) => ROWS[trace.fault ? "faulty" : trace.mode];
/** The rows below the heading, from top to bottom. @type {("value"|"tangent"|"adjoint"|"truth")[]} */
const BELOW = ["value", "tangent", "adjoint", "truth"];
/**
 * The positions of a line's numbers in its box; for a small array also the size of its cells, and the
 * position at which a contribution lands.
 * @param {Trace} trace @param {number} i @param {{w: number, h: number, bare?: boolean}} box
 * @returns {Rows & {across: Record<string, number>, texts?: Record<string, number|undefined>, cell?: {w: number, h: number, isWritten: boolean}, landing?:
 *   number|null}} `across` holds the x of each kind, from the centre, `texts` the y of the range below a strip
 */
export function rowsIn(trace, i, box) {
  const usual = rowsOf(trace);
  const { value } = trace.lines[i];
  if (!hasCells(value)) return { ...usual, across: {} };
  const kinds = BELOW.filter((kind) => usual[kind] !== undefined);
  const { head, rows, cell, landing } = rowsInBox(value.shape, box, kinds.length);
  const placed = Object.fromEntries(kinds.map((kind, k) => [kind, rows[k].y]));
  const across = Object.fromEntries(kinds.map((kind, k) => [kind, rows[k].x]));
  const texts = Object.fromEntries(kinds.map((kind, k) => [kind, rows[k].text]));
  return { value: 0, ...placed, across, texts, head, cell, landing };
}
/** @param {Num} number */
export const inNode = (number) => number.short || number.text;
/**
 * The text of a number in a box. An array shows its entries only: its shape is in the heading.
 * @param {Num} number
 */
export const inBox = (number) => inNode(number).replace(/^\(\d[\d, ]*\) /, "");
// The widths of an edge, by the size of what it carried. An edge that carried something is never faint.
const [THINNEST, THINNEST_CARRYING, THICKEST] = [1.25, 1.75, 5];

/** @typedef {"plain"|"ahead"|"value"|"tangent"|"adjoint"} EdgeMode */
/**
 * @typedef {{group: SVGGElement, path: SVGPathElement, hit: SVGPathElement, look?: string, share?:
 *   number}} EdgeLine
 */
/**
 * @typedef {{group: SVGGElement, title: SVGTitleElement, value: SVGTextElement, tangent:
 *   SVGTextElement|null, adjoint: SVGTextElement|null, truth: SVGTextElement|null, cells: CellRows|null}} NodePart
 */
/**
 * The cells of a small array in its box. `landing` is the row of a contribution, before it is added.
 * @typedef {ReturnType<typeof cellRow>} CellRow
 * @typedef {{value: CellRow, tangent: CellRow|null, adjoint: CellRow|null, landing: CellRow|null, plus:
 *   SVGTextElement|null}} CellRows
 */

/**
 * A text centered on x = 0.
 * @param {string} className @param {number} y @param {string} content @param {number} [size]
 */
export const middle = (className, y, content, size) =>
  svg(
    "text",
    {
      class: className,
      y,
      "text-anchor": "middle",
      "dominant-baseline": "central",
      "font-size": size,
    },
    content,
  );

/**
 * Functions that draw the parts of a trace's graph.
 * @param {Trace} trace @param {Pick<Actions, "link"|"visit">} actions @param {string} prefix
 */
export function partsOf(trace, actions, prefix) {
  const { say } = trace;
  const scales = scalesOf(trace);
  /** @param {{w: number, h: number}} box @param {number} rounding @param {number} [inset] */
  const framed = ({ w, h }, rounding, inset = 0) =>
    svg("rect", {
      class: inset ? "adl-inner" : "adl-frame",
      x: -w / 2 + inset,
      y: -h / 2 + inset,
      width: w - 2 * inset,
      height: h - 2 * inset,
      rx: Math.max(1, rounding - inset),
    });

  /** The box of a line. @param {number} i @param {Box} box @returns {NodePart} */
  function node(i, box) {
    const line = trace.lines[i];
    const rows = rowsIn(trace, i, box);
    const isResult = isResultLine(trace, i);
    const rounding = line.kind === "input" ? 2 : 10;
    const heading = headingOf(line, box, rows.head);
    const cells = rows.cell ? cellRows(line.value.shape, rows, rows.cell) : null;
    const marks = line.value.shape.length && !cells ? " has-entries" : "";
    /** @param {"tangent"|"adjoint"|"truth"} kind */
    const textOf = (kind) => {
      const y = rows.texts?.[kind] ?? rows[kind];
      if (y === undefined) return null;
      const text = middle(`adl-${kind}${marks}`, y, "");
      if (rows.across[kind]) set(text, "x", rows.across[kind]);
      return text;
    };
    const value = middle(`adl-value${marks}`, rows.texts?.value ?? rows.value, "");
    const [tangent, adjoint, truth] = [textOf("tangent"), textOf("adjoint"), textOf("truth")];
    const title = svg("title");
    const onTape = svg(
      "text",
      { class: "adl-on-tape", x: 4 - box.w / 2, y: -box.h / 2 - 4, "font-size": 11 },
      line.display_name,
    );
    const look = classNames("adl-node", `is-${line.kind}`, isResult && "is-result");
    const group = svg(
      "g",
      { class: look, "data-node": `n${i}`, role: "button" },
      title,
      framed(box, rounding),
      isResult && framed(box, rounding, 3.5),
      onTape,
      heading,
      value,
      tangent,
      adjoint,
      truth,
      cells?.value.group,
      cells?.tangent?.group,
      cells?.adjoint?.group,
      cells?.landing?.group,
      cells?.plus,
    );
    linkTo(group, () => ({ line: i }), actions);
    return { group, value, tangent, adjoint, truth, title, cells };
  }

  /** The heading of a box: the name of the value, and the operation. @param {Line} line @param {Box} box @param {number} y */
  function headingOf(line, box, y) {
    const [name, operation] = box.head ?? [line.assigned_name || line.display_name, line.symbol];
    // A name that is assigned several times is followed by the number of this assignment, in small type.
    const occurrence = box.head && line.occurrence ? ` ${line.occurrence}` : "";
    const called = name.slice(0, name.length - occurrence.length);
    return svg(
      "text",
      { class: "adl-heading", y, "text-anchor": "middle", "dominant-baseline": "central" },
      name && svg("tspan", { class: "adl-called" }, called),
      name &&
        occurrence &&
        svg("tspan", { class: "adl-turn", "font-size": 11, dx: 2 }, occurrence.trim()),
      operation && svg("tspan", { class: "adl-symbol", dx: name ? 5 : 0 }, operation),
    );
  }

  /**
   * The rows of cells in the box of a small array. Tangents in several directions are shown as text instead.
   * @param {number[]} shape @param {ReturnType<typeof rowsIn>} rows
   * @param {{w: number, h: number, isWritten: boolean}} size
   * @returns {CellRows}
   */
  function cellRows(shape, rows, size) {
    const { value, tangent, adjoint, across, landing = null } = rows;
    /** @param {"value"|"tangent"|"adjoint"} kind @param {number} y @param {number} [x] */
    const cellsAt = (kind, y, x = across[kind]) => cellRow(say, kind, shape, size, { x, y });
    /** @type {CellRows} */
    const drawn = {
      value: cellsAt("value", value),
      tangent: null,
      adjoint: null,
      landing: null,
      plus: null,
    };
    const isSingle = trace.directions.length === 1;
    if (tangent !== undefined && isSingle) drawn.tangent = cellsAt("tangent", tangent);
    if (adjoint !== undefined) drawn.adjoint = cellsAt("adjoint", adjoint);
    if (landing === null) return drawn;
    drawn.landing = cellsAt("adjoint", landing, 0);
    drawn.landing.foresee(null, 0, 0);
    drawn.plus = middle("adl-plus", landing, "");
    const width = size.w * sidesOf(shape)[1];
    set(drawn.plus, "x", -width / 2 - 8);
    return drawn;
  }

  /**
   * Writes the numbers of a small array into its cells.
   * @param {CellRows} cells @param {number} i @param {Mark} marks @param {Num|null} reached
   */
  function writeCells(cells, i, { recorded, swept }, reached) {
    const { value } = trace.lines[i];
    const [tangent = null] = recorded ? tangentsOf(trace, i) : [];
    cells.value.write(recorded ? value : null, scales.value);
    cells.tangent?.write(tangent, scales.tangent);
    cells.adjoint?.write(swept ? reached : null, scales.adjoint);
    cells.adjoint?.group.classList.toggle("is-missing", !swept);
  }
  /**
   * Highlights the cells that a step is about, and shows an arrived contribution before it is added.
   * @param {NodePart} node @param {Partial<Record<string, Set<number>>>} lit by their kind
   * @param {{number: Num, isAdded: boolean, shade: number}|null} landing
   */
  function moveCells({ cells, adjoint }, lit, landing) {
    if (!cells) return;
    cells.value.light(lit.value ?? null);
    cells.adjoint?.light(lit.adjoint ?? null);
    const first = landing && !landing.isAdded ? landing : null; // it becomes the adjoint
    const later = landing?.isAdded && cells.landing ? landing : null; // it is added to the adjoint
    cells.landing?.foresee(later?.number ?? null, scales.adjoint, later?.shade ?? 0);
    if (cells.plus) put(cells.plus, later ? "+" : "");
    cells.adjoint?.foresee(first?.number ?? null, scales.adjoint, first?.shade ?? 1);
    if (adjoint && cells.adjoint) set(adjoint, "opacity", first ? 0 : 1);
  }

  /**
   * Shows a line at a step.
   * @param {NodePart} node @param {number} i @param {Mark} marks
   * @param {Num|null} reached its adjoint
   * @param {string} sum the arithmetic that made the adjoint
   */
  function writeNode(node, i, marks, reached, sum) {
    const line = trace.lines[i];
    const look = classNames(
      "adl-node",
      `is-${line.kind}`,
      isResultLine(trace, i) && "is-result",
      line.sweep_id > 0 && "is-inner",
      marks.classes,
      node.group.matches(".is-linked") && "is-linked",
    );
    set(node.group, "class", look);
    if (node.cells) writeCells(node.cells, i, marks, reached);
    const isText = !node.cells || !isSmallShape(line.value.shape); // a strip has its range below it
    put(node.value, marks.recorded && isText ? inBox(line.value) : "");
    if (node.tangent) {
      const isInCells = node.cells?.tangent && !isText;
      const isWritten = marks.recorded && !isInCells;
      put(node.tangent, isWritten ? tangentsOf(trace, i).map(inBox).join(", ") : "");
    }
    if (node.adjoint) {
      let text = "";
      if (marks.swept && !reached) text = NOT_REACHED;
      if (marks.swept && reached && isText) text = inBox(reached);
      put(node.adjoint, text);
      node.adjoint.classList.toggle("is-missing", !reached);
    }
    if (node.truth) put(node.truth, truthOf(i, marks));
    const ahead = say("node ahead", { name: line.assigned_name || line.display_name });
    put(node.title, marks.recorded ? titleOf(node, i, marks, reached, sum) : ahead);
  }

  /** The adjoint that a correct engine computes, to compare with a faulty one; "" if there is none. @param {number} i @param {Mark} marks */
  function truthOf(i, { swept }) {
    const truth = trace.truth[i];
    return truth && swept ? say("node true", { value: inBox(truth) }) : "";
  }

  /**
   * The tooltip of a line that is recorded: all its numbers, in words.
   * @param {NodePart} node @param {number} i @param {Mark} marks @param {Num|null} reached @param {string} sum
   */
  function titleOf(node, i, marks, reached, sum) {
    const { source_expression: meaning, value, display_name } = trace.lines[i];
    const gap = say("separator");
    const words = [
      say(isResultLine(trace, i) ? "result value" : "node value", { meaning, value: value.text }),
    ];
    if (node.tangent) {
      const tangent = tangentsOf(trace, i).map(({ text }) => text);
      words.push(say("node tangent", { tangent: tangent.join(gap) }));
    }
    if (node.adjoint && marks.swept) {
      let adjoint = reached?.text || say("not reached");
      if (reached && sum) adjoint = `${sum} = ${reached.text}`;
      words.push(say("node adjoint", { adjoint }));
    }
    const truth = truthOf(i, marks);
    if (truth) words.push(truth);
    if (value.shape?.length) words.push(say("see entries"));
    return `${display_name} = ${words.join(gap)}`;
  }

  /** A constant, drawn next to where it is used. @param {string} id @param {Box} box @param {Operand} operand */
  function constant(id, box, { value }) {
    const about = { class: "adl-node is-constant", "data-node": id };
    const title = svg("title", {}, say("constant node", { value: value.text }));
    if (!hasCells(value))
      return svg("g", about, title, framed(box, 1), middle("adl-value", 0, inNode(value)));
    const cells = cellRow(say, "value", value.shape, sizeInConstant(value.shape, box), {
      x: 0,
      y: 0,
    });
    cells.write(value, scales.value);
    return svg("g", about, title, framed(box, 1), cells.group);
  }

  /**
   * A value whose box is elsewhere in the graph: its name, drawn next to where it is used.
   * @param {string} id @param {Box} box @param {Operand} operand
   */
  function again(id, box, { line }) {
    if (line === null) throw new Error(`The layout has a constant as ${id}.`);
    const { assigned_name, display_name, value } = trace.lines[line];
    const meant = {
      onclick: () => actions.visit({ line }),
      onpointerenter: () => actions.link({ line }),
      onpointerleave: () => actions.link(null),
    };
    return svg(
      "g",
      { class: "adl-node is-again", "data-node": id, ...meant },
      svg("title", {}, `${assigned_name || display_name} = ${value.text}`),
      framed(box, 8),
      middle("adl-value", 0, assigned_name || display_name),
    );
  }

  /**
   * An edge. `target` is selected by pointing at it; `title` is its tooltip.
   * @param {string} id @param {Target|null} target @param {string} [title]
   * @returns {EdgeLine}
   */
  function edge(id, target, title = "") {
    const path = svg("path", { class: "adl-line", "marker-end": `url(#${prefix}-plain)` });
    const hit = svg("path", { class: "adl-hit" });
    const hint = title && svg("title", {}, title);
    const group = svg("g", { class: "adl-edge", "data-edge": id }, path, hit, hint);
    if (target) linkTo(group, () => target, actions);
    return { group, path, hit };
  }

  /**
   * The label of an edge, near its middle, shown only during a step that uses the edge. Null where it would cover a
   * box or the edge itself; the arithmetic has the same text.
   * @param {string} text @param {SVGPathElement} path
   * @param {Parameters<typeof spotBeside>[3]} picture
   * @param {{across: number, down: number}} clear how far the cells that meet the partial extend from the edge
   */
  function label(text, path, picture, clear) {
    const length = path.getTotalLength();
    const size = { w: 8.5 * text.length + 4, h: 16 };
    const spot = spotBeside(size, (share) => path.getPointAtLength(share * length), clear, picture);
    if (!spot) return null;
    const drawn = svg(
      "text",
      {
        class: "adl-label",
        "font-size": 14,
        "dominant-baseline": "central",
        "text-anchor": "middle",
        x: spot.x,
        y: spot.y,
      },
      text,
    );
    return { drawn, spot };
  }

  return { node, writeNode, moveCells, constant, again, edge, label };
}

/**
 * Moves a box to its place.
 * @param {SVGGElement} group @param {Point} place
 */
export function move(group, { x, y }) {
  set(group, "transform", `translate(${Math.round(10 * x) / 10},${Math.round(10 * y) / 10})`);
}
/**
 * Draws an edge along its path.
 * @param {EdgeLine} edge @param {Pick<EdgePlace, "points"|"tip">} place
 */
export function bend(edge, { points, tip }) {
  const path = pathOf(points, tip);
  set(edge.path, "d", path);
  set(edge.hit, "d", path);
}

/**
 * Styles an edge, with its tip at the end where the numbers arrive.
 * @param {EdgeLine} edge @param {EdgeMode} mode
 * @param {{share?: number, isSwept?: boolean}} carried `share` is the size of what came along the edge, as a share of
 *   the largest, undefined if nothing has; `isSwept` is whether it was an adjoint, which goes to the operand
 * @param {string} prefix
 */
export function setEdge(edge, mode, { share, isSwept = false }, prefix) {
  const hasCarried = share !== undefined;
  const goesBack = mode === "adjoint" || (mode === "plain" && hasCarried && isSwept);
  const look = classNames(`is-${mode}`, hasCarried && "has-carried", goesBack && "goes-back");
  if (edge.look === look && edge.share === share) return;
  Object.assign(edge, { look, share });
  const isLinked = edge.group.matches(".is-linked");
  edge.group.setAttribute("class", classNames("adl-edge", look, isLinked && "is-linked"));
  const thinnest = mode === "plain" ? THINNEST : THINNEST_CARRYING;
  edge.path.style.strokeWidth = hasCarried ? `${Math.max(thinnest, THICKEST * share)}px` : "";
  const tip = `url(#${prefix}-${tipOf(mode, share)})`;
  edge.path.setAttribute("marker-end", goesBack ? "" : tip);
  edge.path.setAttribute("marker-start", goesBack ? tip : "");
  edge.group.prepend(edge.path); // WebKit paints a new tip only on a path that is inserted again
}

/** The tip of an edge. @param {EdgeMode} mode @param {number|undefined} share */
function tipOf(mode, share) {
  if (mode === "ahead") return "plain";
  if (mode !== "plain" || share === undefined) return mode;
  return share > 0.3 ? "carried" : "carried-thin";
}

/**
 * The sum that makes an adjoint, in numbers: "−0.2837 + 2"; empty for a single contribution or a long sum.
 * @param {Run} run @param {number} i @param {number} s
 */
export function spellSum(run, i, s) {
  const terms = termsAt(run, i, s);
  const isShort = terms.length < 7;
  if (terms.length < 2 || !isShort) return "";
  return terms.map(({ text }) => text).join(" + ");
}

/** The arrowheads of the edges. @param {string} prefix */
export function markers(prefix) {
  return ["plain", "carried-thin", "carried", "value", "tangent", "adjoint"].map((name) => {
    const arrow = svg(
      "marker",
      {
        id: `${prefix}-${name}`,
        class: `adl-arrow-${name}`,
        viewBox: "0 0 10 10",
        refX: 9.5,
        refY: 5,
        markerWidth: 9,
        markerHeight: 9,
        markerUnits: "userSpaceOnUse",
        orient: "auto-start-reverse",
      },
      svg("path", { d: "M0,1 L10,5 L0,9 Z" }),
    );
    if (name !== "plain" && name !== "carried-thin")
      for (const side of ["markerWidth", "markerHeight"]) arrow.setAttribute(side, "15");
    return arrow;
  });
}
