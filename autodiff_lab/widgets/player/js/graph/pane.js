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
import { ownLine, wholeLine } from "../trace.js";
import { FIT } from "../trace_types.js";
import { bestOf, fitOf, freeSpotAmong, PAD } from "./fit.js";
import { groupBox } from "./group_box.js";
import { groupsOf, holding, opening, recordedAt } from "./groups.js";
import { groupTools, lensTools } from "./lens.js";
import { bend, markers, move, partsOf, rowsOf, setEdge, spellSum } from "./parts.js";
import { composed } from "./stretch.js";
import { routeAlong, tokensIn } from "./tokens.js";

const AHEAD = { record: "value", forward: "tangent" }; // what goes along the edges while the program runs
const FADE = FIT.FOLLOW_MARGIN; // pixels between the sides of the pane, which fade, and what a step is about
const LEAST = 0.05; // of a graph that is shown whole
const MOTION = 180; // milliseconds that a group takes to open

/**
 * The graph, whose groups open. See `mount` for what a pane is.
 * @param {import("../trace.js").Run} run @param {Layout[]} layouts of the same boxes: the one that shows largest is taken
 */
export function graphView(run, layouts, host, prefix, whole) {
  const { trace } = run;
  const { say } = trace;
  const parts = partsOf(trace, host, prefix);
  const rows = rowsOf(trace);
  const { root, all } = groupsOf(trace, layouts[0], whole);
  const groups = opening(all, root, host.lens);
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
  let view = null; // what was shown last

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

  let [scale, room] = [1, { width: 0, height: 0 }];
  const unitOf = () => parseFloat(getComputedStyle(element).fontSize) / 14;
  const fit = () => {
    if (room.width <= 0) return;
    if (host.lens.whole)
      scale = Math.max(
        LEAST,
        Math.min(
          fitOf(root.layout, room, unitOf()).scale,
          room.width / (scene.width + 2 * PAD),
          room.height / (scene.height + 2 * PAD),
        ),
      );
    else scale = host.lens.scale ?? fitOf(root.layout, room, unitOf()).scale;
    resize();
  };
  const rescale = () => (host.lens.whole ? fit() : resize()); // what opens may need more room
  function resize() {
    drawing.style.width = `${Math.floor((scene.width + 2 * PAD) * scale)}px`;
    drawing.style.height = `${Math.floor((scene.height + 2 * PAD) * scale)}px`;
    sign();
  }

  const tools = lensTools(
    element,
    drawing,
    host,
    () => scale,
    fit,
    () => current && follow(...current),
  );
  if (all.length)
    tools.prepend(
      ...groupTools(host, (open) => {
        groups.all(open);
        host.lens.held = false;
        refresh();
        if (current) follow(...current);
      }),
    );
  let current = null; // the step that is followed
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

  /** Opens or closes a group under the learner's hand: its head stays where it is, the rest makes room. */
  function toggle(group) {
    if (!group.layout) return host.open(group); // its inside is in another stretch
    const before = groups.open;
    groups.toggle(group);
    const after = groups.open;
    const start = performance.now();
    const corner = () => {
      const { left, top } = place(drawn.get(group.id), drawing.getBoundingClientRect());
      return [left, top];
    };
    const frame = () => {
      const t = calm() ? 1 : Math.min(1, (performance.now() - start) / MOTION);
      const share = t * t * (3 - 2 * t);
      const [left, top] = corner();
      refresh(
        t === 1
          ? after
          : new Map(
              [
                ...after,
                [group.id, Math.max(0.01, before.has(group.id) ? 1 - share : share)],
              ].filter(([, share]) => share),
            ),
      );
      const [newLeft, newTop] = corner();
      element.scrollBy({ left: newLeft - left, top: newTop - top, behavior: "instant" });
      if (t < 1) requestAnimationFrame(frame);
    };
    frame();
  }
  function refresh(open = groups.open) {
    const come = arrange(open);
    rescale();
    if (view) write({ ...view, lines: come });
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
    current = [step, false];
    if (host.lens.held) partners.unshift(step.line); // where the learner looks, the signs tell where the step is
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
      .concat([...labelLayer.children].map((text) => text.getBoundingClientRect()))
      .reduce((seen, box) => {
        const wider = around(seen, box);
        return wider.right - wider.left < across && wider.bottom - wider.top < down ? wider : seen;
      }, own);
    if (!host.lens.held) scrollInside(element, target, smooth, FADE);
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
  function write({ step, told, lines, mark, adjoint, shares }) {
    const kind = AHEAD[step?.phase] ?? "adjoint"; // what is on its way
    for (const i of lines) {
      const marks = mark(i);
      if (nodeOf(i)) parts.writeNode(nodeOf(i), i, marks, adjoint(i), spellSum(run, i, told));
      const active = step && step.line === i && step.phase !== "seed";
      const carried = shares(i);
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
    const recorded = recordedAt(trace, told);
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
          { s: told, adjoint, recorded },
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

  arrange(groups.open);
  return {
    element,
    signs: signs.elements,
    tools,
    /** How large the graph would show in a room, and how high: the best of its layouts. */
    best: (given) => ({
      ...bestOf(whole || all.length ? [root.layout] : layouts, given, unitOf()),
      opens: all.length > 0,
    }),
    /** Gives the graph its room. */
    place(given) {
      room = given;
      const { layout, whole: fits } = this.best(given);
      if (layout !== root.layout) {
        root.layout = layout;
        arrange(groups.open);
      }
      element.classList.toggle("is-whole", fits);
      fit();
      if (view) label(view.step);
    },
    /** Where something of this size hides least of the graph, near its middle: in pixels from the corner of the pane. */
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
    /** Shows the step at progress `u` of its motion: what is on its way, and where. */
    move(s, u) {
      const step = trace.steps[s];
      const moving = tokensAt(trace, s, u);
      if (routes?.s !== s) routes = { s, at: new Map() };
      const placed = moving.flatMap((token) => {
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
    },
    update(next) {
      const lines = new Set(next.lines);
      if (all.length) {
        const before = [...groups.open.keys()].join();
        groups.follow(next.step ? wholeLine(trace, next.step.line) : undefined);
        if ([...groups.open.keys()].join() !== before || !view) {
          for (const i of arrange(groups.open)) lines.add(i);
          rescale();
        }
      }
      view = next;
      write({ ...next, lines });
    },
    follow,
    /** Lights a node, or an edge with its two nodes; or the groups that hold them. */
    link(target) {
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
    },
  };
}
