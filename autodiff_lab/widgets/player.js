/**
 * The player: draws one recorded run (a Trace) as source | graph | tape, all at the same step.
 *
 * One file, although a long one, on purpose: anywidget takes one file as `_esm`, an exported page inlines
 * the very same text, and nothing has to be built.
 * It has three parts: pure functions of (trace, step), which node tests without a browser; one view
 * per pane; and `mount`, which joins them. Everything shown is a function of the trace and the step,
 * so going back is the same thing as going forward. Every number, formula and sentence of the run comes
 * written from Python (autodiff_lab/figures).
 *
 * Names of people's functions and variables only ever pass through `textContent` or `setAttribute`.
 *
 * @typedef {{text: string, short?: string}} Num
 * @typedef {{line: number|null, value: Num, edge?: string, edge_title?: string}} Operand
 * @typedef {[source: number, line: number, column: number, endLine: number, endColumn: number]} Span
 * @typedef {{kind: "input"|"operation", label: string, symbol: string, shown: string, expression: string,
 *            meaning: string, operands: Operand[], value: Num, where: Span[]}} Line
 * @typedef {{slot: number, parent: number, after: Num}} Send
 * @typedef {{phase: "record"|"seed"|"sweep", line: number, adjoint: Num|null, sends: Send[], sentence: string,
 *            equations: [form: string, pieces: string[]][]}} Step
 * @typedef {{title: string, note: string, opening: string, result: number|null, result_name: string,
 *            sources: {name: string, first_line: number, text: string[]}[],
 *            lines: Line[], steps: Step[]}} Trace
 * @typedef {{x: number, y: number, w: number, h: number}} Box
 * @typedef {{width: number, height: number, nodes: Object<string, Box>,
 *            edges: Object<string, {path: string, label: {x: number, y: number}}>}} Layout
 */

// ---------------------------------------------------------------- pure: the state at a step

/** How an adjoint that no contribution has reached is shown; a reached 0 is shown as "0". */
export const NOT_REACHED = "·";

/**
 * A trace as Python wrote it: what is left out has its default, and a number is its place in the list of numbers.
 * @returns {Trace}
 */
export function read(data) {
  const number = (place) => (place === undefined ? null : data.numbers[place]);
  return {
    note: "", opening: "", result_name: "y", ...data,
    lines: data.lines.map((line) => ({ label: "", where: [], ...line, value: number(line.value),
      operands: (line.operands ?? []).map((operand) => ({ ...operand, value: number(operand.value) })) })),
    steps: data.steps.map((step) => ({ ...step, adjoint: number(step.adjoint),
      sends: (step.sends ?? []).map((send) => ({ ...send, after: number(send.after) })) })),
  };
}

/**
 * For every line the steps at which its adjoint changes. Built once, it makes any step cheap to show.
 * @param {Trace} trace @returns {{step: number, adjoint: Num}[][]}
 */
export function adjointHistory(trace) {
  const history = trace.lines.map(() => []);
  trace.steps.forEach((step, s) => {
    if (step.phase === "seed") history[step.line].push({ step: s, adjoint: step.adjoint });
    for (const send of step.sends) history[send.parent].push({ step: s, adjoint: send.after });
  });
  return history;
}

/** The adjoint a line holds after step `s`, or null when nothing has reached it yet. */
export function adjointAt(history, line, s) {
  const changes = history[line];
  for (let k = changes.length - 1; k >= 0; k--) if (changes[k].step <= s) return changes[k].adjoint;
  return null;
}

/** The lines a step shows in another way than its neighbours do: itself, its operands, its receivers. */
export function touchedLines(trace, s) {
  const step = trace.steps[s];
  if (!step) return [];
  const operands = trace.lines[step.line].operands.map((o) => o.line).filter((line) => line !== null);
  return [step.line, ...operands, ...step.sends.map((send) => send.parent)];
}

/** How many steps each phase has. */
export function phaseLengths(trace) {
  const count = { record: 0, seed: 0, sweep: 0 };
  for (const step of trace.steps) count[step.phase] += 1;
  return count;
}

export const clampStep = (trace, s) => Math.max(-1, Math.min(trace.steps.length - 1, Math.trunc(s)));

/** "5 operations · sweep 2 of 5": where we are, in words. */
export function statusText(trace, s) {
  const operations = trace.lines.filter((line) => line.kind === "operation").length;
  const count = phaseLengths(trace);
  const step = trace.steps[s];
  let where = "nothing recorded yet";
  if (step?.phase === "record") where = `recording ${s + 1} of ${count.record}`;
  if (step?.phase === "seed") where = "seed";
  if (step?.phase === "sweep") where = `sweep ${s + 1 - count.record - count.seed} of ${count.sweep}`;
  return `${operations} operation${operations === 1 ? "" : "s"} · ${where}`;
}

/** What is said at step `s`, and at the start. */
export const sentenceAt = (trace, s) => (s < 0 ? trace.opening : trace.steps[s].sentence);

const KINDS = { n: "name", p: "plain", v: "value", w: "value-result", a: "adjoint", r: "result", m: "missing", c: "note", g: "gradient" };

/** The arithmetic of step `s`: a list of [kind, text] for each line of it. The kind decides the colour. */
export const equationsAt = (trace, s) => (trace.steps[s]?.equations ?? []).map(([form, pieces]) => {
  const next = pieces.values();
  return [...form].map((kind) => (KINDS[kind] ? [KINDS[kind], next.next().value] : ["op", ` ${kind} `]));
});

// ---------------------------------------------------------------- pure: keys

const KEYS = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", " ": "toggle" };

/**
 * What a key does when `target` has the focus; null leaves the key to the browser. A slider keeps its
 * own arrows, a button its own space.
 * @param {{key: string, ctrlKey?: boolean, altKey?: boolean, metaKey?: boolean, shiftKey?: boolean}} event
 * @param {{tag: string, role?: string}} target
 */
export function keyAction(event, target) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return null;
  const action = KEYS[event.key] ?? null;
  const tag = target.tag.toLowerCase();
  if (tag === "select" || (tag === "input" && action !== "toggle")) return null;
  if (action === "toggle" && (tag === "button" || target.role === "button")) return null;
  return action;
}

// ---------------------------------------------------------------- small DOM tools

const SVG = "http://www.w3.org/2000/svg";
let instances = 0;

function build(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {}))
    if (value !== null && value !== undefined) node.setAttribute(name, value);
  // Lumino looks at the focused element only, so each one says that JupyterLab's shortcuts must wait.
  if (node.matches("button, input, select, [tabindex]")) node.setAttribute("data-lm-suppress-shortcuts", "true");
  node.append(...children);
  return node;
}
const html = (tag, attributes, ...children) => build(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => build(document.createElementNS(SVG, tag), attributes, children);

/** Writing what is there already would make the browser lay it out again. */
const put = (node, text) => node.textContent !== text && (node.textContent = text);
const set = (node, name, value) => node.getAttribute(name) !== value && node.setAttribute(name, value);

/** Moves `pane` so that `target` (a rectangle on screen) is inside it; never scrolls the page. */
function scrollInside(pane, target, smooth, margin = 12) {
  const view = pane.getBoundingClientRect();
  const shift = (low, high, from, to) =>
    high - low > to - from - 2 * margin ? (low + high - from - to) / 2
      : low < from + margin ? low - from - margin : high > to - margin ? high - to + margin : 0;
  const left = pane.scrollWidth > pane.clientWidth ? shift(target.left, target.right, view.left, view.right) : 0;
  const top = pane.scrollHeight > pane.clientHeight ? shift(target.top, target.bottom, view.top, view.bottom) : 0;
  if (left || top) pane.scrollBy({ left, top, behavior: smooth ? "smooth" : "instant" });
}

const ARROWS = { left: "‹", right: "›", top: "˄", bottom: "˅" };

/**
 * Signs at the sides of a pane behind which there is more of it; they name what of this step is there.
 * @param {HTMLElement} pane the scrolling element
 * @returns {{elements: HTMLElement[], show(beyond: Object<string, string[]>): void}}
 */
function edgeSigns(pane) {
  const signs = Object.keys(ARROWS).map((side) => ({ side, text: html("span") }));
  return {
    elements: signs.map(({ side, text }) => html("div", { class: `adl-more is-${side}`, "aria-hidden": "true" }, text)),
    show(beyond) {
      const room = { left: pane.scrollLeft, right: pane.scrollWidth - pane.clientWidth - pane.scrollLeft,
                     top: pane.scrollTop, bottom: pane.scrollHeight - pane.clientHeight - pane.scrollTop };
      for (const { side, text } of signs) {
        const names = beyond[side] ?? [];
        const more = names.length > 3 ? [...names.slice(0, 2), `+${names.length - 2}`] : names;
        const said = [ARROWS[side], ...more].join(" ");
        if (text.textContent !== said) text.textContent = said;
        text.parentElement.classList.toggle("is-on", room[side] > 2);
      }
    },
  };
}

/** One tab stop for many items; up and down move between them. */
function roving(items) {
  items.forEach((item, k) => {
    item.setAttribute("tabindex", k ? "-1" : "0");
    item.setAttribute("data-lm-suppress-shortcuts", "true");
    item.addEventListener("keydown", (event) => {
      const next = items[k + { ArrowUp: -1, ArrowDown: 1 }[event.key]];
      if (!next) return;
      event.preventDefault();
      event.stopPropagation();
      item.setAttribute("tabindex", "-1");
      next.setAttribute("tabindex", "0");
      next.focus();
    });
  });
}

/** Every pane answers pointing and focusing a line in the same way: all panes light that line. */
function linkLine(element, lineOf, host) {
  const enter = () => host.link(lineOf());
  const leave = () => host.link(null);
  element.addEventListener("pointerenter", enter);
  element.addEventListener("pointerleave", leave);
  element.addEventListener("focus", enter);
  element.addEventListener("blur", leave);
  element.addEventListener("click", () => host.visit(lineOf()));
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && !(event.key === " " && element.getAttribute("role") === "button")) return;
    event.preventDefault();
    host.visit(lineOf());
  });
}

// ---------------------------------------------------------------- the three panes

/**
 * Each view returns `element` (its scrolling body), `update(view)` that rewrites the lines that changed,
 * `follow(step, smooth)` that scrolls to the step (after all views are written, so that the browser lays
 * out once), and `link(line, on)`. `view` is {step: Step|undefined, lines, mark(line), adjoint(line)}.
 */
function sourceView(trace, host) {
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
        linkLine(piece, () => lines.find((i) => i > host.line()) ?? lines[0], host);
        if (text.slice(cut, cuts[c + 1]).trim().length) {
          piece.setAttribute("role", "button");
          focusable.push(piece);
        }
      });
      for (const { span, i, own } of spans) if (own && span[1] === r) rowOf[i] = row;
      element.append(row);
    });
  });
  const note = trace.note || (trace.sources.length ? "" : "There is no source to show.");
  if (note) element.append(html("p", { class: "adl-note" }, note));
  roving(focusable);

  let shown = null;
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
    link(line, on) {
      for (const piece of piecesOf[line]) piece.classList.toggle("is-linked", on);
    },
  };
}

const LINE_HEIGHT = 21; // between the three texts of a node
const inNode = (number) => number.short ?? number.text;
const LABEL_SIZE = 13;

function graphView(trace, layout, host, prefix) {
  const marker = (name) => {
    const arrow = svg("marker", { id: `${prefix}-${name}`, class: `adl-arrow-${name}`, viewBox: "0 0 10 10", refX: 9.5, refY: 5,
                                  markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto-start-reverse" },
                      svg("path", { d: "M0,1 L10,5 L0,9 Z" }));
    if (name !== "plain") for (const side of ["markerWidth", "markerHeight"]) arrow.setAttribute(side, 13);
    return arrow;
  };
  const pad = 4;
  const edgeLayer = svg("g");
  const labelLayer = svg("g");
  const nodeLayer = svg("g");
  const drawing = svg("svg", { class: "adl-graph", role: "group", "aria-label": `graph of ${trace.title}`,
                               viewBox: `${-pad} ${-pad} ${layout.width + 2 * pad} ${layout.height + 2 * pad}` },
                      svg("defs", {}, marker("plain"), marker("value"), marker("adjoint")), edgeLayer, nodeLayer, labelLayer);
  const element = html("div", { class: "adl-graph-body" }, drawing);

  const nodes = trace.lines.map((line, i) => drawNode(line, i));
  const edges = trace.lines.map(() => []); // by the line they lead into
  trace.lines.forEach((line, i) => line.operands.forEach((operand, slot) => {
    if (operand.line === null) drawConstant(operand, `c${i}_${slot}`, nodes[i]);
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
    const heading = svg("text", { x: box.x, y: box.y - LINE_HEIGHT, "text-anchor": "middle", "dominant-baseline": "central" }, symbol, name);
    const value = text("adl-value", box.x, box.y, "");
    const adjoint = text("adl-adjoint", box.x, box.y + LINE_HEIGHT, "");
    const title = svg("title");
    const group = svg("g", { class: `adl-node is-${line.kind}${isResult ? " is-result" : ""}`, "data-node": `n${i}`, role: "button" },
                      title, frame(0), ...(isResult ? [frame(3.5)] : []), heading, value, adjoint);
    linkLine(group, () => i, host);
    nodeLayer.append(group);
    return { group, symbol, name, value, adjoint, title, box, constants: [] };
  }
  function drawConstant(operand, id, user) {
    const box = layout.nodes[id];
    if (!box) return;
    const group = svg("g", { class: "adl-node is-constant", "data-node": id }, svg("title", {}, `the constant ${operand.value.text}`),
                      svg("rect", { class: "adl-frame", x: box.x - box.w / 2, y: box.y - box.h / 2, width: box.w, height: box.h, rx: 1 }),
                      text("adl-value", box.x, box.y, inNode(operand.value)));
    user?.constants.push(group);
    nodeLayer.append(group);
  }
  function drawEdge(line, operand, i, slot) {
    const place = layout.edges[`e${i}_${slot}`];
    if (!place) return;
    const path = svg("path", { d: place.path, class: "adl-line", "marker-end": `url(#${prefix}-plain)` });
    const group = svg("g", { class: "adl-edge", "data-edge": `e${i}_${slot}` }, path);
    edgeLayer.append(group);
    let label = null;
    if (place.label && operand.edge) {
      label = text("adl-label", place.label.x, place.label.y, operand.edge, LABEL_SIZE);
      label.append(svg("title", {}, operand.edge_title ?? operand.edge));
      labelLayer.append(label);
    }
    edges[i].push({ slot, group, path, label });
  }
  function setEdge(edge, mode) {
    if (edge.mode === mode) return;
    edge.mode = mode;
    edge.group.setAttribute("class", `adl-edge is-${mode}`);
    edge.label?.setAttribute("class", `adl-label is-${mode}`);
    edge.path.setAttribute("marker-end", { plain: `url(#${prefix}-plain)`, value: `url(#${prefix}-value)` }[mode] ?? "");
    edge.path.setAttribute("marker-start", mode === "adjoint" ? `url(#${prefix}-adjoint)` : "");
  }

  const minimum = 12 / 14; // type is 14 px at natural size and never shrinks below 12
  let scale = 1;
  const fit = () => {
    const room = element.clientWidth - 16;
    if (room <= 0) return;
    const [width, height] = [layout.width + 2 * pad, layout.height + 2 * pad];
    scale = Math.max(minimum, Math.min(room / width, Math.max(1, (element.clientHeight - 16) / height), 1.15));
    drawing.style.width = `${Math.floor(width * scale)}px`;
    drawing.style.height = `${Math.floor(height * scale)}px`;
    sign();
  };

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

  return {
    element,
    signs: signs.elements,
    fit,
    update({ step, lines, mark, adjoint }) {
      for (const i of lines) {
        const node = nodes[i];
        const line = trace.lines[i];
        const marks = mark(i);
        const reached = adjoint(i);
        if (node) {
          const kind = `adl-node is-${line.kind}${i === trace.result ? " is-result" : ""}`;
          set(node.group, "class", `${kind} ${marks.classes}${node.group.matches(".is-linked") ? " is-linked" : ""}`);
          // What a line will be is for the reader to foresee: until it is recorded, the box has its name only.
          const isResult = marks.recorded && i === trace.result;
          put(node.symbol, marks.recorded ? line.symbol : "");
          put(node.name, isResult ? `${line.shown} = ${trace.result_name}` : line.shown);
          set(node.name, "dx", marks.recorded ? "5" : "0");
          put(node.value, marks.recorded ? inNode(line.value) : "");
          put(node.adjoint, marks.recorded ? (reached ? inNode(reached) : NOT_REACHED) : "");
          node.adjoint.classList.toggle("is-missing", !reached);
          const words = `${line.meaning}${isResult ? ", the result" : ""}: value ${line.value.text}, adjoint ${reached ? reached.text : "not reached"}`;
          const title = marks.recorded ? `${line.shown} = ${words}` : `${line.shown}: not recorded yet`;
          put(node.title, title);
          set(node.group, "aria-label", title);
          for (const constant of node.constants) constant.classList.toggle("is-ahead", !marks.recorded);
        }
        const active = step && step.line === i && step.phase !== "seed";
        const sending = new Set(active ? step.sends.map((send) => send.slot) : []);
        for (const edge of edges[i])
          setEdge(edge, !marks.recorded ? "ahead" : active && step.phase === "record" ? "value" : sending.has(edge.slot) ? "adjoint" : "plain");
      }
    },
    /** Brings the current node into the pane, and with it those it talks to, the nearest first, as far as they fit. */
    follow(step, smooth) {
      const sweeping = step.phase === "sweep";
      partners = [...new Set(sweeping ? step.sends.map((send) => send.parent) : trace.lines[step.line].operands.map((o) => o.line))]
        .filter((i) => nodes[i]);
      if (!nodes[step.line]) return;
      const frame = drawing.getBoundingClientRect();
      const own = place(step.line, frame);
      const far = (box) => Math.abs(box.left - own.left) + Math.abs(box.top - own.top);
      const target = partners.map((i) => place(i, frame)).sort((a, b) => far(a) - far(b)).reduce((seen, box) => {
        const wider = around(seen, box);
        const fits = wider.right - wider.left < element.clientWidth - 24 && wider.bottom - wider.top < element.clientHeight - 8;
        return fits ? wider : seen;
      }, own);
      scrollInside(element, target, smooth, 40);
      sign();
    },
    link(line, on) {
      nodes[line]?.group.classList.toggle("is-linked", on);
    },
    /** A dot runs along the edges of this step: with the values, or against them with the adjoints. */
    pulse(step, duration) {
      const backwards = step.phase === "sweep";
      const round = stopped;
      const slots = new Set(step.sends.map((send) => send.slot));
      for (const edge of edges[step.line]) {
        if (backwards && !slots.has(edge.slot)) continue;
        const dot = svg("circle", { r: 5, class: `adl-pulse ${backwards ? "is-adjoint" : "is-value"}` });
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

const WIDEST = 13; // characters of a value in the tape, and of an operation; longer ones are cut, and their title has the whole
const WIDEST_OPERATION = 17;

function tapeView(trace, host) {
  const head = ["line", "operation", "value", "adjoint"].map((title) => html("th", { scope: "col" }, title));
  const body = html("tbody");
  const widest = (texts, most = WIDEST, least = 7) => Math.min(most, Math.max(least, ...texts.map((text) => text.length)));
  const reached = adjointHistory(trace).flatMap((changes) => changes.map((change) => inNode(change.adjoint)));
  // The columns are as wide as their widest entry of the whole run, so nothing shifts while stepping.
  const columns = [null, null, widest(trace.lines.map((line) => inNode(line.value))), widest(reached)]
    .map((chars) => html("col", { style: chars && `width: ${chars + 1.5}ch` }));
  const element = html("div", { class: "adl-tape-body" },
    html("table", { class: "adl-tape", style: `--adl-operation: ${widest(trace.lines.map((line) => line.expression), WIDEST_OPERATION, 1)}ch` }, html("colgroup", {}, ...columns), html("thead", {}, html("tr", {}, ...head)), body));
  const rows = trace.lines.map((line, i) => {
    const value = html("td", { class: "adl-value" });
    const adjoint = html("td", { class: "adl-adjoint" });
    const operation = html("span");
    const row = html("tr", { "data-line": i }, html("th", { scope: "row" }, line.shown), html("td", { class: "adl-operation" }, operation), value, adjoint);
    linkLine(row, () => i, host);
    body.append(row);
    return { row, operation, value, adjoint };
  });
  roving(rows.map(({ row }) => row));
  const receivers = (step) => (step.phase === "seed" ? [step.line] : step.sends.map((send) => send.parent));
  const write = (cell, number) => {
    const text = number ? inNode(number) : "";
    const cut = text.length > WIDEST ? text.slice(0, WIDEST - 1).replace(/[ …]+$/, "") + "…" : text;
    put(cell, cut);
    if (number && cut !== number.text) set(cell, "title", number.text);
    else cell.removeAttribute("title");
  };
  return {
    element,
    update({ step, lines, mark, adjoint }) {
      const receiving = new Set(step ? receivers(step) : []);
      for (const i of lines) {
        const { row, operation, value, adjoint: cell } = rows[i];
        const marks = mark(i);
        const now = adjoint(i);
        set(row, "class", `${marks.classes}${row.matches(".is-linked") ? " is-linked" : ""}`);
        const expression = marks.recorded ? trace.lines[i].expression : "";
        put(operation, expression);
        set(operation, "title", expression);
        write(value, marks.recorded ? trace.lines[i].value : null);
        write(cell, marks.recorded ? now ?? { text: NOT_REACHED } : null);
        set(cell, "class", `adl-adjoint${now ? "" : " is-missing"}${receiving.has(i) ? " is-new" : ""}`);
        if (now || !marks.recorded) cell.removeAttribute("aria-label");
        else cell.setAttribute("aria-label", "not reached");
      }
    },
    follow(step, smooth) {
      const all = [step.line, ...receivers(step)].map((i) => rows[i].row.getBoundingClientRect());
      const union = { left: all[0].left, right: all[0].left, top: Math.min(...all.map((b) => b.top)) - 30, bottom: Math.max(...all.map((b) => b.bottom)) };
      scrollInside(element, union.bottom - union.top < element.clientHeight ? union : { ...all[0].toJSON(), right: all[0].left }, smooth, 4);
    },
    link(line, on) {
      rows[line].row.classList.toggle("is-linked", on);
    },
  };
}

// ---------------------------------------------------------------- header and transport

const ICONS = {
  first: "M4 3v10M13 3 6 8l7 5z", back: "M11.5 3 5 8l6.5 5z", play: "M5 2.5 13 8l-8 5.5z",
  pause: "M5.5 3v10M10.5 3v10", forward: "M4.5 3 11 8l-6.5 5z", last: "M12 3v10M3 3l7 5-7 5z",
};
function button(icon, label, keys, onClick) {
  const node = html("button", { type: "button", "aria-label": label, title: `${label} (${keys})`, "data-action": icon },
                    svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: ICONS[icon] })));
  node.addEventListener("click", onClick);
  return node;
}

/** Calls `send` at most once in `wait` ms; the last value always gets through. */
export function throttle(send, wait, clock = { now: () => Date.now(), later: (f, ms) => setTimeout(f, ms) }) {
  let last = -Infinity;
  let waiting = false;
  let latest;
  return (value) => {
    latest = value;
    if (waiting) return;
    const fire = () => {
      waiting = false;
      last = clock.now();
      send(latest);
    };
    const left = last + wait - clock.now();
    if (left <= 0) return fire();
    waiting = true;
    clock.later(fire, left);
  };
}

/** What stands beside a slider while a hand moves it; at rest Python says it. */
export const atSlider = (x) => String(Number(x.toPrecision(6))).replaceAll("-", "−");

function inputsView(onChange) {
  const element = html("div", { class: "adl-inputs" });
  let sliders = [];
  return {
    element,
    update(controls) {
      if (controls.map((c) => c.name).join() !== sliders.map((s) => s.name).join()) {
        sliders = controls.map(({ name }) => {
          const range = html("input", { type: "range", "aria-label": name });
          const output = html("output");
          range.addEventListener("input", () => {
            output.textContent = atSlider(range.valueAsNumber);
            onChange(sliders.map((s) => Number(s.range.value)), sliders.findIndex((s) => s.name === name));
          });
          return { name, range, output, node: html("label", { class: "adl-input" }, html("span", {}, name), range, output) };
        });
        element.replaceChildren(...sliders.map((s) => s.node));
      }
      controls.forEach((control, k) => {
        const { range, output } = sliders[k];
        for (const key of ["min", "max", "step"]) if (range[key] !== String(control[key])) range[key] = control[key];
        if (Number(range.value) !== control.value) range.value = control.value;
        output.textContent = control.text ?? atSlider(control.value);
      });
    },
  };
}

// ---------------------------------------------------------------- the player

const SPEEDS = [0.5, 1, 2, 4];
const BEAT = 1200; // milliseconds a step at speed 1

/**
 * Puts a player into `element` and returns its controls.
 * @param {HTMLElement} element
 * @param {{trace: Trace, layout: Layout}} payload
 * @param {{step?: number, css?: string, controls?: object[], onStep?: (s: number) => void,
 *          onInputs?: (changed: {index: number, value: number}) => void}} options
 */
export function mount(element, payload, options = {}) {
  if (options.css && !document.querySelector("style[data-adl-player]"))
    document.head.append(html("style", { "data-adl-player": "" }, options.css));
  const prefix = `adl-${++instances}-${Math.random().toString(36).slice(2, 7)}`;
  const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

  const title = html("div", { class: "adl-title" });
  const status = html("span", { class: "adl-status" });
  const inputs = inputsView((values, index) => options.onInputs?.({ index, value: values[index] }));
  const banner = html("div", { class: "adl-error", role: "status", hidden: "" });
  const panes = html("div", { class: "adl-panes" });
  const equation = html("div", { class: "adl-equation" });
  const sentence = html("p", { class: "adl-sentence", "aria-live": "polite" });
  const words = html("div", { class: "adl-words" }, equation, sentence);
  const playButton = button("play", "Play", "space", () => api.toggle());
  const buttons = {
    first: button("first", "First step", "Home", () => api.go(-1)),
    back: button("back", "Back one step", "←", () => api.advance(-1)),
    play: playButton,
    forward: button("forward", "Forward one step", "→", () => api.advance(1)),
    last: button("last", "Last step", "End", () => api.go(Infinity)),
  };
  const speed = html("select", { "aria-label": "Speed", title: "Speed of play" },
                     ...SPEEDS.map((x) => html("option", { value: x, ...(x === 1 ? { selected: "" } : {}) }, `${x}×`)));
  const scrubber = html("input", { type: "range", min: 0, step: 1, "aria-label": "Step" });
  const rails = [html("div", { class: "adl-rail" }), html("div", { class: "adl-rail is-done" })];
  const legend = html("div", { class: "adl-phases", "aria-hidden": "true" });
  const counter = html("span", { class: "adl-counter" });
  const transport = html("div", { class: "adl-transport" }, html("div", { class: "adl-buttons" }, ...Object.values(buttons), speed),
                         html("div", { class: "adl-scrubber" }, ...rails, scrubber, legend), counter);
  const root = html("div", { class: "adl-player", role: "group", tabindex: 0, "aria-keyshortcuts": "ArrowLeft ArrowRight Space Home End" },
                    html("div", { class: "adl-header" }, title, inputs.element, status), banner, panes, words, transport);

  let trace, layout, history, lengths, views, timer, linked = null;
  let s = -2; // no step is shown yet

  const host = {
    line: () => trace.steps[s]?.line ?? -1,
    link(line) {
      if (linked !== null && linked < trace.lines.length) for (const view of views) view.link(linked, false);
      linked = line;
      if (linked !== null) for (const view of views) view.link(linked, true);
    },
    /** Goes to where a line is recorded or, during the sweep, to where it sends its adjoint. */
    visit(line) {
      const at = (phase) => trace.steps.findIndex((step) => step.phase === phase && step.line === line);
      const sweeping = trace.steps[s] && trace.steps[s].phase !== "record";
      api.pause();
      api.go(sweeping && at("sweep") >= 0 ? at("sweep") : at("record"));
    },
  };

  function pane(name, title, hint, view) {
    view.element.setAttribute("data-lm-suppress-shortcuts", "true");
    view.element.classList.add("adl-scroll");
    const body = view.signs ? html("div", { class: "adl-signed" }, view.element, ...view.signs) : view.element;
    return html("section", { class: `adl-pane adl-pane-${name}`, "aria-label": title },
                html("div", { class: "adl-pane-title" }, title, ...(hint ? [html("span", {}, hint)] : [])), body);
  }

  function load(next) {
    const places = views?.map((view) => [view.element.scrollLeft, view.element.scrollTop]);
    [trace, layout] = [read(next.trace), next.layout];
    history = adjointHistory(trace);
    linked = null;
    const graph = graphView(trace, layout, host, prefix);
    views = [sourceView(trace, host), graph, tapeView(trace, host)];
    const sourceName = trace.sources.length > 1 ? "your functions" : "your function";
    panes.replaceChildren(pane("source", sourceName, "", views[0]), pane("graph", "graph", "value, then adjoint; on the edge the local partial", views[1]),
                          pane("tape", "tape", "", views[2]));
    title.textContent = trace.title;
    root.setAttribute("aria-label", `player of ${trace.title}`);
    const count = phaseLengths(trace);
    const phases = Object.entries(count).filter(([, steps]) => steps);
    for (const rail of rails) rail.replaceChildren(...phases.map(([name, steps]) => html("span", { class: `is-${name}`, style: `flex-grow: ${steps}` })));
    legend.replaceChildren(...phases.map(([name, steps]) => html("span", { style: `flex-grow: ${steps}` }, name === "seed" ? "" : name)));
    scrubber.max = trace.steps.length;
    // Heights come from the content once, so that the player keeps its shape while stepping.
    const rows = trace.sources.reduce((n, source) => n + source.text.length + (trace.sources.length > 1 ? 1.6 : 0), 0);
    root.style.setProperty("--adl-source-height", `${Math.round(rows * 24 + 62)}px`);
    root.style.setProperty("--adl-graph-height", `${Math.round(layout.height + 74)}px`);
    root.style.setProperty("--adl-tape-height", `${trace.lines.length * 29 + 92}px`);
    lengths = trace.steps.map((step, k) => [step.sentence.length, ...equationsAt(trace, k).map((pieces) => pieces.map(([, text]) => text).join("").length)]);
    return () => {
      reserve();
      graph.fit();
      places?.forEach(([left, top], k) => views[k].element.scrollTo({ left, top, behavior: "instant" }));
    };
  }

  /** Keeps room for the longest step's words at this width, so that the buttons stay where they are. */
  function reserve() {
    const room = words.clientWidth - 30;
    if (room <= 0) return;
    const rows = (characters, size) => Math.max(1, Math.ceil((characters * size * 0.56) / room));
    const heights = lengths.map(([said, ...equations]) => rows(said, 15) * 23 + equations.reduce((sum, n) => sum + rows(n, 17) * 30, 0));
    words.style.minHeight = `${Math.max(0, ...heights) + 26}px`;
  }

  /** What is special about a line at the present step, as CSS classes. */
  function mark(line) {
    const step = trace.steps[s];
    const record = phaseLengthsOf.record;
    const recorded = line < Math.min(s + 1, record);
    const classes = [recorded ? "" : "is-ahead"];
    if (step) {
      const color = step.phase === "record" ? "on-value" : "on-adjoint";
      if (step.line === line) classes.push("is-current", color);
      else if (step.phase === "record" ? trace.lines[step.line].operands.some((o) => o.line === line) : step.sends.some((send) => send.parent === line))
        classes.push("is-operand", color);
      else if (s > sweptAt[line]) classes.push("is-swept");
    }
    return { recorded, classes: classes.filter(Boolean).join(" ") };
  }
  let phaseLengthsOf, sweptAt;

  function show(next, { everything = false, moved = false } = {}) {
    const before = s;
    s = clampStep(trace, next);
    const step = trace.steps[s];
    const lines = new Set();
    if (everything || before < -1) trace.lines.forEach((_, i) => lines.add(i));
    else for (let k = Math.max(0, Math.min(before, s)); k <= Math.max(before, s); k++) touchedLines(trace, k).forEach((i) => lines.add(i));
    root.dataset.phase = step ? step.phase : "start";
    root.dataset.step = s;
    const smooth = moved && Math.abs(s - before) === 1 && !calm();
    for (const view of views) view.update({ step, lines, mark, adjoint: (line) => adjointAt(history, line, s) });
    status.textContent = statusText(trace, s);
    equation.replaceChildren(...equationsAt(trace, s).map((pieces) =>
      html("div", {}, ...pieces.map(([kind, text]) => html("span", { class: `adl-t-${kind}` }, text)))));
    const said = sentenceAt(trace, s);
    if (sentence.textContent !== said) sentence.textContent = said;
    scrubber.value = s + 1;
    scrubber.setAttribute("aria-valuetext", `step ${s + 1} of ${trace.steps.length}`);
    root.style.setProperty("--adl-at", trace.steps.length ? (s + 1) / trace.steps.length : 0);
    counter.textContent = `step ${s + 1} of ${trace.steps.length}`;
    for (const [name, end] of [["first", -1], ["back", -1], ["forward", trace.steps.length - 1], ["last", trace.steps.length - 1]])
      buttons[name].setAttribute("aria-disabled", s === end);
    if (step) for (const view of views) view.follow(step, smooth);
    views[1].stopPulses();
    if (smooth && s > before && step.phase !== "seed") views[1].pulse(step, Math.min(450, BEAT / speed.value / 2));
    if (before !== s) options.onStep?.(s);
  }

  const api = {
    root,
    get step() { return s; },
    /** Shows step `next`; −1 is the start, anything too large the end. */
    go(next) {
      api.pause();
      show(next);
    },
    advance(by) {
      api.pause();
      show(s + by, { moved: true });
    },
    /** Follows a step that came from elsewhere (Python, another view): no sound, no motion. */
    follow(next) {
      if (clampStep(trace, next) !== s) show(next);
    },
    play() {
      if (s >= trace.steps.length - 1) show(-1);
      setPlaying(true);
      beat();
    },
    pause() {
      clearTimeout(timer);
      setPlaying(false);
    },
    toggle: () => (root.dataset.playing ? api.pause() : api.play()),
    update(next) {
      const settle = load(next);
      prepare();
      show(Math.max(s, -1), { everything: true });
      settle();
    },
    controls: (controls) => inputs.update(controls),
    error(message) {
      banner.hidden = !message;
      banner.replaceChildren(...(message ? [html("strong", {}, "These inputs could not be recorded; the picture shows the last run that worked."), html("pre", {}, message)] : []));
    },
    destroy() {
      api.pause();
      observer.disconnect();
      root.remove();
    },
  };

  function prepare() {
    phaseLengthsOf = phaseLengths(trace);
    sweptAt = trace.lines.map(() => Infinity);
    trace.steps.forEach((step, k) => step.phase === "sweep" && (sweptAt[step.line] = k));
  }
  function setPlaying(on) {
    if (Boolean(root.dataset.playing) === on) return;
    if (on) root.dataset.playing = "true";
    else delete root.dataset.playing;
    const label = on ? "Pause" : "Play";
    playButton.setAttribute("aria-label", label);
    playButton.title = `${label} (space)`;
    playButton.querySelector("path").setAttribute("d", ICONS[on ? "pause" : "play"]);
  }
  function beat() {
    show(s + 1, { moved: true });
    if (s >= trace.steps.length - 1) return api.pause();
    timer = setTimeout(beat, BEAT / speed.value);
  }

  scrubber.addEventListener("input", () => api.go(Number(scrubber.value) - 1));
  const actions = { back: () => api.advance(-1), forward: () => api.advance(1), first: () => api.go(-1), last: () => api.go(Infinity), toggle: api.toggle };
  root.addEventListener("keydown", (event) => {
    if (event.key === "Escape") root.closest(".jp-Cell")?.focus(); // back to the notebook and its shortcuts
    if (event.key in KEYS) event.stopPropagation(); // slides and notebooks around us have plans for these keys
    const action = keyAction(event, { tag: event.target.tagName, role: event.target.getAttribute("role") });
    if (!action) return;
    event.preventDefault();
    actions[action]();
  });
  const observer = new ResizeObserver(() => {
    reserve();
    views[1].fit();
    if (trace.steps[s]) for (const view of views) view.follow(trace.steps[s], false);
  });
  observer.observe(panes);

  const settle = load(payload);
  prepare();
  inputs.update(options.controls ?? []);
  element.replaceChildren(root);
  show(options.step ?? -1);
  settle();
  return api;
}

// ---------------------------------------------------------------- the anywidget side

function render({ model, el }) {
  // While a change waits to be sent, the echo of an older one may still write to the model; so it waits out here.
  let waiting = null;
  const inputs = () => waiting ?? model.get("inputs");
  const send = throttle((values) => {
    waiting = null;
    model.set("inputs", values);
    model.save_changes();
  }, 60);
  const player = mount(el, model.get("payload"), {
    step: model.get("step"),
    controls: model.get("controls"),
    onStep(s) {
      if (model.get("step") === s) return;
      model.set("step", s);
      model.save_changes();
    },
    onInputs({ index, value }) {
      waiting = inputs().map((old, k) => (k === index ? value : old));
      send(waiting);
    },
  });
  player.error(model.get("error"));
  const listeners = {
    "change:payload": () => player.update(model.get("payload")),
    // An answer may be older than the slider: the hand that moves it is right.
    "change:controls": () => player.controls(model.get("controls").map((c, k) => {
      const value = inputs()[k];
      return { ...c, value, text: value === c.value ? c.text : undefined };
    })),
    "change:error": () => player.error(model.get("error")),
    "change:step": () => player.follow(model.get("step")),
  };
  for (const [event, listener] of Object.entries(listeners)) model.on(event, listener);
  return () => {
    for (const [event, listener] of Object.entries(listeners)) model.off(event, listener);
    player.destroy();
  };
}

export default { render };
