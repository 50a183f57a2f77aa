/**
 * Tokens: the numbers that travel along the edges of the graph while a step moves.
 *
 * @import { Dot } from "../cells.js"
 * @import { Piece } from "../run.js"
 * @import { Point } from "./stretch.js"
 */

import { put, set, svg } from "../dom.js";
import { dotsIn } from "./cell_parts.js";

const [SIZE, HEIGHT, PADDING, FAN] = [14, 24, 9, 11]; // of type, of a token, beside its text, between copies
/** @type {Record<string, string>} */
const FAMILY = { value: "value", tangent: "tangent", adjoint: "adjoint" };

/**
 * How wide a text is, near enough: a token that measured itself would make the browser lay out in
 * each frame.
 * @param {string} text
 */
const widthOf = (text) =>
  [...text].reduce(
    (sum, sign) => sum + (/[.,·:;|!il[\]() ′]/.test(sign) ? 0.4 : /[⺀-鿿]/.test(sign) ? 1 : 0.68),
    0,
  ) * SIZE;

/**
 * How large a number on its way is.
 * @param {Piece[]} texts
 */
export function sizeOfToken(texts) {
  const pieces = piecesOf(texts);
  return { w: pieces.reduce((sum, { text }) => sum + widthOf(text) + 2 * PADDING, 0), h: HEIGHT };
}

/** One piece for each family of colours. @param {Piece[]} texts */
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
 * Tells where a number is on its way: first out of its box, then along the edge, then into the other box.
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
 * @typedef {{group: SVGGElement, parts: TokenPart[], dots: ReturnType<typeof dotsIn>}} Token a text in
 *   pieces, or the cells of an array
 */

/**
 * The numbers that travel: drawn anew in each frame, from what `tokensAt` says.
 * @param {SVGElement} layer
 */
export function tokensIn(layer) {
  /** @type {Token[]} */
  const drawn = [];

  function part() {
    const [rect, text] = [
      svg("rect", { height: HEIGHT, y: -HEIGHT / 2 }),
      svg("text", { "dominant-baseline": "central", "text-anchor": "middle", "font-size": SIZE }),
    ];
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
     * @param {number} size of one: small type grows
     */
    draw(tokens, size) {
      let used = 0;
      for (const { at, spread, texts, kind, dots } of tokens)
        for (const k of spread > 0 && !dots ? [-1, 1, 0] : [0]) {
          const one = token(used++);
          write(one, dots ? [] : texts);
          one.dots.draw(dots ?? [], kind);
          set(
            one.group,
            "transform",
            `translate(${at.x.toFixed(1)},${(at.y + k * FAN * spread).toFixed(1)}) scale(${size})`,
          );
        }
      while (drawn.length > used) drawn.pop()?.group.remove();
    },
  };
}
