/**
 * A store: the state of one player, and the listeners that are called when it changes.
 *
 * @import { State } from "./state.js"
 */

/**
 * @template S
 * @typedef {(state: S, before: S|null) => void} Listener `before` is null the first time
 */
/**
 * @template S
 * @typedef {object} Store
 * @property {() => S} get
 * @property {(change: Partial<S> | ((state: S) => S)) => void} update takes some fields, or a transition
 * @property {(listener: Listener<S>) => () => void} subscribe tells `listener` of the state as it is, and of each
 *   change; returns what ends that
 */

/**
 * A store. States are never written to: a change makes another one.
 * @template {object} S
 * @param {S} initial @returns {Store<S>}
 */
export function createStore(initial) {
  let state = initial;
  let told = initial;
  let isTelling = false;
  /** @type {Set<Listener<S>>} */
  const listeners = new Set();

  function tell() {
    if (isTelling) return; // a listener made this change: the loop below passes it on after the current one
    isTelling = true;
    try {
      while (told !== state) {
        const before = told;
        told = state;
        for (const listener of listeners) listener(told, before);
      }
    } finally {
      isTelling = false;
    }
  }

  return {
    get: () => state,
    update(change) {
      state = typeof change === "function" ? change(state) : { ...state, ...change };
      tell();
    },
    subscribe(listener) {
      listeners.add(listener);
      listener(state, null);
      return () => listeners.delete(listener);
    },
  };
}

/**
 * Makes a render that runs only when something that it depends on has changed.
 * @param {(state: State) => unknown[]} dependencies
 * @param {(state: State) => void} render
 * @returns {(state: State) => void}
 */
export function whenChanged(dependencies, render) {
  /** @type {unknown[]|null} */
  let before = null;
  return (state) => {
    const now = dependencies(state);
    if (before?.every((one, k) => Object.is(one, now[k]))) return;
    before = now;
    render(state);
  };
}
