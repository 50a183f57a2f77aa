/**
 * The sliders of the inputs.
 *
 * @import { Say } from "./speech.js"
 * @import { State } from "./state.js"
 * @import { Trace } from "./trace_types.js"
 */

import { html } from "./dom.js";
import { writeNumber } from "./numbers.js";
import { traceAt } from "./state.js";
import { whenChanged } from "./store.js";

const RANGE = /** @type {const} */ (["min", "max", "step"]);

/** @typedef {{now(): number, later(f: () => void, ms: number): void}} Clock */

/** @type {Clock} */
const WALL_CLOCK = { now: () => Date.now(), later: (f, ms) => setTimeout(f, ms) };

/**
 * Wraps `send` so that it's called at most once in `wait` ms, and always with the last value in the end.
 * @template T
 * @param {(value: T) => void} send @param {number} wait @param {Clock} [clock]
 * @returns {(value: T) => void}
 */
export function throttle(send, wait, clock = WALL_CLOCK) {
  let last = -Infinity;
  let waiting = false;
  /** @type {T} */
  let latest;
  return (value) => {
    latest = value;
    if (waiting) return;
    const fire = () => {
      waiting = false;
      last = clock.now();
      send(latest);
    };
    const left = last + wait - clock.now();
    if (left <= 0) return fire();
    waiting = true;
    clock.later(fire, left);
  };
}

/**
 * The fields for the seeds, shown if all results are differentiated. There are none if a seed is an array of
 * different numbers.
 * @param {Say} say @param {((seeds: number[]) => void)|undefined} onSeeds receives one seed for each result, even for a constant one
 */
function seedsView(say, onSeeds) {
  const element = html("span", { class: "adl-seeds" });
  /** @type {Map<string, HTMLInputElement>} by the path of the result */
  let fields = new Map();
  /** @type {string[]} of the results */
  let paths = [];
  /** @type {number[]} */
  let weights = [];
  let shown = "";
  /** @param {Pick<Trace, "results"|"seeds">} trace */
  function render({ results, seeds }) {
    const isOpen = onSeeds && seeds.every(({ weight }) => weight !== null);
    const own = isOpen ? seeds.map(({ result }) => results[result]) : [];
    paths = results;
    weights = results.map(() => 1);
    for (const { result, weight } of seeds) weights[result] = weight ?? 1;
    if (own.join() !== shown) {
      shown = own.join();
      fields = new Map(own.map((path) => [path, fieldOf(path)]));
      const labels = [...fields].map(([path, field]) =>
        html("label", { class: "adl-seed" }, html("span", {}, path), field),
      );
      element.replaceChildren(...labels);
    }
    for (const [path, field] of fields) {
      const isTyping = field === document.activeElement;
      if (!isTyping) field.value = String(weights[results.indexOf(path)]);
    }
    /** @param {string} path */
    function fieldOf(path) {
      return html("input", {
        type: "number",
        step: "any",
        "aria-label": say("seed field", { result: path }),
        oninput: (/** @type {Event} */ event) => send(event, paths.indexOf(path)),
      });
    }
  }
  /** @param {Event} event @param {number} place */
  function send({ target }, place) {
    const seed = /** @type {HTMLInputElement} */ (target).valueAsNumber;
    if (Number.isFinite(seed)) onSeeds?.(weights.map((weight, k) => (k === place ? seed : weight)));
  }
  return { element, render };
}

/**
 * The sliders of the inputs and, for a function with several results, the menu that selects one.
 * @param {Say} say
 * @param {(changed: {index: number, value: number}) => void} onChange
 * @param {((place: number|null) => void)|undefined} onResult missing if the result can't be changed; it receives null for all results
 * @param {((seeds: number[]) => void)|undefined} onSeeds
 */
export function inputsView(say, onChange, onResult, onSeeds) {
  const element = html("div", { class: "adl-inputs" });
  const select = html("select", {
    "aria-label": say("result menu"),
    onchange: () => onResult?.(select.selectedIndex < places ? select.selectedIndex : null),
  });
  let places = 0; // how many results there are; the menu's entry after them is for all
  const seeds = seedsView(say, onSeeds);
  const menu = html("label", { class: "adl-result-menu" }, html("span", {}, say("result")), select);
  const results = html("div", { class: "adl-results" }, menu, seeds.element);
  const list = whenChanged(
    (state) => [traceAt(state)],
    (state) => {
      const trace = traceAt(state);
      const { results: paths, chosen_result: chosen } = trace;
      if (!onResult || paths.length < 2) return results.remove();
      const entries = [...paths, say("every result")];
      select.replaceChildren(...entries.map((entry) => html("option", {}, entry)));
      places = paths.length;
      select.selectedIndex = chosen ?? places;
      seeds.render(trace);
      element.append(results);
    },
  );
  /**
   * @type {{name: string, range: HTMLInputElement, output: HTMLOutputElement, ghost: HTMLElement, node: HTMLElement}[]}
   */
  let sliders = [];
  const write = whenChanged(
    ({ controls }) => [controls],
    ({ controls }) => {
      if (controls.map((c) => c.name).join() !== sliders.map((s) => s.name).join()) {
        sliders = controls.map(({ name }, index) => {
          const output = html("output");
          const send = () => {
            output.textContent = writeNumber(range.valueAsNumber);
            onChange({ index, value: range.valueAsNumber });
          };
          const range = html("input", { type: "range", "aria-label": name, oninput: send });
          const ghost = html("span", { class: "adl-input-ghost", "aria-hidden": "true" });
          const rail = html("span", { class: "adl-input-rail" }, ghost, range);
          return {
            name,
            range,
            output,
            ghost,
            node: html("label", { class: "adl-input" }, html("span", {}, name), rail, output),
          };
        });
        const nodes = sliders.map(({ node }) => node);
        if (results.isConnected) nodes.push(results);
        element.replaceChildren(...nodes);
      }
      controls.forEach((control, k) => {
        const { range, output } = sliders[k];
        for (const key of RANGE) {
          const text = String(control[key]);
          if (range[key] !== text) range[key] = text;
        }
        if (Number(range.value) !== control.value) range.value = String(control.value);
        output.textContent = control.text ?? writeNumber(control.value);
      });
    },
  );
  // This must not set the sliders: while one is being moved, the state still has its old value.
  const markOld = whenChanged(
    ({ controls, felt }) => [controls, felt],
    ({ controls, felt }) => {
      sliders.forEach(({ ghost }, k) => {
        const isMoved = felt?.index === k && !felt.isFaint;
        ghost.hidden = !isMoved;
        if (!isMoved) return;
        const { min, max } = controls[k];
        const share = (felt.from - min) / (max - min);
        ghost.style.setProperty("--adl-at", String(Math.min(1, Math.max(0, share))));
      });
    },
  );
  return {
    element,
    /** @param {State} state */
    render(state) {
      write(state);
      list(state);
      markOld(state);
    },
  };
}
