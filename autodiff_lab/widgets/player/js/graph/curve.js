/**
 * A small plot of an operation: its curve around the point where its local partial is evaluated, and the tangent there.
 * It belongs to the edge under the pointer, or to an edge of the box that has the focus.
 *
 * @import { ShownRun, State, Target } from "../state.js"
 * @import { EdgeCurve } from "../trace_types.js"
 */

import { html, put, set, svg } from "../dom.js";
import { whenChanged } from "../store.js";

// In pixels: the size of the plot, with its margin.
const WIDTH = 168;
const HEIGHT = 96;
const MARGIN = 6;
const GRID = [0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1]; // shares of the free width and height, tried in turn
const DISTANCE_COST = 8; // to be one pixel closer to the edge, the plot may hide this many square pixels of boxes

/** @typedef {{x: number, y: number}} Point */

/**
 * What is drawn of a curve, in pixels: its path, tangent and point. Null if there is nothing to draw.
 * @param {EdgeCurve} curve @param {number} x the operand @param {number} y the value @param {number} slope
 */
export function shapeOf({ start, end, y: samples }, x, y, slope) {
  const known = samples.filter((value) => value !== null);
  if (!known.length || ![x, y, slope].every(Number.isFinite)) return null;
  const low = Math.min(y, ...known);
  const high = Math.max(y, ...known);
  const middle = (low + high) / 2;
  // At least a little, so that a constant function is a line through the middle.
  const half = Math.max((high - low) / 2, Math.abs(slope) * 1e-3, 1e-12 * Math.abs(middle), 1e-300);
  /** @param {number} at @param {number} value @returns {Point} */
  const place = (at, value) => ({
    x: MARGIN + ((WIDTH - 2 * MARGIN) * (at - start)) / (end - start),
    y: HEIGHT / 2 - ((HEIGHT / 2 - MARGIN) * (value - middle)) / half,
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
 * The view of the plot.
 * @param {ShownRun} run
 * @param {(target: Target) => DOMRect|undefined} placeOfEdge returns where an edge is on screen
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

  /** The edge under the pointer, or the first one with a curve of a focused box. @param {State} state */
  function edgeAt({ hover, payload }) {
    if (!hover || !payload.curves) return null;
    const { line, slot: hoverSlot } = hover;
    const isBox = hoverSlot === undefined;
    if (isBox && !hover.hasFocus) return null;
    const slots = isBox ? trace.lines[line].operands.keys() : [hoverSlot];
    for (const slot of slots) {
      const curve = payload.curves[`e${line}_${slot}`];
      if (curve) return { line, slot, curve };
    }
    return null;
  }
  /** Places the plot inside the pane, close to the edge, where it hides little of the boxes. @param {DOMRect} edge */
  function placeNear(edge) {
    const pane = element.parentElement;
    if (!pane) return;
    const frame = pane.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = element;
    const free = { x: Math.max(0, frame.width - width), y: Math.max(0, frame.height - height) };
    const boxes = [...pane.querySelectorAll(".adl-node .adl-frame")].map((box) => {
      const { left, top, width, height } = box.getBoundingClientRect();
      return { x: left - frame.left, y: top - frame.top, w: width, h: height };
    });
    const middle = {
      x: (edge.left + edge.right) / 2 - frame.left,
      y: (edge.top + edge.bottom) / 2 - frame.top,
    };
    /** How bad a place is: the area of boxes that it hides, and its distance. @param {Point} spot the plot's top left corner */
    function costOf({ x, y }) {
      const distance = Math.hypot(x + width / 2 - middle.x, y + height / 2 - middle.y);
      let hidden = 0;
      for (const box of boxes) {
        const across = Math.min(x + width, box.x + box.w) - Math.max(x, box.x);
        const down = Math.min(y + height, box.y + box.h) - Math.max(y, box.y);
        hidden += Math.max(0, across) * Math.max(0, down);
      }
      return hidden + DISTANCE_COST * distance;
    }
    const spots = GRID.flatMap((i) => GRID.map((k) => ({ x: i * free.x, y: k * free.y })));
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
        const edge = edgeAt(state);
        if (!edge) return;
        const line = trace.lines[edge.line];
        const operand = line.operands[edge.slot];
        const x = Number(operand.value?.value);
        const y = Number(line.value?.value);
        const slope = Number(operand.partial?.value);
        const shape = shapeOf(edge.curve, x, y, slope);
        const place = placeOfEdge(edge);
        if (!shape || !place) return;
        set(path, "d", shape.path);
        const [from, to] = shape.tangent;
        for (const [name, value] of Object.entries({ x1: from.x, y1: from.y, x2: to.x, y2: to.y }))
          set(tangent, name, value);
        set(point, "cx", shape.point.x);
        set(point, "cy", shape.point.y);
        put(caption, trace.say("slope of", { slope: operand.edge_title || operand.edge }));
        element.hidden = false;
        placeNear(place);
      },
    ),
  };
}
