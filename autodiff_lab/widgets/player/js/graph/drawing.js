/**
 * The drawing of the graph: its boxes and edges, which appear and disappear as groups open and close, and what they show
 * at a moment.
 *
 * @import { Actions } from "../actions.js"
 * @import { Dot } from "../cells.js"
 * @import { Moment } from "../moment.js"
 * @import { Kind } from "../motion.js"
 * @import { ShownRun, Target } from "../state.js"
 * @import { Layout, Step } from "../trace_types.js"
 * @import { Group } from "./groups.js"
 * @import { EdgeLine, NodePart } from "./parts.js"
 * @import { Place } from "./spots.js"
 * @import { BoxPlace, EdgePlace, Point, Scene } from "./stretch.js"
 */

import { shapeText } from "../entries.js";
import { focused, passClass, roving, set, svg } from "../dom.js";
import { adjointOf, edgeSharesOf, markOf } from "../moment.js";
import { dotsOf, hasArrays, scalesOf } from "../cells.js";
import { CELL_SIDE } from "./cell_parts.js";
import { labelsOf, landingsAt, litAt, sourcesAt, tokensAt } from "../motion.js";
import { isAhead } from "../run.js";
import { ownLine, wholeLine } from "../trace.js";
import { PAD } from "./fit.js";
import { groupBox } from "./group_box.js";
import { holding, recordedAt } from "./groups.js";
import { bend, markers, middle, move, partsOf, rowsIn, setEdge, spellSum } from "./parts.js";
import { hiddenBy, polylineOf, shiftClear } from "./spots.js";
import { composed } from "./stretch.js";
import { routeAlong, sizeOfToken, tokensIn } from "./tokens.js";

const SEED_DROP = 70; // a seed starts this far above its box
const GHOST_LENGTH = 14; // an old value has room below its box if it has at most this many characters
const LANE = 26; // between two operands that have arrived at the same box
const HALF_TEXT = 12; // half the height of a moving number
const FARTHEST = 64; // on a short edge, a number may meet the local partial this far from the edge
const MEETING = 0.51; // the progress at which it meets the local partial
const BOX_MARGIN = 4; // between the frame of a box and its texts
const SUM_DROP = 4; // a sum is this far below the row of the adjoint, and leaves the value above it free

/**
 * A box that is drawn: of a line, of a group, or next to an operation that uses a constant or a value from another place.
 * @typedef {{group: SVGGElement, layer: SVGGElement, order: number, place: BoxPlace}} Drawn
 * @typedef {Drawn & {kind: "line", line: number, node: NodePart}} LineBox
 * @typedef {Drawn & {kind: "group", target: Group, box: ReturnType<typeof groupBox>}} GroupPart
 * @typedef {Drawn & {kind: "beside", line: number}} BesideBox
 * @typedef {LineBox|GroupPart|BesideBox} BoxPart
 */
/**
 * An edge that is drawn: of an operand, of one value into a closed group, or of all values between two groups.
 * @typedef {EdgeLine & {kind: "operand", line: number, slot: number}} OperandEdge
 * @typedef {EdgeLine & {kind: "value", from: number, into: Group}} ValueEdge
 * @typedef {EdgeLine & {kind: "bundle", out: Group, into: Group}} BundleEdge
 * @typedef {OperandEdge|ValueEdge|BundleEdge} EdgePart
 */

/** The kind of number that moves along the edges of a step. @param {Step|undefined} step @returns {Kind} */
function carriedKind(step) {
  if (step?.phase === "record") return "value";
  return step?.phase === "forward" ? "tangent" : "adjoint";
}

/**
 * How far the cells that move along an edge reach at its middle: to each side of it, and above and below.
 * @param {ShownRun["trace"]} trace @param {Step} step @param {number} slot
 */
function reachOnEdge(trace, step, slot) {
  const reach = { across: 0, down: 0 };
  for (const token of tokensAt(trace, trace.steps.indexOf(step), 0.6)) {
    if (token.slot !== slot || !token.cells) continue;
    const dots = dotsOf(token.cells, 1, 1);
    const half = reachOf(dots);
    reach.down = Math.max(reach.down, token.side ? 2 * half : half);
    for (const { x, size } of dots)
      reach.across = Math.max(reach.across, (Math.abs(x) + size / 2) * CELL_SIDE);
  }
  return reach;
}
/** How far cells on an edge reach above and below their middle. @param {Dot[]} dots */
const reachOf = (dots) =>
  Math.max(...dots.map(({ y, size }) => (Math.abs(y) + size / 2) * CELL_SIDE));

/** @param {BoxPlace} one @param {BoxPlace} other */
const isSameSize = (one, other) =>
  one.w === other.w && one.h === other.h && one.bare === other.bare;

/** @param {Group} group @param {number} line of the whole run */
const holds = (group, line) => group.first <= line && line < group.end;

/** Sorts groups by their first line; of two with the same, the outer one comes first. @param {Group} group */
const orderOfGroup = (group) => group.first - group.end / 1e9;

/**
 * The drawing of a run's graph.
 * @param {ShownRun} run @param {Actions} actions
 * @param {string} prefix makes the ids of this player's elements unique on the page
 * @param {(group: Group) => void} toggle opens or closes a group
 */
export function drawingOf(run, actions, prefix, toggle) {
  const { trace, whole, root } = run;
  const { say } = trace;
  const parts = partsOf(trace, actions, prefix);
  const scales = scalesOf(trace);
  const isTunnel = hasArrays(trace); // moving arrays go under the boxes, so that they hide nothing in them
  const groupLayer = svg("g");
  const edgeLayer = svg("g");
  const nodeLayer = svg("g");
  const labelLayer = svg("g");
  const ghostLayer = svg("g", { class: "adl-ghosts", "aria-hidden": "true" });
  const tokenLayer = svg("g");
  const tunnelLayer = svg("g");
  const element = svg(
    "svg",
    {
      class: `adl-graph${isTunnel ? " has-cells" : ""}`,
      role: "group",
      "aria-label": say("graph of", { title: trace.title }),
    },
    svg("defs", {}, ...markers(prefix)),
    groupLayer,
    edgeLayer,
    tunnelLayer,
    nodeLayer,
    labelLayer,
    ghostLayer,
    tokenLayer,
  );
  const tokens = tokensIn(tokenLayer);
  const tokensBelow = tokensIn(tunnelLayer);

  /** @type {Scene} */
  let scene = { width: 0, height: 0, boxes: new Map(), edges: new Map() }; // what is drawn, and where
  /** @type {Map<string, BoxPart>} */
  const boxes = new Map();
  /** @type {Map<string, EdgePart>} */
  const edges = new Map();
  /** @type {WeakMap<Element, number>} */
  const orders = new WeakMap(); // each box's place in the order of its layer
  /** @type {{s: number, at: Map<number, ((along: number) => Point)|null>}|null} */
  let routes = null; // the routes of the step that moves, by slot
  /** @type {Place[]} */
  let spots = []; // where the labels are
  let spare = 0; // how much of the pane is free above and below what is drawn
  /** @type {Element[]} */
  let linked = [];
  /** @type {Element[]} */
  let sources = []; // the boxes whose values the step's partials are evaluated at

  /** The box of a line, if it is drawn. @param {number} line */
  function lineBox(line) {
    const part = boxes.get(`n${line}`);
    return part?.kind === "line" ? part : undefined;
  }
  /** The edge of an operand, if it is drawn. @param {number} line @param {number|undefined} slot */
  function operandEdge(line, slot) {
    const edge = edges.get(`e${line}_${slot}`);
    return edge?.kind === "operand" ? edge : undefined;
  }
  /**
   * The box next to a line that shows a constant operand, or one whose own box is too far away.
   * @param {number} line @param {number} slot
   */
  const besideBox = (line, slot) => boxes.get(`s${line}_${slot}`);

  /**
   * The box that represents a line: its own, or else the innermost drawn group that contains it.
   * @param {number|null|undefined} line
   * @returns {BoxPart|null}
   */
  function standIn(line) {
    if (line === undefined || line === null) return null;
    const own = lineBox(line);
    if (own) return own;
    const around = holding(root, wholeLine(trace, line)).map(({ id }) => boxes.get(id));
    return around.findLast((part) => part !== undefined) ?? null;
  }

  /** Draws a box of the scene. @param {BoxPlace} place @returns {BoxPart} */
  function drawBox(place) {
    const { name, nest } = place;
    if (name[0] === "g") {
      const target = nest.child(name);
      if (!target) throw new Error(`The layout has a box ${name}, but there is no such group.`);
      const box = groupBox(trace, target, () => toggle(target));
      const order = orderOfGroup(target);
      return { kind: "group", target, box, group: box.group, layer: groupLayer, order, place };
    }
    const [line, slot] = name.slice(1).split("_").map(Number);
    const drawn = { layer: nodeLayer, order: line, place };
    if (name[0] === "n") {
      const node = parts.node(line, place);
      return { kind: "line", line, node, group: node.group, ...drawn };
    }
    const draw = name[0] === "c" ? parts.constant : parts.again;
    const group = draw(name, place, trace.lines[line].operands[slot]);
    return { kind: "beside", line, group, ...drawn };
  }

  /** Draws an edge of the scene. @param {EdgePlace} place @returns {EdgePart} */
  function drawEdge({ name, nest }) {
    const [first, second, count] = name.slice(1).split("_").map(Number);
    if (name[0] === "e") {
      const { line: parent, edge, edge_title, shapes } = trace.lines[first].operands[second];
      const target = parent === null ? null : { line: first, slot: second, parent };
      const title = [edge_title || edge, shapes].filter(Boolean).join("  ");
      return { kind: "operand", line: first, slot: second, ...parts.edge(name, target, title) };
    }
    const into = nest.child(`g${second}`);
    if (!into) throw new Error(`The layout has an edge ${name}, but no group where it ends.`);
    if (name[0] === "m") {
      const [start] = nest.layout?.edges[name].ends ?? [];
      const out = nest.child(start);
      if (!out) throw new Error(`The layout has an edge ${name}, but no group where it begins.`);
      const title = say("values together", { n: count });
      return { kind: "bundle", out, into, ...parts.edge(name, null, title) };
    }
    const from = nest.line(first);
    return { kind: "value", from, into, ...parts.edge(name, null, nameOf(from)) };
  }
  /** The name of a line of the whole run. @param {number} line */
  function nameOf(line) {
    const own = ownLine(trace, line);
    if (own === null) return whole?.names?.[line] ?? "";
    return trace.lines[own].label || trace.lines[own].display_name;
  }

  /**
   * Removes the boxes and edges that are not in the scene.
   * @param {HTMLElement} pane gets the focus of a removed box if no group represents it
   */
  function clear(pane) {
    for (const [key, part] of boxes) {
      if (scene.boxes.has(key)) continue;
      const hadFocus = part.group.contains(focused());
      part.group.remove();
      boxes.delete(key);
      const next = part.kind === "line" ? standIn(part.line)?.group : null;
      if (hadFocus) (next ?? pane).focus({ preventScroll: true });
    }
    for (const [key, part] of edges) {
      if (scene.edges.has(key)) continue;
      part.group.remove();
      edges.delete(key);
    }
  }

  /** Puts a box into its layer, in the order of the tape. @param {BoxPart} part */
  function insert({ layer, group, order }) {
    const after = [...layer.children].find((other) => (orders.get(other) ?? 0) > order);
    layer.insertBefore(group, after ?? null);
    orders.set(group, order);
  }

  /**
   * Draws a layout with these groups open: adds the boxes and edges that are new, moves the others, and removes those that
   * are gone.
   * @param {Layout} layout @param {Map<string, number>} open how far each group is open, 0 to 1 @param {HTMLElement} pane
   * @returns {number[]} the lines that have a new box or edge
   */
  function arrange(layout, open, pane) {
    scene = composed({ ...root, layout }, open);
    routes = null;
    const width = scene.width + 2 * PAD;
    const height = scene.height + 2 * PAD;
    set(element, "viewBox", `${-PAD} ${-PAD} ${width} ${height}`);
    clear(pane);
    /** @type {number[]} */
    const added = [];
    for (const [key, place] of scene.boxes) {
      let part = boxes.get(key);
      const isResized = part && part.kind !== "group" && !isSameSize(part.place, place);
      if (part && isResized) {
        part.group.remove(); // drawn anew: at another size its cells may have numbers, or none
        part = undefined;
      }
      if (!part) {
        part = drawBox(place);
        boxes.set(key, part);
        insert(part);
        if (part.kind !== "group") added.push(part.line);
      }
      part.place = place;
      if (part.kind === "group") part.box.shape(place, open.has(part.target.id));
      move(part.group, place);
    }
    for (const [key, place] of scene.edges) {
      let part = edges.get(key);
      if (!part) {
        part = drawEdge(place);
        edges.set(key, part);
        edgeLayer.append(part.group);
        if (part.kind === "operand") added.push(part.line);
      }
      bend(part, place);
    }
    focusable.renew();
    return added;
  }

  /** The place of a box in the order in which the arrow keys visit them. @param {LineBox|GroupPart} part */
  const keyOrderOf = (part) =>
    part.kind === "group" ? orderOfGroup(part.target) : wholeLine(trace, part.line);
  const focusable = roving(element, () => {
    /** @type {(LineBox|GroupPart)[]} */
    const stops = [];
    for (const part of boxes.values()) {
      if (part.kind === "line") stops.push(part);
      if (part.kind === "group" && !part.target.input) stops.push(part);
    }
    stops.sort((a, b) => keyOrderOf(a) - keyOrderOf(b));
    return stops.map(({ group }) => group);
  });

  /** Writes the local partials of a step on its edges. @param {Step|undefined} step */
  function label(step) {
    /** @type {SVGTextElement[]} */
    const labels = [];
    routes = null; // the routes avoid the labels
    spots = [];
    for (const [slot, text] of step ? labelsOf(trace, step) : []) {
      const edge = step && operandEdge(step.line, slot);
      if (!edge) continue;
      const { is_copied: isCopied } = trace.lines[step.line].operands[slot];
      const copies = isCopied ? `→ ${shapeText(trace.lines[step.line].value)}` : "";
      const clear = reachOnEdge(trace, step, slot);
      const picture = pictureAround(`e${step.line}_${slot}`);
      let written = parts.label(text, edge.path, picture, clear);
      if (!written && copies && step.phase === "record")
        written = parts.label(copies, edge.path, picture, clear);
      if (!written) continue;
      written.drawn.classList.add(`is-${carriedKind(step)}`);
      labels.push(written.drawn);
      spots.push(written.spot);
    }
    labelLayer.replaceChildren(...labels);
  }

  /** What a label on an edge must not hide, and the room that it has. @param {string} own the name of the edge */
  function pictureAround(own) {
    /** @type {Point[][]} */
    const others = [];
    for (const [key, place] of scene.edges) if (key !== own) others.push(polylineOf(place));
    const place = scene.edges.get(own);
    const boxes = [...scene.boxes.values(), ...spots];
    const { width, height } = scene;
    const room = { width, top: -spare, bottom: height + spare };
    return { boxes, own: place ? polylineOf(place) : [], others, ...room };
  }

  /**
   * Where a kind of number is written in a box, relative to the middle of the box.
   * @param {BoxPart} part @param {Kind} kind
   */
  function rowOf(part, kind) {
    if (part.kind !== "line") return { x: 0, y: 0 };
    const rows = rowsIn(trace, part.line, part.place);
    return { x: rows.across[kind] ?? 0, y: rows[kind] ?? 0 };
  }

  /**
   * The route of a number between an operand and the operation that uses it. If the edge is shorter than the number with
   * the local partial, the route goes around the boxes there.
   * @param {number} s @param {Step} step @param {number} slot @param {Kind} kind @param {number} size of type
   */
  function routeOf(s, step, slot, kind, size) {
    const route = straightRouteOf(step, slot, kind);
    const meetings = isTunnel ? [] : tokensAt(trace, s, MEETING);
    if (!route) return route;
    // Several operands stay on their edges: above or below the boxes they would hide each other.
    if (step.phase !== "sweep" && meetings.length > 1) return route;
    const meeting = meetings.find((one) => one.slot === slot);
    if (meeting?.along !== 0.5) return route;
    const middle = route(0.5);
    const { w, h } = sizeOfToken(meeting.texts);
    const place = { x: middle.x, y: middle.y, w: size * w, h: size * h };
    const shift = clearOf(place, 0) ?? clearOf(place, BOX_MARGIN / 2) ?? clearOf(place, BOX_MARGIN);
    if (!shift) return route;
    /** @param {number} along @returns {Point} */
    return (along) => {
      const near = Math.max(0, 1 - Math.abs(along - 0.5) / 0.3);
      const { x, y } = route(along);
      const share = near * near * (3 - 2 * near);
      return { x: x + share * shift.x, y: y + share * shift.y };
    };
  }

  /**
   * How far a number has to move to hide no box; null if it can't.
   * @param {Place} place @param {number} margin how much of a box it may hide on each side
   * @returns {Point|null}
   */
  function clearOf(place, margin) {
    const boxes = [...scene.boxes.values()].map((box) => ({
      ...box,
      w: box.w - 2 * margin,
      h: box.h - 2 * margin,
    }));
    const picture = { width: scene.width, top: -spare, bottom: scene.height + spare };
    const { x, y } = shiftClear(place, boxes, spots, FARTHEST, picture);
    return hiddenBy({ ...place, x: place.x + x, y: place.y + y }, boxes) < 1 ? { x, y } : null;
  }

  /**
   * The route along an edge, from the number's row in one box to its row in the other; null if it has no edge.
   * @param {Step} step @param {number} slot @param {Kind} kind
   */
  function straightRouteOf(step, slot, kind) {
    const { line: parent } = trace.lines[step.line].operands[slot];
    const from = besideBox(step.line, slot) ?? standIn(parent);
    const to = standIn(step.line);
    if (!from || !to || from === to) return null;
    /** @param {BoxPart} part @returns {Point} */
    const rowIn = (part) => {
      const { x, y } = rowOf(part, kind);
      return { x: part.place.x + x, y: part.place.y + y };
    };
    return routeAlong(operandEdge(step.line, slot)?.path, rowIn(from), rowIn(to));
  }

  /**
   * Draws the numbers and cells that move, where they are at a moment.
   * @param {Moment} moment
   * @param {number} size of the type, relative to that of the boxes: in a small picture it is larger
   */
  function drawTokens({ s, u, step }, size) {
    const lit = sourcesAt(trace, s, u).map(lineBox);
    for (const box of sources) box.removeAttribute("data-source");
    sources = lit.flatMap((part) => (part ? [part.group] : []));
    for (const box of sources) box.setAttribute("data-source", "");
    if (routes?.s !== s) routes = { s, at: new Map() };
    moveCells(s, u);
    /** @type {(import("../motion.js").Token & {at: Point, dots: Dot[]|null, enters?: number})[]} */
    const placed = [];
    for (const token of step ? tokensAt(trace, s, u) : []) {
      const { slot, kind, drop = 0, along = 0, cells } = token;
      if (!step) continue; // never, but TypeScript can't infer it
      const dots = cells ? dotsOf(cells, scales[kind], scales.value) : null;
      if (slot === undefined) {
        const part = standIn(step.line);
        if (!part) continue;
        const { x, y } = rowOf(part, "adjoint");
        const at = { x: part.place.x + x, y: part.place.y + y - SEED_DROP * drop };
        placed.push({ ...token, dots, at });
        continue;
      }
      let route = routes.at.get(slot);
      if (route === undefined) {
        route = routeOf(s, step, slot, kind, size);
        routes.at.set(slot, route);
      }
      if (!route) continue;
      const at = route(along);
      if (token.side) at.y += token.side * ((dots ? reachOf(dots) : HALF_TEXT) + 1) * size;
      placed.push({ ...token, dots, at, enters: route(0.9).y });
    }
    const apart = inLanes(placed, size);
    // A sum is drawn over the adjoint that it repeats. (An array's box has a row of its own for it.)
    /** @param {typeof apart[number]} token */
    const isSum = ({ along, dots, texts }) =>
      along === 0 && !dots && texts.some(([kind, text]) => kind === "op" && text === "+");
    const sums = apart.filter(isSum).map((token) => ({
      ...token,
      at: { x: token.at.x, y: token.at.y + SUM_DROP * size },
    }));
    tokens.draw(isTunnel ? sums : apart, size);
    tokensBelow.draw(isTunnel ? apart.filter((token) => !isSum(token)) : [], size);
  }

  /**
   * Places operands that arrive in the same box one below the other, in the order in which they enter.
   * @template {{at: Point, together?: number, enters?: number}} Placed
   * @param {Placed[]} placed @param {number} size of type
   */
  function inLanes(placed, size) {
    const lanes = [...placed].sort((a, b) => (a.enters ?? 0) - (b.enters ?? 0));
    return placed.map((token) => {
      const lane = lanes.indexOf(token) - (lanes.length - 1) / 2;
      const shift = lane * (token.together ?? 0) * LANE * size;
      return { ...token, at: { x: token.at.x, y: token.at.y + shift } };
    });
  }

  /** @type {number[]} */
  let moved = []; // the lines with highlighted cells, or cells that have arrived
  /** Highlights the cells that a step uses, and draws those that have arrived. @param {number} s @param {number} u */
  function moveCells(s, u) {
    if (!isTunnel) return;
    const lit = litAt(trace, s, u);
    const landings = new Map(landingsAt(trace, s, u).map((one) => [one.line, one]));
    const lines = [...new Set([...lit.keys(), ...landings.keys()])];
    for (const line of new Set([...moved, ...lines])) {
      const node = lineBox(line)?.node;
      if (node) parts.moveCells(node, lit.get(line) ?? {}, landings.get(line) ?? null);
    }
    moved = lines;
  }

  /**
   * Updates the lines that have changed, and the groups.
   * @param {Moment} moment @param {Iterable<number>} lines
   */
  function write(moment, lines) {
    const { step, landed } = moment;
    const kind = carriedKind(step);
    for (const i of lines) writeLine(moment, i, kind);
    label(step);
    const recorded = recordedAt(trace, landed);
    const at = step ? wholeLine(trace, step.line) : -1;
    const partners = partnersOf(step).map((line) => wholeLine(trace, line));
    /** The CSS classes of a group. @param {Group} target */
    function classesOf(target) {
      if (holds(target, at)) return `is-current on-${kind}`;
      return partners.some((line) => holds(target, line)) ? `is-operand on-${kind}` : "";
    }
    /** @param {number} line */
    const adjoint = (line) => adjointOf(moment, line);
    for (const part of boxes.values()) {
      if (part.kind === "group")
        part.box.write({ s: landed, adjoint, recorded }, classesOf(part.target));
      if (part.kind === "beside")
        part.group.classList.toggle("is-ahead", wholeLine(trace, part.line) >= recorded);
    }
    for (const part of edges.values()) {
      if (part.kind === "operand") continue;
      /** @param {number} line */
      const leaves = (line) =>
        part.kind === "bundle" ? holds(part.out, line) : line === part.from;
      const flows = holds(part.into, at) && partners.some(leaves);
      const mode = flows ? kind : "plain";
      setEdge(part, part.into.first >= recorded ? "ahead" : mode, {}, prefix);
    }
  }

  /**
   * Updates the box of a line and its operands' edges.
   * @param {Moment} moment @param {number} i @param {Kind} kind the kind of number that the step moves
   */
  function writeLine(moment, i, kind) {
    const { step, landed } = moment;
    const marks = markOf(moment, i);
    const box = lineBox(i);
    if (box) parts.writeNode(box.node, i, marks, adjointOf(moment, i), spellSum(run, i, landed));
    const isActive = step !== undefined && step.line === i && step.phase !== "seed";
    const carried = edgeSharesOf(moment, i);
    for (const slot of trace.lines[i].operands.keys()) {
      const edge = operandEdge(i, slot);
      if (!edge) continue;
      const isSent = kind !== "adjoint" || step?.sends.some((send) => send.slot === slot);
      const mode = isActive && isSent ? kind : "plain";
      const share = marks.recorded ? carried.get(slot) : undefined;
      const isSwept = landed >= run.first; // in the sweep an edge carries adjoints, against its direction
      setEdge(edge, marks.recorded || isActive ? mode : "ahead", { share, isSwept }, prefix);
    }
  }

  /**
   * Writes the values from before the last slider move, below the boxes.
   * @param {Moment} moment @param {Map<number, string>} values @param {boolean} isFaint
   */
  function drawGhosts(moment, values, isFaint) {
    const texts = [];
    for (const [line, value] of values) {
      const part = lineBox(line);
      if (!part || !markOf(moment, line).recorded || value.length > GHOST_LENGTH) continue;
      const { x, y, h } = part.place;
      const ghost = middle("adl-ghost", y + h / 2 + 9, say("was", { value }), 12);
      set(ghost, "x", x);
      texts.push(ghost);
    }
    ghostLayer.replaceChildren(...texts);
    ghostLayer.classList.toggle("is-faint", isFaint);
  }

  /** The lines that a step takes its operands from, or sends adjoints to. @param {Step|undefined} step */
  function partnersOf(step) {
    if (!step || step.phase === "seed") return [];
    const lines = isAhead(step)
      ? trace.lines[step.line].operands.map(({ line }) => line)
      : step.sends.map(({ parent }) => parent);
    return [...new Set(lines)].filter((line) => line !== null);
  }

  return {
    element,
    get scene() {
      return scene;
    },
    arrange,
    write,
    label,
    /** Sets how much of the pane is free above and below the drawing. @param {number} free */
    leave(free) {
      if (free === spare) return;
      spare = free;
      routes = null;
    },
    /** The labels on the edges of the step. */
    labels: () => [...labelLayer.children],
    drawTokens,
    drawGhosts,
    standIn,
    /** The boxes of constants and far values next to a line. @param {number} line */
    besides(line) {
      const { operands } = trace.lines[line];
      return operands.map((_, slot) => besideBox(line, slot)).filter((part) => part !== undefined);
    },
    /** The rectangle of an operand's edge on the screen, if it is drawn. @param {Target} target */
    placeOfEdge: ({ line, slot }) => operandEdge(line, slot)?.path.getBoundingClientRect(),
    /** The box of a group, if it is drawn. @param {Group} group */
    boxOfGroup: (group) => boxes.get(group.id),
    /**
     * Highlights a node, or an edge with its two nodes, or the groups that contain them.
     * @param {Target|null} target
     */
    link(target) {
      const lit = target
        ? [standIn(target.line), standIn(target.parent), operandEdge(target.line, target.slot)]
        : [];
      const groups = lit.flatMap((part) => (part ? [part.group] : []));
      linked = passClass("is-linked", linked, groups);
    },
    /**
     * Keeps the titles of open groups visible.
     * @param {number} left where the visible part of the drawing begins
     */
    slideTitles(left) {
      for (const part of boxes.values())
        if (part.kind === "group") part.box.slide(part.place, left);
    },
  };
}
