/**
 * The player has no words of its own: they come with the payload, in one language, with named slots in braces.
 * @param {Object<string, string>} words
 * @returns {(key: string, slots?: Object<string, string|number>) => string}
 */
export const speaker =
  (words) =>
  (key, slots = {}) =>
    words[key].replace(/\{(\w+)\}/g, (_, slot) => slots[slot]);

/** Fills a string that has a form of its own for one thing. */
export const counted = (say, key, n, slots = {}) =>
  say(`${key}.${n === 1 ? "one" : "many"}`, { n, ...slots });

/** The name of a button, and a hint that says the key for it too. */
export const nameWithKeys = (say, label, keys) => ({
  "aria-label": label,
  title: say("button", { label, keys }),
});
