/**
 * The curve of an operation about the point at which its local partial is taken, with its tangent: at the edge that one
 * points at, or of the box that has the focus.
 *
 * @import { ShownRun, State, Target } from "../state.js"
 * @import { EdgeCurve } from "../trace_types.js"
 */

import { html, put, set, svg } from "../dom.js";
import { whenChanged } from "../store.js";

const [WIDTH, HEIGHT, EDGE] = [168, 96, 6]; // pixels; with so much around the curve
const GRID = [0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1]; // of the pane: where a curve may stand
const FAR = 8; // square pixels of a box that may be hidden to stand a pixel nearer to the edge

/** @typedef {{x: number, y: number}} Point */

/**
 * The curve as it is drawn: a path, its tangent and its point, in pixels; null where there is nothing to draw.
 * @param {EdgeCurve} curve @param {number} x the operand @param {number} y the value @param {number} slope
 */
export function shapeOf({ start, end, y: samples }, x, y, slope) {
  const known = samples.filter((value) => value !== null);
  if (!known.length || ![x, y, slope].every(Number.isFinite)) return null;
  const low = Math.min(y, ...known);
  const high = Math.max(y, ...known);
  const middle = (low + high) / 2;
  const half = Math.max((high - low) / 2, Math.abs(slope) * 1e-3, 1e-12 * Math.abs(middle), 1e-300);
  /** @param {number} at @param {number} value @returns {Point} */
  const place = (at, value) => ({
    x: EDGE + ((WIDTH - 2 * EDGE) * (at - start)) / (end - start),
    y: HEIGHT / 2 - ((HEIGHT / 2 - EDGE) * (value - middle)) / half,
  });
  let path = "";
  let isDrawing = false;
  samples.forEach((value, k) => {
    if (value !== null) {
      const at = place(start + ((end - start) * k) / (samples.length - 1), value);
      path += `${isDrawing ? "L" : "M"}${at.x.toFixed(1)},${at.y.toFixed(1)}`;
    }
    isDrawing = value !== null;
  });
  const tangent = [start, end].map((at) => place(at, y + slope * (at - x)));
  return { path, tangent, point: place(x, y) };
}

/**
 * @param {ShownRun} run
 * @param {(target: Target) => DOMRect|undefined} placeOfEdge where an edge is on screen
 */
export function curveView({ trace }, placeOfEdge) {
  const path = svg("path");
  const tangent = svg("line");
  const point = svg("circle", { r: 4 });
  const caption = html("p");
  const element = html(
    "div",
    { class: "adl-curve", "aria-hidden": "true", hidden: "" },
    svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}` }, path, tangent, point),
    caption,
  );

  /** The edge that is meant: of a box that has the focus, its first one with a curve. @param {State} state */
  function edgeAt({ hover, payload }) {
    if (!hover || !payload.curves) return null;
    const slots = hover.slot === undefined ? trace.lines[hover.line].operands.keys() : [hover.slot];
    if (hover.slot === undefined && !hover.hasFocus) return null;
    for (const slot of slots) {
      const curve = payload.curves[`e${hover.line}_${slot}`];
      if (curve) return { line: hover.line, slot, curve };
    }
    return null;
  }
  /** Near the edge, inside of the pane, where it hides least of the boxes. @param {DOMRect} edge */
  function stand(edge) {
    const pane = element.parentElement;
    const frame = pane?.getBoundingClientRect();
    if (!pane || !frame) return;
    const { offsetWidth: width, offsetHeight: height } = element;
    const room = { x: Math.max(0, frame.width - width), y: Math.max(0, frame.height - height) };
    const boxes = [...pane.querySelectorAll(".adl-node .adl-frame")].map((box) => {
      const { left, top, width, height } = box.getBoundingClientRect();
      return { x: left - frame.left, y: top - frame.top, w: width, h: height };
    });
    const middle = {
      x: (edge.left + edge.right) / 2 - frame.left,
      y: (edge.top + edge.bottom) / 2 - frame.top,
    };
    /** @param {Point} spot the corner of the curve */
    function costOf({ x, y }) {
      const far = Math.hypot(x + width / 2 - middle.x, y + height / 2 - middle.y);
      let hidden = 0;
      for (const box of boxes) {
        const across = Math.min(x + width, box.x + box.w) - Math.max(x, box.x);
        const down = Math.min(y + height, box.y + box.h) - Math.max(y, box.y);
        hidden += Math.max(0, across) * Math.max(0, down);
      }
      return hidden + FAR * far;
    }
    const spots = GRID.flatMap((i) => GRID.map((k) => ({ x: i * room.x, y: k * room.y })));
    const best = spots.reduce((one, other) => (costOf(other) < costOf(one) ? other : one));
    element.style.left = `${best.x}px`;
    element.style.top = `${best.y}px`;
  }
  return {
    element,
    render: whenChanged(
      (state) => [state.hover, state.payload],
      (state) => {
        element.hidden = true;
        const meant = edgeAt(state);
        if (!meant) return;
        const line = trace.lines[meant.line];
        const operand = line.operands[meant.slot];
        const numbers = [operand.value, line.value, operand.partial].map((one) =>
          Number(one?.value),
        );
        const shape = shapeOf(meant.curve, numbers[0], numbers[1], numbers[2]);
        const place = placeOfEdge(meant);
        if (!shape || !place) return;
        set(path, "d", shape.path);
        const [from, to] = shape.tangent;
        for (const [name, value] of Object.entries({ x1: from.x, y1: from.y, x2: to.x, y2: to.y }))
          set(tangent, name, value);
        set(point, "cx", shape.point.x);
        set(point, "cy", shape.point.y);
        put(caption, trace.say("slope of", { slope: operand.edge_title || operand.edge }));
        element.hidden = false;
        stand(place);
      },
    ),
  };
}
