/**
 * Numbers as text, written as Python writes them (`text/numbers.py`). The player needs it only where Python has not
 * answered yet: beside a slider that a hand moves, and for how far the result has moved with it.
 */

const DECIMALS = 4;
const DIGITS = 3; // behind the point, of a number with an exponent

/** The number whose text this is, without the zeros at its end. @param {string} text */
const withoutZeros = (text) => text.replace(/\.?0+$/, "");

/**
 * JavaScript rounds a tie away from zero and Python to the even digit: of a tie the text that Python has.
 * @param {string} rounded up @param {string} exact @param {RegExp} tie
 */
function toEven(rounded, exact, tie) {
  const found = tie.exec(exact);
  return found && Number(found[1].at(-1)) % 2 === 0 ? found[1] : rounded;
}

/**
 * A number in a few characters: four decimals, or four digits and an exponent.
 * @param {number} x
 */
export function writeNumber(x) {
  if (Number.isNaN(x)) return "NaN";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  return writeFinite(x).replaceAll("-", "−");
}

/** @param {number} x */
function writeFinite(x) {
  const size = Math.abs(x);
  if (Number.isInteger(x) && size < 1e9) return String(x || 0);
  const fixed = toEven(x.toFixed(DECIMALS), x.toFixed(60), /^(-?\d+\.\d{4})50*$/);
  const isShort = x !== 0 && Number(fixed) === x;
  if ((size >= 1e-3 || isShort) && size < 1e6) {
    const isExact = Math.abs(Number(fixed) - x) <= 1e-12 * Math.max(size, Math.abs(Number(fixed)));
    return isExact ? withoutZeros(fixed) : fixed;
  }
  const [mantissa, exponent] = x.toExponential(DIGITS).split("e");
  const exact = x.toExponential(60).split("e")[0];
  const even = toEven(mantissa, exact, /^(-?\d\.\d{3})50*$/);
  return `${withoutZeros(even)}e${Number(exponent)}`;
}
