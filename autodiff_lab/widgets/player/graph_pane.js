import { edgeSigns, html, linkTo, put, roving, scrollInside, set, svg } from "./dom.js";
import { lensTools } from "./lens.js";
import { NOT_REACHED, tangentsOf } from "./state.js";

// Where the texts of a node stand, from its middle: what it is, then its numbers.
const ROWS = { reverse: { head: -21, value: 0, adjoint: 21 }, forward: { head: -21, value: 0, tangent: 21 },
               both: { head: -24, value: -8, tangent: 8, adjoint: 24 },
               faulty: { head: -24, value: -8, adjoint: 8, truth: 24 } };
export const inNode = (number) => number.short ?? number.text;
const LABEL_SIZE = 13;
const [THINNEST, THICKEST] = [{ plain: 1.25 }, 5]; // an edge, by what came along it; one that carries is never faint
const AHEAD = { record: "value", forward: "tangent" }; // what goes along the edges while the program runs

export function graphView(trace, layout, host, prefix) {
  const { say } = trace;
  const marker = (name) => {
    const arrow = svg("marker", { id: `${prefix}-${name}`, class: `adl-arrow-${name}`, viewBox: "0 0 10 10", refX: 9.5, refY: 5,
                                  markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto-start-reverse" },
                      svg("path", { d: "M0,1 L10,5 L0,9 Z" }));
    if (name !== "plain") for (const side of ["markerWidth", "markerHeight"]) arrow.setAttribute(side, 15);
    return arrow;
  };
  const pad = 4;
  const rows = ROWS[trace.fault ? "faulty" : trace.mode];
  const edgeLayer = svg("g");
  const labelLayer = svg("g");
  const nodeLayer = svg("g");
  const drawing = svg("svg", { class: "adl-graph", role: "group", "aria-label": say("graph of", { title: trace.title }),
                               viewBox: `${-pad} ${-pad} ${layout.width + 2 * pad} ${layout.height + 2 * pad}` },
                      svg("defs", {}, marker("plain"), ...["carried", "value", "tangent", "adjoint"].map(marker)), edgeLayer, nodeLayer, labelLayer);
  const element = html("div", { class: "adl-graph-body" }, drawing);

  const nodes = trace.lines.map((line, i) => drawNode(line, i));
  const edges = trace.lines.map(() => []); // by the line they lead into
  trace.lines.forEach((line, i) => line.operands.forEach((operand, slot) => {
    if (operand.line === null) drawConstant(operand, `c${i}_${slot}`, nodes[i]);
    else drawAgain(operand.line, `s${i}_${slot}`, nodes[i]);
    drawEdge(line, operand, i, slot);
  }));
  roving(nodes.filter(Boolean).map((node) => node.group));

  function text(className, x, y, content, size) {
    return svg("text", { class: className, x, y, "text-anchor": "middle", "dominant-baseline": "central", "font-size": size }, content);
  }
  function drawNode(line, i) {
    const box = layout.nodes[`n${i}`];
    if (!box) return null;
    const isResult = i === trace.result;
    const rounding = line.kind === "input" ? 1.5 : 8;
    const frame = (inset) => svg("rect", { class: inset ? "adl-inner" : "adl-frame", x: box.x - box.w / 2 + inset, y: box.y - box.h / 2 + inset,
                                           width: box.w - 2 * inset, height: box.h - 2 * inset, rx: Math.max(1, rounding - inset) });
    const symbol = svg("tspan", { class: "adl-symbol" });
    const name = svg("tspan", { class: "adl-name" });
    const heading = svg("text", { x: box.x, y: box.y + rows.head, "text-anchor": "middle", "dominant-baseline": "central" }, symbol, name);
    const [value, tangent, adjoint, truth] = ["value", "tangent", "adjoint", "truth"].map((name) => (name in rows ? text(`adl-${name}${line.value.shape?.length ? " has-entries" : ""}`, box.x, box.y + rows[name], "") : null));
    const title = svg("title");
    const group = svg("g", { class: `adl-node is-${line.kind}${isResult ? " is-result" : ""}`, "data-node": `n${i}`, role: "button" },
                      title, frame(0), ...(isResult ? [frame(3.5)] : []), heading, ...[value, tangent, adjoint, truth].filter(Boolean));
    linkTo(group, () => ({ line: i }), host);
    nodeLayer.append(group);
    return { group, symbol, name, value, tangent, adjoint, truth, title, box, constants: [] };
  }
  function drawConstant(operand, id, user) {
    const box = layout.nodes[id];
    if (!box) return;
    const group = svg("g", { class: "adl-node is-constant", "data-node": id }, svg("title", {}, say("constant node", { value: operand.value.text })),
                      svg("rect", { class: "adl-frame", x: box.x - box.w / 2, y: box.y - box.h / 2, width: box.w, height: box.h, rx: 1 }),
                      text("adl-value", box.x, box.y, inNode(operand.value)));
    user?.constants.push(group);
    nodeLayer.append(group);
  }
  /** A value whose own box stands far away, by its name beside its use. */
  function drawAgain(from, id, user) {
    const box = layout.nodes[id];
    if (!box) return;
    const { label, shown, value } = trace.lines[from];
    const group = svg("g", { class: "adl-node is-again", "data-node": id }, svg("title", {}, `${label || shown} = ${value.text}`),
                      svg("rect", { class: "adl-frame", x: box.x - box.w / 2, y: box.y - box.h / 2, width: box.w, height: box.h, rx: 8 }),
                      text("adl-value", box.x, box.y, label || shown));
    group.addEventListener("click", () => host.visit({ line: from }));
    group.addEventListener("pointerenter", () => host.link({ line: from }));
    group.addEventListener("pointerleave", () => host.link(null));
    user?.constants.push(group);
    nodeLayer.append(group);
  }
  function drawEdge(line, operand, i, slot) {
    const place = layout.edges[`e${i}_${slot}`];
    if (!place) return;
    const path = svg("path", { d: place.path, class: "adl-line", "marker-end": `url(#${prefix}-plain)` });
    const group = svg("g", { class: "adl-edge", "data-edge": `e${i}_${slot}` }, path, svg("path", { d: place.path, class: "adl-hit" }));
    if (operand.line !== null) linkTo(group, () => ({ line: i, slot, parent: operand.line }), host);
    edgeLayer.append(group);
    let label = null;
    if (place.label && operand.edge) {
      label = text("adl-label", place.label.x, place.label.y, operand.edge, LABEL_SIZE);
      label.append(svg("title", {}, operand.edge_title ?? operand.edge));
      labelLayer.append(label);
    }
    edges[i].push({ slot, group, path, label });
  }
  /** `share` is how much of the largest contribution has come along this edge; undefined: nothing yet. */
  function setEdge(edge, mode, share) {
    const look = `is-${mode}${share === undefined ? "" : " has-carried"}`;
    if (edge.look === look && edge.share === share) return;
    Object.assign(edge, { look, share });
    edge.group.setAttribute("class", `adl-edge ${look}${edge.group.matches(".is-linked") ? " is-linked" : ""}`);
    edge.label?.setAttribute("class", `adl-label ${look}${edge.label.matches(".is-linked") ? " is-linked" : ""}`);
    edge.path.style.strokeWidth = share === undefined ? "" : `${Math.max(THINNEST[mode] ?? 1.75, THICKEST * share)}px`;
    const head = mode === "plain" && share > 0.3 ? "carried" : mode;
    edge.path.setAttribute("marker-end", mode === "ahead" || mode === "adjoint" ? "" : `url(#${prefix}-${head})`);
    edge.path.setAttribute("marker-start", mode === "adjoint" ? `url(#${prefix}-adjoint)` : "");
  }

  const minimum = 12 / 14; // type is 14 px at natural size and never shrinks below 12
  let scale = 1;
  const fit = () => {
    const room = element.clientWidth - 16;
    if (room <= 0) return;
    const [width, height] = [layout.width + 2 * pad, layout.height + 2 * pad];
    const unit = parseFloat(getComputedStyle(element).fontSize) / 14; // in a lecture all type is larger, and may shrink further
    scale = host.lens.scale ?? Math.max((unit > 1.5 ? 0.7 : minimum) * unit, Math.min(room / width, Math.max(unit, (element.clientHeight - 16) / height), 1.15 * unit));
    drawing.style.width = `${Math.floor(width * scale)}px`;
    drawing.style.height = `${Math.floor(height * scale)}px`;
    sign();
  };

  const tools = lensTools(element, drawing, host, () => scale, fit, () => current && follow(...current));
  let current = null; // the step that is followed
  let linked = [];
  let stopped = 0; // how often the dots that run along the edges were stopped
  const signs = edgeSigns(element);
  let partners = []; // the lines that this step talks to
  /** Where a node is on screen, if the drawing is at `frame`. */
  const place = (i, frame) => {
    const { x, y, w, h } = nodes[i].box;
    const [left, top] = [frame.left + (x - w / 2 + pad) * scale, frame.top + (y - h / 2 + pad) * scale];
    return { left, top, right: left + w * scale, bottom: top + h * scale };
  };
  const around = (a, b) => ({ left: Math.min(a.left, b.left), top: Math.min(a.top, b.top),
                              right: Math.max(a.right, b.right), bottom: Math.max(a.bottom, b.bottom) });
  function sign() {
    const beyond = { left: [], right: [], top: [], bottom: [] };
    if (partners.length) {
      const [view, frame] = [element.getBoundingClientRect(), drawing.getBoundingClientRect()];
      for (const i of partners) {
        const { left, top, right, bottom } = place(i, frame);
        const side = right < view.left + 12 ? "left" : left > view.right - 12 ? "right" : bottom < view.top + 12 ? "top" : top > view.bottom - 12 ? "bottom" : "";
        beyond[side]?.push(trace.lines[i].label || trace.lines[i].shown);
      }
    }
    signs.show(beyond);
  }
  element.addEventListener("scroll", sign, { passive: true });

  /** Brings the current node into the pane, and with it those it talks to, the nearest first, as far as they fit. */
  function follow(step, smooth) {
    const sweeping = step.phase === "sweep";
    partners = [...new Set(sweeping ? step.sends.map((send) => send.parent) : trace.lines[step.line].operands.map((o) => o.line))]
      .filter((i) => nodes[i]);
    if (!nodes[step.line]) return;
    current = [step, false];
    if (host.lens.held) partners.unshift(step.line); // where the learner looks, the signs tell where the step is
    const frame = drawing.getBoundingClientRect();
    const own = place(step.line, frame);
    const far = (box) => Math.abs(box.left - own.left) + Math.abs(box.top - own.top);
    const target = partners.map((i) => place(i, frame)).sort((a, b) => far(a) - far(b)).reduce((seen, box) => {
      const wider = around(seen, box);
      const fits = wider.right - wider.left < element.clientWidth - 24 && wider.bottom - wider.top < element.clientHeight - 8;
      return fits ? wider : seen;
    }, own);
    if (!host.lens.held) scrollInside(element, target, smooth, 40);
    sign();
  }

  return {
    element,
    signs: [...signs.elements, tools],
    fit,
    update({ step, lines, mark, adjoint, shares }) {
      for (const i of lines) {
        const node = nodes[i];
        const line = trace.lines[i];
        const marks = mark(i);
        const reached = adjoint(i);
        if (node) {
          const kind = `adl-node is-${line.kind}${i === trace.result ? " is-result" : ""}${line.stretch ? " is-inner" : ""}`;
          set(node.group, "class", `${kind} ${marks.classes}${node.group.matches(".is-linked") ? " is-linked" : ""}`);
          // What a line will be is for the reader to foresee: until it is recorded, the box has its name only.
          const isResult = marks.recorded && i === trace.result;
          put(node.symbol, marks.recorded ? line.symbol : "");
          put(node.name, isResult ? `${line.shown} = ${trace.result_name}` : line.shown);
          set(node.name, "dx", marks.recorded ? "5" : "0");
          put(node.value, marks.recorded ? inNode(line.value) : "");
          const tangents = tangentsOf(trace, i);
          if (node.tangent) put(node.tangent, marks.recorded ? tangents.map(inNode).join(", ") : "");
          if (node.adjoint) {
            put(node.adjoint, marks.recorded ? (reached ? inNode(reached) : NOT_REACHED) : "");
            node.adjoint.classList.toggle("is-missing", !reached);
          }
          const right = trace.truth[i] && marks.swept ? say("node true", { value: inNode(trace.truth[i]) }) : "";
          if (node.truth) put(node.truth, right);
          const gap = say("separator");
          const words = [say(isResult ? "result value" : "node value", { meaning: line.meaning, value: line.value.text }),
            ...(node.tangent ? [say("node tangent", { tangent: tangents.map((t) => t.text).join(gap) })] : []),
            ...(node.adjoint ? [say("node adjoint", { adjoint: reached ? reached.text : say("not reached") })] : []), ...(right ? [right] : []),
            ...(line.value.shape?.length ? [say("see entries")] : [])].join(gap);
          const title = marks.recorded ? `${line.shown} = ${words}` : say("node ahead", { name: line.shown });
          put(node.title, title);
          for (const constant of node.constants) constant.classList.toggle("is-ahead", !marks.recorded);
        }
        const active = step && step.line === i && step.phase !== "seed";
        const sending = new Set(active ? step.sends.map((send) => send.slot) : []);
        const carried = shares(i);
        for (const edge of edges[i]) {
          const now = active && AHEAD[step.phase] ? AHEAD[step.phase] : sending.has(edge.slot) ? "adjoint" : "plain";
          setEdge(edge, marks.recorded ? now : "ahead", marks.recorded ? carried.get(edge.slot) : undefined);
        }
      }
    },
    follow,
    /** Lights a node, or an edge with its two nodes. */
    link(target) {
      for (const part of linked) part.classList.remove("is-linked");
      const edge = target?.slot === undefined ? null : edges[target.line].find(({ slot }) => slot === target.slot);
      linked = target ? [nodes[target.line]?.group, nodes[target.parent]?.group, edge?.group, edge?.label].filter(Boolean) : [];
      for (const part of linked) part.classList.add("is-linked");
    },
    /** A dot runs along the edges of this step: with the values, or against them with the adjoints. */
    pulse(step, duration) {
      const backwards = step.phase === "sweep";
      const round = stopped;
      const slots = new Set(step.sends.map((send) => send.slot));
      for (const edge of edges[step.line]) {
        if (backwards && !slots.has(edge.slot)) continue;
        const dot = svg("circle", { r: 5, class: `adl-pulse is-${AHEAD[step.phase] ?? "adjoint"}` });
        let start, length;
        const move = (now) => {
          if (stopped !== round) return dot.remove();
          start ??= now;
          length ??= edge.path.getTotalLength();
          if (!dot.isConnected) labelLayer.append(dot);
          const t = Math.min(1, (now - start) / duration);
          const eased = t * t * (3 - 2 * t);
          const point = edge.path.getPointAtLength(length * (backwards ? 1 - eased : eased));
          dot.setAttribute("cx", point.x);
          dot.setAttribute("cy", point.y);
          if (t < 1) requestAnimationFrame(move);
          else dot.remove();
        };
        requestAnimationFrame(move); // measuring a path now would delay the step
      }
    },
    stopPulses() {
      stopped += 1;
      element.querySelectorAll(".adl-pulse").forEach((dot) => dot.remove());
    },
  };
}
