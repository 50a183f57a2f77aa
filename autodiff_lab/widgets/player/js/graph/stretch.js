/**
 * The geometry of groups that open in place. A closed group is a box in a layout, and its content has a separate
 * layout. When a group opens, everything to the right of it and below it moves to make space. Two monotonic maps, one
 * for x and one for y, move it; they keep the order and never reduce a distance. So no new overlaps appear, and a
 * learner finds every box again.
 *
 * @import { Box, Edge, Layout } from "../trace_types.js"
 * @import { Group } from "./groups.js"
 *
 * @typedef {{x: number, y: number}} Point
 * @typedef {Box & {name: string, nest: Group}} BoxPlace a box, by its name in the layout of its group
 * @typedef {{name: string, nest: Group, points: Point[], tip: boolean}} EdgePlace
 * @typedef {{width: number, height: number, boxes: Map<string, BoxPlace>, edges: Map<string, EdgePlace>}} Scene by keys
 *   of the whole graph
 */

/** The pixels around the content of an open group. */
export const ROOM = { side: 10, head: 30, foot: 8 };

/**
 * A monotonic map of numbers under which each interval [from, to] has at least the length `size`, and no
 * interval gets shorter.
 * @param {[from: number, to: number, size: number][]} stretches @returns {(at: number) => number}
 */
export function widening(stretches) {
  const cuts = [...new Set(stretches.flatMap(([from, to]) => [from, to]))].sort((a, b) => a - b);
  let moved = cuts[0];
  const pieces = cuts.map((from, k) => {
    const over = stretches.filter(([a, b]) => a <= from && from < b);
    const slope = Math.max(1, ...over.map(([a, b, size]) => size / (b - a)));
    const piece = { from, to: moved, slope };
    moved += slope * ((cuts[k + 1] ?? from) - from);
    return piece;
  });
  return (at) => {
    const piece = pieces.findLast(({ from }) => from <= at);
    return piece ? piece.to + piece.slope * (at - piece.from) : at;
  };
}

/** @type {WeakMap<Edge, Point[]>} */
const pointsRead = new WeakMap();

/** The points of an edge, parsed once: a group that opens needs them in each frame. @param {Edge} edge */
function pointsOfEdge(edge) {
  const points = pointsRead.get(edge) ?? pointsOf(edge.path);
  pointsRead.set(edge, points);
  return points;
}

/** The points of a path "Mx,yCx,y x,y x,y …Lx,y". @param {string} path @returns {Point[]} */
export const pointsOf = (path) =>
  [...path.matchAll(/(-?[\d.]+),(-?[\d.]+)/g)].map(([, x, y]) => ({ x: Number(x), y: Number(y) }));

/**
 * The path through these points, a curve. With a tip, its last segment is a straight line.
 * @param {Point[]} points @param {boolean} tip
 */
export function pathOf(points, tip) {
  /** @param {number} x */
  const rounded = (x) => Math.round(10 * x) / 10;
  const [start, ...curve] = points.map(({ x, y }) => `${rounded(x)},${rounded(y)}`);
  const end = tip ? `L${curve.pop()}` : "";
  return `M${start}C${curve.join(" ")}${end}`;
}

/**
 * Lays out a group and every open group inside it as one scene.
 * @param {Group} nest @param {Map<string, number>} open how far each group is open: 1, or less while it opens @returns {Scene}
 */
export function composed(nest, open) {
  const { layout } = nest;
  if (!layout) throw new Error(`The group ${nest.id} has no layout, so it can't be opened.`);
  /** @type {Map<string, {scene: Scene, share: number, w: number, h: number}>} */
  const opened = new Map();
  for (const [name, { w, h }] of Object.entries(layout.nodes)) {
    const child = nest.child(name);
    const share = child?.layout ? open.get(child.id) : 0;
    if (!child || !share) continue;
    const scene = composed(child, open);
    /** @param {number} closed @param {number} inside */
    const grown = (closed, inside) => closed + share * (Math.max(closed, inside) - closed);
    opened.set(name, {
      scene,
      share,
      w: grown(w + 28, scene.width + 2 * ROOM.side),
      h: grown(h, scene.height + ROOM.head + ROOM.foot),
    });
  }
  /** @param {"x"|"y"} at @param {"w"|"h"} size */
  const along = (at, size) =>
    widening(
      [...opened].map(([name, one]) => {
        const box = layout.nodes[name];
        return [box[at] - box[size] / 2, box[at] + box[size] / 2, one[size]];
      }),
    );
  const [across, down] = [along("x", "w"), along("y", "h")];
  /** @type {Scene} */
  const whole = {
    width: across(layout.width),
    height: down(layout.height),
    boxes: new Map(),
    edges: new Map(),
  };
  for (const [name, { x, y, w, h, head, bare }] of Object.entries(layout.nodes)) {
    const inner = opened.get(name);
    if (!inner) {
      const box = { x: across(x), y: down(y), w, h, head, bare };
      whole.boxes.set(nest.key(name), { name, nest, ...box });
      continue;
    }
    const left = across(x - w / 2);
    const right = across(x + w / 2);
    const top = down(y - h / 2);
    const bottom = down(y + h / 2);
    const middle = { x: (left + right) / 2, y: (top + bottom) / 2 };
    const size = { w: right - left, h: bottom - top };
    whole.boxes.set(nest.key(name), { name, nest, ...middle, ...size });
    if (inner.share < 1) continue; // its content appears once it is fully open
    const margin = (size.w - inner.scene.width) / 2;
    insert(inner.scene, whole, left + margin, top + ROOM.head);
  }
  /** How far a closed box has moved; the ends of its edges move with it. @param {string} name */
  const shift = (name) => {
    const box = layout.nodes[name];
    if (!box || opened.has(name)) return null;
    return { x: across(box.x) - box.x, y: down(box.y) - box.y };
  };
  for (const [name, place] of Object.entries(layout.edges)) {
    const drawn = pointsOfEdge(place);
    const tip = place.path.includes("L");
    const [tail, head] = (place.ends ?? []).map(shift);
    const last = drawn.length - (tip ? 3 : 2);
    /** The shift of the box that point `k` of the path is attached to; null between the boxes. @param {number} k */
    const shiftAt = (k) => {
      if (k < 2) return tail;
      return k >= last ? head : null;
    };
    const points = drawn.map(({ x, y }, k) => {
      const moved = shiftAt(k);
      if (moved) return { x: x + moved.x, y: y + moved.y };
      return { x: across(x), y: down(y) };
    });
    whole.edges.set(nest.key(name), { name, nest, points, tip });
  }
  return whole;
}

/**
 * Inserts a scene into another one.
 * @param {Scene} scene @param {Scene} whole @param {number} left @param {number} top
 */
function insert(scene, whole, left, top) {
  /** @param {Point} point */
  const moved = ({ x, y }) => ({ x: x + left, y: y + top });
  for (const [key, box] of scene.boxes) whole.boxes.set(key, { ...box, ...moved(box) });
  for (const [key, edge] of scene.edges)
    whole.edges.set(key, { ...edge, points: edge.points.map(moved) });
}
