/**
 * How a layout of a graph fits some room, and where something may lie on it: pure geometry.
 *
 * @import { Size } from "../compose.js"
 * @import { Box, Layout } from "../trace_types.js"
 */

const [READABLE, ON_A_WALL, ENOUGH] = [11 / 14, 1, 1.3]; // how small and how large the boxes of a graph may be, whose type is 14
const PHONE = 500; // pixels of width

export const PAD = 6; // around a graph

/**
 * How large a layout shows in some room, and whether it is whole. `unit` is how large type is; in a lecture it may shrink
 * further.
 * @param {Size} layout @param {Size} room @param {number} unit
 */
export function fitOf({ width, height }, room, unit) {
  const fitted = Math.min(
    room.width / (width + 2 * PAD),
    room.height / (height + 2 * PAD),
    ENOUGH * unit,
  );
  const least = unit > 1.4 ? ON_A_WALL : READABLE * unit;
  const whole = fitted >= least;
  // What cannot be seen at once is followed, at a size that is read with ease; on a phone, with as much around as can be.
  const followed =
    room.width < PHONE ? least : Math.max(least, Math.min(unit, room.height / (height + 2 * PAD)));
  return { scale: whole ? fitted : followed, whole };
}

/** The layout that is read best in a room, how well it is read, and how large it is then. @param {Layout[]} layouts @param {Size} room @param {number} unit */
export function bestOf(layouts, room, unit) {
  const found = layouts.map((layout) => {
    const { scale, whole } = fitOf(layout, room, unit);
    // Near its natural size a graph gains nothing by being larger; one that turns round is read with less ease.
    const worth = (whole ? 1 : 0.5) * (layout.ease ?? 1) * Math.min(scale / unit, 0.95);
    return {
      layout,
      scale,
      whole,
      worth,
      width: scale * (layout.width + 2 * PAD),
      height: scale * (layout.height + 2 * PAD),
    };
  });
  return found.reduce((a, b) => (b.worth > a.worth ? b : a));
}

/** How far two stretches overlap, each about its middle. @param {number} at @param {number} length @param {number} other @param {number} own */
export const overlap = (at, length, other, own) =>
  Math.max(
    0,
    Math.min(at + length / 2, other + own / 2) - Math.max(at - length / 2, other - own / 2),
  );

/** Where something of this size hides least of the boxes, near the middle of a pane. @param {Pick<Box, "x"|"y"|"w"|"h">[]} boxes @param {Size} pane @param {number} size */
export function freeSpotAmong(boxes, { width, height }, size) {
  const steps = [0.5, 0.45, 0.55, 0.4, 0.6, 0.35, 0.65, 0.3, 0.7, 0.25, 0.75, 0.2, 0.8];
  const spots = steps.flatMap((x) =>
    steps.map((y) => ({ x: x * width, y: y * height, far: Math.hypot(x - 0.5, y - 0.5) })),
  );
  /** @param {typeof spots[number]} spot */
  const hidden = ({ x, y, far }) => {
    let area = 0;
    for (const box of boxes)
      area += overlap(x, size, box.x, box.w) * overlap(y, size, box.y, box.h);
    const isCut = y < size / 2 || y > height - size / 2;
    return area + 900 * far + (isCut ? size * size : 0);
  };
  return spots.reduce((a, b) => (hidden(b) < hidden(a) ? b : a));
}
