/** @typedef {Record<string, string|number>} Slots */
/**
 * @typedef {(key: string, slots?: Slots) => string} Say finds words by their key, and fills their
 *   slots
 */

/**
 * The player has no words of its own: they come with the payload, in one language, with named slots in braces.
 * @param {Record<string, string>} words
 * @returns {Say}
 */
export const speaker =
  (words) =>
  (key, slots = {}) =>
    words[key].replace(/\{(\w+)\}/g, (_, slot) => String(slots[slot]));

/**
 * Fills a string that has a form of its own for one thing.
 * @param {Say} say @param {string} key @param {number} n @param {Slots} [slots]
 */
export const counted = (say, key, n, slots = {}) =>
  say(`${key}.${n === 1 ? "one" : "many"}`, { n, ...slots });

/**
 * The name of a button, and a hint that says the key for it too.
 * @param {Say} say @param {string} label @param {string} keys
 */
export const nameWithKeys = (say, label, keys) => ({
  "aria-label": label,
  title: say("button", { label, keys }),
});
