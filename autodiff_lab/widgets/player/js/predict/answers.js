/**
 * Judging a typed answer: right, right except for its digits, a known mistake, or wrong in some other way.
 *
 * @import { Question } from "../trace_types.js"
 */

/** @param {string} text */
const plain = (text) =>
  text
    .trim()
    .replaceAll("−", "-")
    .replace(/,(?=\d+$)/, ".")
    .replaceAll("∞", "Infinity");

const FINITE = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const INFINITE = /^([+-]?)(Infinity|inf)$/i;

/**
 * Reads ``-0.2837``, ``−0,2837``, ``1/2``, ``-inf``, ``−∞``. NaN for anything else, including a
 * fraction without a finite value, as ``1/0``.
 * @param {string} text
 */
export function readNumber(text) {
  const parts = plain(text).replaceAll(" ", "").split("/");
  const infinite = parts.length === 1 && INFINITE.exec(parts[0]);
  if (infinite) return infinite[1] === "-" ? -Infinity : Infinity;
  if (parts.length > 2 || !parts.every((part) => FINITE.test(part))) return NaN;
  const [numerator, denominator = 1] = parts.map(Number);
  const quotient = numerator / denominator;
  return Number.isFinite(quotient) ? quotient : NaN;
}

/** @type {Record<string, number|undefined>} */
const NOT_FINITE = { inf: Infinity, "-inf": -Infinity, nan: NaN }; // a trace stores these as text: JSON has no such numbers

/** Whether two numbers agree to one part in a million; Infinity agrees only with itself. @param {number} x @param {number} y */
function near(x, y) {
  if (x === y) return true;
  const error = Math.abs(x - y);
  return Number.isFinite(error) && error <= 1e-6 * Math.max(Math.abs(x), Math.abs(y));
}

/**
 * Whether `x` is `y` rounded to the typed number of decimals, at least `least`.
 * @param {string} text @param {number} x @param {number} y @param {number} least
 */
function rounded(text, x, y, least) {
  const decimals = /\.(\d+)$/.exec(plain(text))?.[1].length ?? 0;
  if (decimals < least || x === 0) return false;
  return Math.abs(x - y) <= 0.5 * 10 ** -decimals * (1 + 1e-9);
}

/**
 * Judges a typed answer. It's right if it agrees to one part in a million, or is as close as the digits that the
 * player shows; it's `"rounded"` if it's the answer rounded to two or more decimals.
 * @param {Pick<Question, "answer"|"mistakes">} question @param {string} text what was typed
 * @returns {{verdict: "right"|"rounded"|"mistake"|"wrong"|"unreadable", kind?: string}}
 */
export function judge({ answer, mistakes }, text) {
  const { value } = answer;
  const exact = typeof value === "number" ? value : (NOT_FINITE[String(value)] ?? NaN);
  if (/^nan$/i.test(text.trim())) return { verdict: Number.isNaN(exact) ? "right" : "wrong" };
  const x = readNumber(text);
  if (Number.isNaN(x)) return { verdict: "unreadable" };
  const shown = Math.abs(Number(plain(answer.text)) - exact);
  if (near(x, exact) || Math.abs(x - exact) <= shown * (1 + 1e-9)) return { verdict: "right" };
  const found = mistakes.find(({ value }) => near(x, value));
  if (!found && rounded(text, x, exact, 2)) return { verdict: "rounded" };
  const mistake = found ?? mistakes.find(({ value }) => rounded(text, x, value, 3));
  return mistake ? { verdict: "mistake", kind: mistake.kind } : { verdict: "wrong" };
}
