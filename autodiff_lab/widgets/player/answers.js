/** Judging what a learner typed: right, a mistake that has a name, or wrong in a way of its own. */

const plain = (text) => text.trim().replaceAll("−", "-").replace(/,(?=\d+$)/, ".").replaceAll("∞", "Infinity");

/** Reads ``-0.2837``, ``−0,2837``, ``1/2``; NaN for anything else. */
export function readNumber(text) {
  const parts = plain(text).replaceAll(" ", "").split("/");
  if (parts.length > 2 || parts.some((part) => !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(part))) return NaN;
  const [over, under = 1] = parts.map(Number);
  return over / under;
}

const near = (x, y) => Math.abs(x - y) <= 1e-6 * Math.max(Math.abs(x), Math.abs(y));

/** As many decimals as were typed, three at least, must be those of `y`. */
function rounded(text, x, y) {
  const decimals = /\.(\d+)$/.exec(plain(text))?.[1].length ?? 0;
  return decimals >= 3 && Math.abs(x - y) <= 0.5 * 10 ** -decimals * (1 + 1e-9);
}

/**
 * Right is what is right to one part in a million, or as close as the digits that the player shows.
 * @param {import("./state.js").Question} question @param {string} text what was typed
 * @returns {{verdict: "right"|"mistake"|"wrong"|"unreadable", kind?: string}}
 */
export function judge({ answer, mistakes }, text) {
  const x = readNumber(text);
  if (Number.isNaN(x)) return { verdict: "unreadable" };
  const shown = Math.abs(Number(plain(answer.text)) - answer.value);
  if (near(x, answer.value) || Math.abs(x - answer.value) <= shown * (1 + 1e-9)) return { verdict: "right" };
  const found = mistakes.find(([, value]) => near(x, value)) ?? mistakes.find(([, value]) => rounded(text, x, value));
  return found ? { verdict: "mistake", kind: found[0] } : { verdict: "wrong" };
}
