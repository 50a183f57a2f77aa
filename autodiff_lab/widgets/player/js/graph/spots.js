/**
 * Where something may stand in a graph without hiding what is drawn there: pure geometry.
 *
 * @import { Box } from "../trace_types.js"
 * @import { EdgePlace, Point } from "./stretch.js"
 */

import { overlap, PAD } from "./fit.js";

/** @typedef {Pick<Box, "x"|"y"|"w"|"h">} Place about its middle */

const PER_CURVE = 8; // short lines that stand for a piece of a curve
const APART = 4; // a text that is closer to a box looks like a part of it
const [ON_BOX, NEAR_BOX] = [10, 0.2]; // how bad a square unit is
const [ON_OWN_EDGE, ON_OTHER_EDGE] = [4, 0.7]; // how bad a unit of an edge below a text is
const ON_EDGE = 5; // so much of its own edge below a text looks as if it were struck out

/** @type {WeakMap<object, Point[]>} */
const polylines = new WeakMap();
/**
 * An edge as short lines. Where an edge is never changes, and each label of each step asks for all of them.
 * @param {Pick<EdgePlace, "points"|"tip">} edge
 * @returns {Point[]}
 */
export function polylineOf(edge) {
  const known = polylines.get(edge) ?? drawPolyline(edge);
  polylines.set(edge, known);
  return known;
}

/** @param {Pick<EdgePlace, "points"|"tip">} edge @returns {Point[]} */
function drawPolyline({ points, tip }) {
  const line = [points[0]];
  const last = points.length - (tip ? 1 : 0);
  for (let k = 0; k + 3 < last; k += 3) {
    const [a, b, c, d] = points.slice(k, k + 4);
    for (let i = 1; i <= PER_CURVE; i++) {
      const t = i / PER_CURVE;
      const [p, q, r, s] = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3];
      line.push({
        x: p * a.x + q * b.x + r * c.x + s * d.x,
        y: p * a.y + q * b.y + r * c.y + s * d.y,
      });
    }
  }
  if (tip) line.push(points[points.length - 1]);
  return line;
}

/**
 * How much of a straight line lies in a place.
 * @param {Point} a @param {Point} b @param {Place} place
 */
export function lengthWithin(a, b, { x, y, w, h }) {
  let [from, to] = [0, 1];
  for (const [at, step, middle, size] of [
    [a.x, b.x - a.x, x, w],
    [a.y, b.y - a.y, y, h],
  ]) {
    const [low, high] = [middle - size / 2 - at, middle + size / 2 - at];
    if (!step) {
      if (low > 0 || high < 0) return 0;
      continue;
    }
    from = Math.max(from, Math.min(low / step, high / step));
    to = Math.min(to, Math.max(low / step, high / step));
  }
  return Math.max(0, to - from) * Math.hypot(b.x - a.x, b.y - a.y);
}

/** @typedef {[a: Point, b: Point]} Segment a straight line */

/**
 * The pieces of a line that come near a place.
 * @param {Point[]} line @param {Place} place
 * @returns {Segment[]}
 */
const segmentsNear = (line, place) =>
  line.slice(1).flatMap((b, k) => (lengthWithin(line[k], b, place) > 0 ? [[line[k], b]] : []));

/** @param {Segment[]} segments @param {Place} place */
const crossing = (segments, place) =>
  segments.reduce((sum, [a, b]) => sum + lengthWithin(a, b, place), 0);

/**
 * How much of some places another one hides.
 * @param {Place} place @param {Place[]} others
 */
export const hiddenBy = ({ x, y, w, h }, others) =>
  others.reduce((sum, box) => sum + overlap(x, w, box.x, box.w) * overlap(y, h, box.y, box.h), 0);

/**
 * Where a text stands beside an edge: where it hides no box, and as few edges as possible, near the middle and inside of
 * the picture. Null: there is no such place.
 * @param {{w: number, h: number}} size of the text
 * @param {(share: number) => Point} along where the edge is
 * @param {{across: number, down: number}} clear how far beside, and above and below the edge what travels on it reaches
 * @param {{boxes: Place[], own: Point[], others: Point[][], width: number, top: number, bottom: number}} picture
 * @returns {Place|null}
 */
export function spotBeside({ w, h }, along, clear, { boxes, own, others, width, top, bottom }) {
  const spots = [0.5, 0.4, 0.6, 0.3, 0.7].flatMap((share) => {
    const { x, y } = along(share);
    const [far, off] = [w / 2 + 14, w / 2 + 10];
    return [
      [0, -22],
      [0, 22],
      [far, -20],
      [-far, -20],
      [far, 20],
      [-far, 20],
      [off, 0], // beside a steep edge
      [-off, 0],
      [0, -44], // beside higher boxes
      [0, 44],
      [0, -66],
      [0, 66],
    ].map(([dx, dy], k) => {
      const down = dx ? dy : Math.sign(dy) * Math.max(Math.abs(dy), clear.down + h / 2 + 4);
      const aside = Math.sign(dx) * Math.max(Math.abs(dx), clear.across + w / 2 + 4);
      return { x: x + aside, y: y + down, w, h, far: 40 * Math.abs(share - 0.5) + k };
    });
  });
  // Of a large graph only what is near matters.
  const near = around(spots);
  const ownNear = segmentsNear(own, near);
  const othersNear = others.flatMap((line) => segmentsNear(line, near));
  const boxesNear = boxes.filter((box) => hiddenBy(box, [near]) > 0);
  /** @param {number} at @param {number} size @param {number} least @param {number} most */
  const beyond = (at, size, least, most) =>
    Math.max(0, least + size / 2 - at, at + size / 2 - most);
  /** @param {Place} spot */
  const hidden = (spot) =>
    hiddenBy(spot, boxesNear) +
    20 * (beyond(spot.x, w, -PAD, width + PAD) + beyond(spot.y, h, top, bottom));
  /** @param {typeof spots[number]} spot */
  const badness = (spot) => {
    const wide = { ...spot, w: w + 2 * APART, h: h + 2 * APART };
    return (
      spot.far +
      ON_BOX * hidden(spot) +
      NEAR_BOX * hiddenBy(wide, boxesNear) +
      ON_OWN_EDGE * crossing(ownNear, spot) +
      ON_OTHER_EDGE * crossing(othersNear, spot)
    );
  };
  let best = spots[0];
  let least = Infinity;
  for (const spot of spots) {
    const bad = badness(spot);
    if (bad < least) {
      best = spot;
      least = bad;
    }
  }
  const hidesTooMuch = hidden(best) > 1 || crossing(ownNear, best) > ON_EDGE;
  return hidesTooMuch ? null : best;
}

/** The place that holds all of some places, and a little more. @param {Place[]} places @returns {Place} */
function around(places) {
  const left = Math.min(...places.map(({ x, w }) => x - w / 2)) - APART;
  const right = Math.max(...places.map(({ x, w }) => x + w / 2)) + APART;
  const top = Math.min(...places.map(({ y, h }) => y - h / 2)) - APART;
  const bottom = Math.max(...places.map(({ y, h }) => y + h / 2)) + APART;
  return { x: (left + right) / 2, y: (top + bottom) / 2, w: right - left, h: bottom - top };
}

/**
 * By how much a number on an edge has to move so that it hides no box: on a short edge it is longer than the way between
 * two boxes. It stays as close to the edge as it can. Where there is no room for that, it hides as little as possible.
 * @param {Place} place @param {Place[]} boxes
 * @param {Place[]} labels that it hides only if it would else hide a box: it says the same
 * @param {number} most @param {{width: number, top: number, bottom: number}} picture that it has to be in
 * @returns {Point}
 */
export function shiftClear(place, boxes, labels, most, { width, top, bottom }) {
  const reach = { ...place, w: place.w + 2 * most, h: place.h + 2 * most };
  const near = boxes.filter((box) => hiddenBy(reach, [box]) > 0);
  if (hiddenBy(place, [...near, ...labels]) < 1) return { x: 0, y: 0 };
  /**
   * How far to go along an axis to be clear of each place, on either side, and to stay in the picture.
   * @param {"x"|"y"} at @param {"w"|"h"} size @param {number} least @param {number} last
   */
  function shiftsAlong(at, size, least, last) {
    const ends = [least + place[size] / 2 - place[at], last - place[size] / 2 - place[at]];
    const clear = [...near, ...labels].flatMap((other) => {
      const apart = (other[size] + place[size]) / 2 + 1;
      return [other[at] - apart - place[at], other[at] + apart - place[at]];
    });
    return [0, ...ends, ...clear].filter(
      (shift) => Math.abs(shift) <= most && shift >= ends[0] && shift <= ends[1],
    );
  }
  const across = shiftsAlong("x", "w", -PAD, width + PAD);
  const down = shiftsAlong("y", "h", top, bottom);
  let best = { x: 0, y: 0 };
  let least = Infinity;
  for (const x of across)
    for (const y of down) {
      const there = { ...place, x: place.x + x, y: place.y + y };
      const bad = ON_BOX * hiddenBy(there, near) + hiddenBy(there, labels) + Math.hypot(x, y);
      if (bad < least) {
        best = { x, y };
        least = bad;
      }
    }
  return best;
}
