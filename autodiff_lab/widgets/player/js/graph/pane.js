/**
 * The graph of a run, as it stands in its pane.
 *
 * @import { Actions } from "../actions.js"
 * @import { Moment } from "../moment.js"
 * @import { ShownRun, State, Target } from "../state.js"
 * @import { Store } from "../store.js"
 * @import { Size } from "../compose.js"
 * @import { Group } from "./groups.js"
 */

import {
  calm,
  edgeSigns,
  html,
  passClass,
  roving,
  scrollInside,
  set,
  sideBeyond,
  svg,
} from "../dom.js";
import { labelsOf, tokensAt } from "../motion.js";
import { adjointOf, changedLines, edgeSharesOf, looksLike, markOf } from "../moment.js";
import { momentOf } from "../state.js";
import { whenChanged } from "../store.js";
import { ownLine, wholeLine } from "../trace.js";
import { bestOf, fitOf, freeSpotAmong, PAD } from "./fit.js";
import { groupBox } from "./group_box.js";
import { allTurned, holding, openGroups, recordedAt, toggledGroup } from "./groups.js";
import { groupTools, lensTools } from "./lens.js";
import { bend, markers, move, partsOf, rowsOf, setEdge, spellSum } from "./parts.js";
import { composed } from "./stretch.js";
import { routeAlong, tokensIn } from "./tokens.js";

const AHEAD = { record: "value", forward: "tangent" }; // what goes along the edges while the program runs
const FADE = 24; // pixels between the sides of the pane, which fade, and what a step is about
const LEAST = 0.05; // of a graph that is shown whole
const MOTION = 180; // milliseconds that a group takes to open

/**
 * The graph of a run, whose groups open.
 * @param {ShownRun} run of its layouts, which have the same boxes, the one that shows largest is taken
 * @param {Store<State>} store @param {Actions} actions
 * @param {string} prefix of the names that no other player on the page may have
 */
export function graphView(run, store, actions, prefix) {
  const { trace, layouts, whole, root, allGroups } = run;
  const { say } = trace;
  const parts = partsOf(trace, actions, prefix);
  const rows = rowsOf(trace);
  const [groupLayer, edgeLayer, labelLayer, nodeLayer, tokenLayer] = Array.from({ length: 5 }, () =>
    svg("g"),
  );
  const drawing = svg(
    "svg",
    { class: "adl-graph", role: "group", "aria-label": say("graph of", { title: trace.title }) },
    svg("defs", {}, ...markers(prefix)),
    groupLayer,
    edgeLayer,
    nodeLayer,
    labelLayer,
    tokenLayer,
  );
  const element = html("div", { class: "adl-graph-body" }, drawing);

  let scene; // what is drawn, and where
  const drawn = new Map(); // its boxes and edges, by key
  const nodeOf = (line) => drawn.get(`n${line}`);
  const edgeInto = (line, slot) => drawn.get(`e${line}_${slot}`);
  const edgesInto = (line) =>
    trace.lines[line].operands.map((_, slot) => edgeInto(line, slot)).filter(Boolean);
  /** @type {Moment|null} */
  let shown = null; // the moment that is written

  const nameOf = (line) => {
    const own = trace.lines[ownLine(trace, line)];
    return own ? own.label || own.display_name : whole.names[line];
  };
  /** Draws a box of the scene: a group, a line, a constant, or a value from elsewhere. */
  function box({ name, nest, w, h, head }) {
    const [kind, ...numbers] = [name[0], ...name.slice(1).split("_").map(Number)];
    if (kind === "g") {
      const group = nest.child(name);
      return {
        layer: groupLayer,
        order: group.first - group.end / 1e9,
        target: group,
        ...groupBox(trace, group, () => toggle(group)),
      };
    }
    const [order, slot] = numbers;
    const size = { w, h, head };
    if (kind === "n") return { layer: nodeLayer, order, i: order, ...parts.node(order, size) };
    const draw = kind === "c" ? parts.constant : parts.again;
    return {
      layer: nodeLayer,
      order,
      user: order,
      ...draw(name, size, trace.lines[order].operands[slot]),
    };
  }
  function edge({ name, nest }) {
    const [first, second, count] = name.slice(1).split("_").map(Number);
    if (name[0] === "e") {
      const { line, edge, edge_title, shapes } = trace.lines[first].operands[second];
      const target = line === null ? null : { line: first, slot: second, parent: line };
      return {
        i: first,
        slot: second,
        ...parts.edge(name, target, [edge_title || edge, shapes].filter(Boolean).join("  ")),
      };
    }
    const [from, into] = [nest.line(first), nest.child(`g${second}`)];
    if (name[0] === "m")
      return {
        out: nest.child(nest.layout.edges[name].ends[0]),
        into,
        ...parts.edge(name, null, say("values together", { n: count })),
      };
    return { from, into, ...parts.edge(name, null, nameOf(from)) };
  }

  /** Draws what is there now, and takes away what is not. @returns {number[]} the lines that have come */
  function arrange(open) {
    scene = composed(root, open);
    routes = null;
    const [width, height] = [scene.width + 2 * PAD, scene.height + 2 * PAD];
    set(drawing, "viewBox", `${-PAD} ${-PAD} ${width} ${height}`);
    for (const [key, part] of drawn) {
      if (scene.boxes.has(key) || scene.edges.has(key)) continue;
      const focused = part.group.contains(document.activeElement);
      part.group.remove();
      drawn.delete(key);
      if (focused) (standIn(part.i)?.group ?? element).focus({ preventScroll: true });
    }
    const come = [];
    for (const [key, place] of scene.boxes) {
      let part = drawn.get(key);
      if (!part) {
        drawn.set(key, (part = box(place)));
        part.layer.insertBefore(
          part.group,
          [...part.layer.children].find((other) => other.adlOrder > part.order) ?? null,
        );
        part.group.adlOrder = part.order;
        come.push(part.i ?? part.user);
      }
      part.place = place;
      part.shape?.(place, open.has(part.target.id));
      move(part, place);
    }
    for (const [key, place] of scene.edges) {
      let part = drawn.get(key);
      if (!part) {
        drawn.set(key, (part = edge(place)));
        edgeLayer.append(part.group);
        come.push(part.i);
      }
      bend(part, place);
    }
    focusable.renew();
    return come.filter((i) => i !== undefined);
  }
  const focusable = roving(drawing, () =>
    [...drawn.values()]
      .filter(({ target, i, slot }) =>
        target ? !target.input : i !== undefined && slot === undefined,
      )
      .sort((a, b) => first(a) - first(b) || (a.target ? 0 : 1) - (b.target ? 0 : 1))
      .map(({ group }) => group),
  );
  const first = ({ target, i }) => (target ? target.first - target.end / 1e9 : wholeLine(trace, i));

  /** What stands for a line: its own box, or the innermost group that is drawn and holds it. */
  function standIn(i) {
    if (i === undefined || i === null) return null;
    return (
      nodeOf(i) ??
      holding(root, wholeLine(trace, i))
        .map(({ id }) => drawn.get(id))
        .filter(Boolean)
        .at(-1) ??
      null
    );
  }

  let lens = store.get().lens;
  let [scale, room] = [1, { width: 0, height: 0 }];
  const unitOf = () => parseFloat(getComputedStyle(element).fontSize) / 14;
  const fit = () => {
    if (room.width <= 0) return;
    if (lens.isWhole)
      scale = Math.max(
        LEAST,
        Math.min(
          fitOf(root.layout, room, unitOf()).scale,
          room.width / (scene.width + 2 * PAD),
          room.height / (scene.height + 2 * PAD),
        ),
      );
    else scale = lens.scale ?? fitOf(root.layout, room, unitOf()).scale;
    resize();
  };
  const rescale = () => (lens.isWhole ? fit() : resize()); // what opens may need more room
  function resize() {
    drawing.style.width = `${Math.floor((scene.width + 2 * PAD) * scale)}px`;
    drawing.style.height = `${Math.floor((scene.height + 2 * PAD) * scale)}px`;
    sign();
  }

  const tools = lensTools(element, drawing, store, say, () => scale);
  if (allGroups.length)
    tools.element.prepend(
      ...groupTools(say, (open) =>
        store.update((state) => ({
          ...state,
          groups: allTurned(allGroups, groupsAround(momentOf(state)), open),
          lens: { ...state.lens, isHeld: false },
        })),
      ),
    );
  let isOpening = false; // a group is, and draws itself
  let linked = [];
  const tokens = tokensIn(tokenLayer);
  let routes = null; // of the step that moves, by slot
  const signs = edgeSigns(element);
  let partners = []; // the lines that this step talks to
  /** Where a box is on screen, if the drawing is at `frame`. */
  const place = ({ place: { x, y, w, h } }, frame) => {
    const [left, top] = [
      frame.left + (x - w / 2 + PAD) * scale,
      frame.top + (y - h / 2 + PAD) * scale,
    ];
    return { left, top, right: left + w * scale, bottom: top + h * scale };
  };
  const around = (a, b) => ({
    left: Math.min(a.left, b.left),
    top: Math.min(a.top, b.top),
    right: Math.max(a.right, b.right),
    bottom: Math.max(a.bottom, b.bottom),
  });
  function sign() {
    const beyond = { left: [], right: [], top: [], bottom: [] };
    if (partners.length) {
      const [view, frame] = [element.getBoundingClientRect(), drawing.getBoundingClientRect()];
      for (const i of partners)
        beyond[sideBeyond(place(standIn(i), frame), view)]?.push(
          trace.lines[i].assigned_name || trace.lines[i].display_name,
        );
    }
    signs.show(beyond);
    const left = element.scrollLeft / scale - PAD - (drawing.offsetLeft || 0);
    for (const part of drawn.values()) part.slide?.(part.place, left);
  }
  element.addEventListener("scroll", sign, { passive: true });

  /** The groups that hold the step. @param {Moment} moment */
  const groupsAround = ({ step }) => (step ? holding(root, wholeLine(trace, step.line)) : []);
  /** How far each group is open. @param {State} state */
  const openAt = (state) => openGroups(allGroups, groupsAround(momentOf(state)), state.groups);

  /** Opens or closes a group under the learner's hand: its head stays where it is, the rest makes room. @param {Group} group */
  function toggle(group) {
    if (!group.layout) return actions.openGroup(group); // its inside is in another stretch
    const isOpen = openAt(store.get()).has(group.id);
    isOpening = true;
    store.update((state) => ({
      ...state,
      groups: toggledGroup(state.groups, group, isOpen, groupsAround(momentOf(state))),
    }));
    const start = performance.now();
    const corner = () => {
      const { left, top } = place(drawn.get(group.id), drawing.getBoundingClientRect());
      return [left, top];
    };
    const frame = () => {
      const t = calm() ? 1 : Math.min(1, (performance.now() - start) / MOTION);
      const share = t * t * (3 - 2 * t);
      const [left, top] = corner();
      const open = openAt(store.get());
      if (t < 1) open.set(group.id, Math.max(0.01, isOpen ? 1 - share : share));
      redraw(open);
      const [newLeft, newTop] = corner();
      element.scrollBy({ left: newLeft - left, top: newTop - top, behavior: "instant" });
      if (t < 1) requestAnimationFrame(frame);
      else isOpening = false;
    };
    frame();
  }
  /** Draws with these groups open, and writes what has come. @param {Map<string, number>} open */
  function redraw(open) {
    const come = arrange(open);
    rescale();
    if (shown) write(shown, come);
  }

  /** Brings the current node into the pane, and with it those it talks to, the nearest first, as far as they fit. */
  function follow(step, smooth) {
    const sweeping = step.phase === "sweep";
    partners = [
      ...new Set(
        sweeping
          ? step.sends.map((send) => send.parent)
          : trace.lines[step.line].operands.map((o) => o.line),
      ),
    ].filter((i) => standIn(i));
    const node = standIn(step.line);
    if (!node) return;
    if (lens.isHeld) partners.unshift(step.line); // where the learner looks, the signs tell where the step is
    const frame = drawing.getBoundingClientRect();
    const own = place(node, frame);
    const far = (box) => Math.abs(box.left - own.left) + Math.abs(box.top - own.top);
    const beside = trace.lines[step.line].operands
      .map((_, slot) => drawn.get(`s${step.line}_${slot}`))
      .filter(Boolean); // values from elsewhere
    const [across, down] = [
      element.clientWidth - 2 * FADE,
      element.scrollHeight > element.clientHeight ? element.clientHeight - 2 * FADE : Infinity,
    ];
    const target = [...beside, ...partners.map(standIn)]
      .map((part) => place(part, frame))
      .sort((a, b) => far(a) - far(b))
      .reduce((seen, box) => {
        const wider = around(seen, box);
        return wider.right - wider.left < across && wider.bottom - wider.top < down ? wider : seen;
      }, own);
    if (!lens.isHeld) scrollInside(element, target, smooth, FADE);
    sign();
  }

  /** The local partials of a step stand on its edges. */
  function label(step) {
    const texts = step ? labelsOf(trace, step) : new Map();
    const shown = [...texts.keys()].map((slot) => edgeInto(step.line, slot)).filter(Boolean);
    const labels = shown
      .map(({ slot, path }) => parts.label(texts.get(slot), path, [...scene.boxes.values()], scene))
      .filter(Boolean);
    for (const text of labels) text.classList.add(`is-${AHEAD[step.phase] ?? "adjoint"}`);
    labelLayer.replaceChildren(...labels);
  }

  /** The way between an operand and the operation that uses it, from row to row. */
  function routeOf(step, slot, kind) {
    const { line: parent } = trace.lines[step.line].operands[slot];
    const edge = edgeInto(step.line, slot);
    const [from, to] = [drawn.get(`s${step.line}_${slot}`) ?? standIn(parent), standIn(step.line)];
    if (!from || !to || from === to) return null;
    const row = ({ place: { x, y }, i }) => ({
      x,
      y: y + (i === undefined ? 0 : (rows[kind] ?? 0)),
    });
    return routeAlong(edge?.path, row(from), row(to));
  }

  /** Writes the lines that have changed, and what the groups tell. */
  function write(moment, lines) {
    const { step, landed } = moment;
    const kind = AHEAD[step?.phase] ?? "adjoint"; // what is on its way
    for (const i of lines) {
      const marks = markOf(moment, i);
      const node = nodeOf(i);
      if (node) parts.writeNode(node, i, marks, adjointOf(moment, i), spellSum(run, i, landed));
      const active = step && step.line === i && step.phase !== "seed";
      const carried = edgeSharesOf(moment, i);
      for (const edge of edgesInto(i)) {
        const now =
          active && (kind !== "adjoint" || step.sends.some(({ slot }) => slot === edge.slot))
            ? kind
            : "plain";
        setEdge(
          edge,
          marks.recorded || active ? now : "ahead",
          marks.recorded ? carried.get(edge.slot) : undefined,
          prefix,
        );
      }
    }
    label(step);
    const recorded = recordedAt(trace, landed);
    const at = step ? wholeLine(trace, step.line) : -1;
    const talks = (
      !step
        ? []
        : step.phase === "sweep"
          ? step.sends.map((send) => send.parent)
          : AHEAD[step.phase]
            ? trace.lines[step.line].operands.map((o) => o.line)
            : []
    )
      .filter((i) => i !== null)
      .map((i) => wholeLine(trace, i));
    const has = (group, line) => group.first <= line && line < group.end;
    for (const part of drawn.values()) {
      if (part.target)
        part.write(
          { s: landed, adjoint: (line) => adjointOf(moment, line), recorded },
          has(part.target, at)
            ? `is-current on-${kind}`
            : talks.some((line) => has(part.target, line))
              ? `is-operand on-${kind}`
              : "",
        );
      if (part.user !== undefined)
        part.group.classList.toggle("is-ahead", wholeLine(trace, part.user) >= recorded);
      if (!part.into) continue;
      const flows =
        has(part.into, at) &&
        talks.some((line) => (part.out ? has(part.out, line) : line === part.from));
      setEdge(
        part,
        part.into.first >= recorded ? "ahead" : flows ? kind : "plain",
        undefined,
        prefix,
      );
    }
  }

  /** Shows what is on its way, and where. @param {Moment} moment */
  function drawTokens({ s, u, step }) {
    if (routes?.s !== s) routes = { s, at: new Map() };
    const placed = (step ? tokensAt(trace, s, u) : []).flatMap((token) => {
      if (token.slot === undefined) {
        const box = standIn(step.line)?.place;
        return box
          ? [{ ...token, at: { x: box.x, y: box.y + (rows.adjoint ?? 0) - 70 * token.drop } }]
          : [];
      }
      if (!routes.at.has(token.slot))
        routes.at.set(token.slot, routeOf(step, token.slot, token.kind));
      const route = routes.at.get(token.slot);
      return route ? [{ ...token, at: route(token.along) }] : [];
    });
    tokens.draw(placed, Math.max(1, (0.9 * unitOf()) / scale));
  }
  /** Lights a node, or an edge with its two nodes; or the groups that hold them. @param {Target|null} target */
  function link(target) {
    const lit = target
      ? [standIn(target.line), standIn(target.parent), edgeInto(target.line, target.slot)].filter(
          Boolean,
        )
      : [];
    linked = passClass(
      "is-linked",
      linked,
      lit.map(({ group }) => group),
    );
  }
  /** How large the graph would show in a room, and how high: the best of its layouts. @param {Size} given */
  const best = (given) => ({
    ...bestOf(whole || allGroups.length ? [root.layout] : layouts, given, unitOf()),
    opens: allGroups.length > 0,
  });

  const look = whenChanged(
    ({ lens }) => [lens],
    (state) => {
      lens = state.lens;
      if (!shown) return;
      fit();
      if (shown.step && !lens.isHeld) follow(shown.step, false);
    },
  );
  const drawMoment = whenChanged(
    (state) => [momentOf(state).s, momentOf(state).u],
    (state) => drawTokens(momentOf(state)),
  );
  const light = whenChanged(
    ({ hover }) => [hover],
    ({ hover }) => link(hover),
  );
  let drawnOpen = "none yet"; // the ids of the groups that are open

  return {
    element,
    signs: signs.elements,
    tools: tools.element,
    best,
    /** @param {State} state */
    render(state) {
      const moment = momentOf(state);
      const lines = new Set(looksLike(shown, moment) ? [] : changedLines(shown, moment));
      const open = openAt(state);
      const ids = [...open.keys()].join();
      if (ids !== drawnOpen && !isOpening) {
        for (const i of arrange(open)) lines.add(i);
        if (shown) rescale();
        write(moment, lines);
      } else if (!looksLike(shown, moment)) write(moment, lines);
      drawnOpen = ids;
      shown = moment;
      look(state);
      drawMoment(state);
      light(state);
      tools.render(state);
    },
    follow,
    /** Gives the graph its room. @param {Size} given */
    place(given) {
      room = given;
      const { layout, whole: fits } = best(given);
      if (layout !== root.layout) {
        root.layout = layout;
        if (shown) write(shown, arrange(openAt(store.get())));
      }
      element.classList.toggle("is-whole", fits);
      fit();
      label(shown?.step);
    },
    /** Where something of this size hides least of the graph, near its middle: in pixels from the corner of the pane. @param {number} size */
    freeSpot(size) {
      const { clientWidth: width, clientHeight: height } = element;
      const [left, top] = [
        (width - (scene.width + 2 * PAD) * scale) / 2,
        (height - (scene.height + 2 * PAD) * scale) / 2,
      ];
      const boxes = [...scene.boxes.values()].map(({ x, y, w, h }) => ({
        x: left + (x + PAD) * scale,
        y: top + (y + PAD) * scale,
        w: w * scale,
        h: h * scale,
      }));
      return freeSpotAmong(boxes, { width, height }, size);
    },
  };
}
