/**
 * Tokens: the numbers that travel along the edges of the graph while a step moves.
 *
 * @import { Dot } from "../cells.js"
 * @import { Piece } from "../run.js"
 * @import { Point } from "./stretch.js"
 */

import { put, set, svg } from "../dom.js";
import { dotsIn } from "./cell_parts.js";

// In pixels.
const FONT_SIZE = 14;
const HEIGHT = 24; // of a token
const PADDING = 9; // on each side of its text
const FAN = 11; // between copies that fan out
/** @type {Record<string, string>} */
const FAMILY = { value: "value", tangent: "tangent", adjoint: "adjoint" };

/** The approximate width of a character, in ems. @param {string} character */
function emsOf(character) {
  if (/[.,·:;|!il[\]() ′]/.test(character)) return 0.4;
  if (/[⺀-鿿]/.test(character)) return 1; // Chinese
  return 0.68;
}

/**
 * The approximate width of a text, in pixels. Measuring it would force the browser to lay out the page in each frame.
 * @param {string} text
 */
function widthOf(text) {
  let ems = 0;
  for (const character of text) ems += emsOf(character);
  return ems * FONT_SIZE;
}

/**
 * The size of a token with these texts.
 * @param {Piece[]} texts
 */
export function sizeOfToken(texts) {
  let width = 0;
  for (const { text } of piecesOf(texts)) width += widthOf(text) + 2 * PADDING;
  return { w: width, h: HEIGHT };
}

/** Joins neighbouring pieces that have the same colour. @param {Piece[]} texts */
function piecesOf(texts) {
  /** @type {{kind: string, text: string}[]} */
  const pieces = [];
  for (const [kind, text] of texts) {
    const last = pieces.at(-1);
    if (last && (kind === "op" || last.kind === FAMILY[kind]))
      last.text += kind === "op" ? ` ${text} ` : text;
    else pieces.push({ kind: FAMILY[kind], text });
  }
  return pieces;
}

/** @param {Point} a @param {Point} b @param {number} t how far from one to the other */
const line = (a, b, t) => ({ x: a.x + t * (b.x - a.x), y: a.y + t * (b.y - a.y) });

/**
 * The route of a number: first out of its box, then along the edge, then into the other box. Returns a function
 * from the share of the way (0 to 1) to the point.
 * @param {SVGPathElement|undefined} path @param {Point} from @param {Point} to
 * @returns {(along: number) => Point}
 */
export function routeAlong(path, from, to) {
  const length = path ? path.getTotalLength() : 0;
  if (!path || !length) return (along) => line(from, to, along);
  const [start, end] = [path.getPointAtLength(0), path.getPointAtLength(length)];
  return (along) => {
    if (along < 0.1) return line(from, start, along / 0.1);
    if (along > 0.9) return line(end, to, (along - 0.9) / 0.1);
    return path.getPointAtLength((length * (along - 0.1)) / 0.8);
  };
}

/** @typedef {{group: SVGGElement, rect: SVGRectElement, text: SVGTextElement}} TokenPart */
/**
 * @typedef {{group: SVGGElement, parts: TokenPart[], dots: ReturnType<typeof dotsIn>}} Token pieces of
 *   text, or the cells of an array
 */

/**
 * Draws the numbers that travel, in each frame, as `tokensAt` returns them.
 * @param {SVGElement} layer
 */
export function tokensIn(layer) {
  /** @type {Token[]} */
  const drawn = [];

  function part() {
    const rect = svg("rect", { height: HEIGHT, y: -HEIGHT / 2 });
    const text = svg("text", {
      "dominant-baseline": "central",
      "text-anchor": "middle",
      "font-size": FONT_SIZE,
    });
    return { group: svg("g", {}, rect, text), rect, text };
  }
  /** @param {number} k */
  function token(k) {
    if (!drawn[k]) {
      const group = svg("g", { class: "adl-token", "aria-hidden": "true" });
      drawn[k] = { group, parts: [], dots: dotsIn(group) };
    }
    if (!drawn[k].group.isConnected) layer.append(drawn[k].group);
    return drawn[k];
  }
  /** Writes the pieces, each in a rounded frame. @param {Token} token @param {Piece[]} texts */
  function write({ group, parts }, texts) {
    const pieces = piecesOf(texts);
    while (parts.length < pieces.length) {
      const more = part();
      parts.push(more);
      group.append(more.group);
    }
    while (parts.length > pieces.length) parts.pop()?.group.remove();
    const widths = pieces.map(({ text }) => widthOf(text) + 2 * PADDING);
    let left = -widths.reduce((a, b) => a + b, 0) / 2;
    pieces.forEach(({ kind, text }, k) => {
      set(parts[k].group, "class", `is-${kind}`);
      set(parts[k].rect, "x", `${left}`);
      set(parts[k].rect, "width", `${widths[k]}`);
      set(parts[k].rect, "rx", `${HEIGHT / 2}`);
      set(parts[k].text, "x", `${left + widths[k] / 2}`);
      put(parts[k].text, text);
      left += widths[k];
    });
  }
  return {
    /**
     * @param {{at: Point, spread: number, texts: Piece[], kind: string, dots: Dot[]|null}[]} tokens
     * @param {number} size scales each token, so that small type stays readable
     */
    draw(tokens, size) {
      let used = 0;
      for (const { at, spread, texts, kind, dots } of tokens) {
        const isFanned = spread > 0 && !dots;
        const copies = isFanned ? [-1, 1, 0] : [0]; // the middle one is drawn over the others
        for (const copy of copies) {
          const one = token(used);
          used += 1;
          write(one, dots ? [] : texts);
          one.dots.draw(dots ?? [], kind);
          const x = at.x.toFixed(1);
          const y = (at.y + copy * FAN * spread).toFixed(1);
          set(one.group, "transform", `translate(${x},${y}) scale(${size})`);
        }
      }
      while (drawn.length > used) drawn.pop()?.group.remove();
    },
  };
}
