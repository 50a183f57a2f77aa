/**
 * Where the graph, the source and the tape of a player are placed: pure geometry.
 *
 * The graph gets the most room. If it is about as high as wide, source and tape are placed beside it. A long graph takes
 * the whole width, and they go below it. On a narrow page there is one column.
 *
 * @import { Size } from "./trace_types.js"
 */

const NARROW = 700; // pixels: below, one column
const BESIDE = 0.31; // of the width, for source and tape
const BESIDE_LARGE = 0.37; // the same where type is large
const LEAST_BESIDE = 276; // pixels
const LOWER = [0.4, 0.3]; // of the height, at most: usually, and for a graph that needs more
const MARGIN = 16; // around the graph
const LEAST_OPENING = 260; // pixels, for groups that open in one column

/**
 * @typedef {Size & {worth: number, whole: boolean, opens?: boolean}} Fitted how well a graph shows
 *   in some room, and how large it is then
 */

/**
 * @param {{width: number, height: number, unit: number, source: number, tape: number,
 *          best: (room: Size) => Fitted}} given
 *   the room for all three in pixels; how large type is, 1 is normal; how high source and tape would like to be; and how
 *   well the graph shows in some room; groups that open want width
 * @returns {{where: "beside"|"below"|"column", height: number, side: number, lower: number, room: Size}}
 */
export function compose({ width, height, unit, source, tape, best }) {
  if (width < NARROW) {
    const room = { width: width - MARGIN, height: Math.max(260, 0.9 * height) };
    const fitted = best(room);
    // A graph whose groups open is higher then.
    const needed = Math.max(fitted.height + MARGIN, fitted.opens ? LEAST_OPENING : 0);
    return {
      where: "column",
      height: 0,
      side: 0,
      lower: 0,
      room: { ...room, height: Math.min(room.height, needed) },
    };
  }
  const share = unit > 1.2 ? BESIDE_LARGE : BESIDE;
  const side = Math.round(Math.max(LEAST_BESIDE * Math.min(unit, 1.4), share * width));
  const beside = { width: width - side - MARGIN, height: height - MARGIN };
  const one = best(beside);
  const lowerParts = LOWER.map((share) => {
    const lower = Math.round(Math.min(share * height, Math.max(source, tape, 110)));
    const below = { width: width - MARGIN, height: height - lower - MARGIN };
    return { lower, below, other: best(below) };
  });
  const { lower, below, other } =
    lowerParts.find(({ other }) => other.whole) ?? lowerParts[lowerParts.length - 1];
  const isAsGood = one.worth >= 0.98 * other.worth;
  const isLong = other.width >= 1.6 * other.height;
  if (!one.opens && isAsGood && (one.whole || !isLong)) {
    const needed = Math.max(one.height + MARGIN, Math.min(height, source + tape), 230 * unit);
    const all = one.whole ? Math.min(height, Math.round(needed)) : height;
    return {
      where: "beside",
      height: all,
      side,
      lower: 0,
      room: { ...beside, height: all - MARGIN },
    };
  }
  const graph = other.whole && !other.opens ? Math.min(below.height, other.height) : below.height;
  return {
    where: "below",
    height: Math.round(graph + MARGIN + lower),
    side: 0,
    lower,
    room: { ...below, height: graph },
  };
}
