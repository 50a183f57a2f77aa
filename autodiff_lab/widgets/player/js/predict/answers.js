/**
 * Judging what a learner typed: right, right but for its digits, a mistake that has a name, or wrong in a way of its own.
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
const ENDLESS = /^([+-]?)(Infinity|inf)$/i;

/**
 * Reads ``-0.2837``, ``−0,2837``, ``1/2``, ``-inf``, ``−∞``; NaN for anything else, also for what
 * has no finite value: ``1/0``.
 * @param {string} text
 */
export function readNumber(text) {
  const parts = plain(text).replaceAll(" ", "").split("/");
  const endless = parts.length === 1 && ENDLESS.exec(parts[0]);
  if (endless) return endless[1] === "-" ? -Infinity : Infinity;
  if (parts.length > 2 || !parts.every((part) => FINITE.test(part))) return NaN;
  const [over, under = 1] = parts.map(Number);
  return Number.isFinite(over / under) ? over / under : NaN;
}

/** @type {Record<string, number|undefined>} */
const BEYOND = { inf: Infinity, "-inf": -Infinity, nan: NaN }; // as a trace writes what JSON has no numbers for

/** Whether two numbers agree to one part in a million; Infinity agrees only with itself. @param {number} x @param {number} y */
function near(x, y) {
  if (x === y) return true;
  const error = Math.abs(x - y);
  return Number.isFinite(error) && error <= 1e-6 * Math.max(Math.abs(x), Math.abs(y));
}

/**
 * Whether `x` is `y`, rounded to as many decimals as were typed; `least` or more.
 * @param {string} text @param {number} x @param {number} y @param {number} least
 */
function rounded(text, x, y, least) {
  const decimals = /\.(\d+)$/.exec(plain(text))?.[1].length ?? 0;
  if (decimals < least || x === 0) return false;
  return Math.abs(x - y) <= 0.5 * 10 ** -decimals * (1 + 1e-9);
}

/**
 * Right is what is right to one part in a million, or as close as the digits that the player shows; `"rounded"` what is
 * right as far as it was typed, two decimals or more.
 * @param {Pick<Question, "answer"|"mistakes">} question @param {string} text what was typed
 * @returns {{verdict: "right"|"rounded"|"mistake"|"wrong"|"unreadable", kind?: string}}
 */
export function judge({ answer, mistakes }, text) {
  const { value } = answer;
  const exact = typeof value === "number" ? value : (BEYOND[String(value)] ?? NaN);
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
