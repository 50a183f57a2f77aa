/**
 * How a layout of a graph fits some room, and where something may lie on it: pure geometry. The rule by which a layout is
 * chosen is that of autodiff_lab/figures/graph/fit.py, with the same constants; a test compares them.
 *
 * @import { Box, Size } from "../trace_types.js"
 */

import { FIT } from "../trace_types.js";

/** Pixels around a graph. */
export const PAD = FIT.PADDING;

/**
 * How large a layout shows in some room, how much of it is seen at once, 0 to 1, and whether that is all. `unit` is how
 * large type is, 1 is normal.
 * @param {Size} layout @param {Size} room @param {number} unit
 * @returns {{scale: number, seen: number, whole: boolean}}
 */
export function fitOf({ width, height }, room, unit) {
  const across = room.width / (width + 2 * PAD);
  const down = room.height / (height + 2 * PAD);
  const fitted = Math.min(across, down, FIT.LARGEST_SCALE * unit);
  const smallest = unit > FIT.FAR_UNIT ? FIT.SMALLEST_SCALE_FAR : FIT.SMALLEST_SCALE * unit;
  if (fitted >= smallest) return { scale: fitted, seen: 1, whole: true };
  // What cannot be seen at once is followed, at a size that is read with ease.
  const scale = room.width < FIT.PHONE_WIDTH ? smallest : Math.max(smallest, Math.min(unit, down));
  const seen = Math.min(1, across / scale) * Math.min(1, down / scale);
  return { scale, seen, whole: false };
}

/**
 * The layout that is read best in a room, how well it is read, and how large it is then.
 * @template {Size & {ease?: number, step?: Size}} L
 * @param {L[]} layouts @param {Size} room @param {number} unit
 * @returns {Size & {layout: L, scale: number, whole: boolean, worth: number}}
 */
export function bestOf(layouts, room, unit) {
  const found = layouts.map((layout) => {
    const { scale, seen, whole } = fitOf(layout, room, unit);
    const { ease = 1, step } = layout;
    const isCut = !whole && step !== undefined && !stepFits(step, scale, room);
    const followed = isCut ? FIT.CUT_STEP_EASE : 1;
    const legible = Math.min(scale / unit, FIT.ENOUGH_SCALE);
    const worth = ease * followed * legible * seen;
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

/**
 * Whether the largest step of a layout is in view at once, with the margin that following needs.
 * @param {Size} step @param {number} scale @param {Size} room
 */
function stepFits(step, scale, room) {
  const margins = 2 * FIT.FOLLOW_MARGIN;
  const fitsAcross = step.width * scale <= room.width - margins;
  const fitsDown = step.height * scale <= room.height - margins;
  return fitsAcross && fitsDown;
}

/**
 * How far two intervals overlap; each is given by its middle and its length.
 * @param {number} at @param {number} length @param {number} other @param {number} own
 */
export function overlap(at, length, other, own) {
  const start = Math.max(at - length / 2, other - own / 2);
  const end = Math.min(at + length / 2, other + own / 2);
  return Math.max(0, end - start);
}

/**
 * Where something of this size hides least of the boxes, near the middle of a pane.
 * @param {Pick<Box, "x"|"y"|"w"|"h">[]} boxes @param {Size} pane @param {number} size
 */
export function freeSpotAmong(boxes, { width, height }, size) {
  const steps = [0.5, 0.45, 0.55, 0.4, 0.6, 0.35, 0.65, 0.3, 0.7, 0.25, 0.75, 0.2, 0.8];
  const spots = steps.flatMap((x) =>
    steps.map((y) => ({ x: x * width, y: y * height, far: Math.hypot(x - 0.5, y - 0.5) })),
  );
  /** @param {typeof spots[number]} spot */
  const costOf = ({ x, y, far }) => {
    let cost = 900 * far;
    for (const box of boxes)
      cost += overlap(x, size, box.x, box.w) * overlap(y, size, box.y, box.h);
    const isCut = y < size / 2 || y > height - size / 2;
    if (isCut) cost += size * size;
    return cost;
  };
  return spots.reduce((a, b) => (costOf(b) < costOf(a) ? b : a));
}
