import { put, set, svg } from "../dom.js";

const [SIZE, HEIGHT, PADDING, FAN] = [14, 24, 9, 11]; // of type, of a token, beside its text, between copies
const FAMILY = { value: "value", tangent: "tangent", adjoint: "adjoint" };

/** How wide a text is, near enough: a token that measured itself would make the browser lay out in each frame. */
const widthOf = (text) =>
  [...text].reduce(
    (sum, sign) => sum + (/[.,·:;|!il[\]() ′]/.test(sign) ? 0.4 : /[⺀-鿿]/.test(sign) ? 1 : 0.68),
    0,
  ) * SIZE;

/** Tells where a number is on its way: first out of its box, then along the edge, then into the other box. */
export function routeAlong(path, from, to) {
  const length = path ? path.getTotalLength() : 0;
  const line = (a, b, t) => ({ x: a.x + t * (b.x - a.x), y: a.y + t * (b.y - a.y) });
  if (!length) return (along) => line(from, to, along);
  const [start, end] = [path.getPointAtLength(0), path.getPointAtLength(length)];
  return (along) =>
    along < 0.1
      ? line(from, start, along / 0.1)
      : along > 0.9
        ? line(end, to, (along - 0.9) / 0.1)
        : path.getPointAtLength((length * (along - 0.1)) / 0.8);
}

/** The numbers that travel: drawn anew in each frame, from what `tokensAt` says. @param {SVGElement} layer */
export function tokensIn(layer) {
  const drawn = [];

  function part() {
    const [rect, text] = [
      svg("rect", { height: HEIGHT, y: -HEIGHT / 2 }),
      svg("text", { "dominant-baseline": "central", "text-anchor": "middle", "font-size": SIZE }),
    ];
    return { group: svg("g", {}, rect, text), rect, text };
  }
  function token(k) {
    drawn[k] ??= { group: svg("g", { class: "adl-token", "aria-hidden": "true" }), parts: [] };
    if (!drawn[k].group.isConnected) layer.append(drawn[k].group);
    return drawn[k];
  }
  /** One rounded piece for each family of colours. */
  function write({ group, parts }, texts) {
    const pieces = [];
    for (const [kind, text] of texts) {
      if (pieces.length && (kind === "op" || pieces.at(-1).kind === FAMILY[kind]))
        pieces.at(-1).text += kind === "op" ? ` ${text} ` : text;
      else pieces.push({ kind: FAMILY[kind], text });
    }
    while (parts.length < pieces.length) {
      parts.push(part());
      group.append(parts.at(-1).group);
    }
    while (parts.length > pieces.length) parts.pop().group.remove();
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
    /** @param {{at: {x: number, y: number}, spread: number, texts: Array}[]} tokens @param {number} size of one: small type grows */
    draw(tokens, size) {
      let used = 0;
      for (const { at, spread, texts } of tokens)
        for (const k of spread > 0 ? [-1, 1, 0] : [0]) {
          const one = token(used++);
          write(one, texts);
          set(
            one.group,
            "transform",
            `translate(${at.x.toFixed(1)},${(at.y + k * FAN * spread).toFixed(1)}) scale(${size})`,
          );
        }
      while (drawn.length > used) drawn.pop().group.remove();
    },
  };
}
