/**
 * The sliders of the inputs.
 *
 * @import { Say } from "./speech.js"
 * @import { State } from "./state.js"
 */

import { html } from "./dom.js";
import { traceAt } from "./state.js";
import { whenChanged } from "./store.js";

const RANGE = /** @type {const} */ (["min", "max", "step"]);

/** @typedef {{now(): number, later(f: () => void, ms: number): void}} Clock */

/** @type {Clock} */
const WALL_CLOCK = { now: () => Date.now(), later: (f, ms) => setTimeout(f, ms) };

/**
 * Calls `send` at most once in `wait` ms; the last value always gets through.
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

/** What stands beside a slider while a hand moves it; at rest Python says it. @param {number} x */
export const atSlider = (x) => String(Number(x.toPrecision(6))).replaceAll("-", "−");

/**
 * The sliders of the inputs, and of a function with several results the menu of these.
 * @param {Say} say
 * @param {(changed: {index: number, value: number}) => void} onChange
 * @param {((place: number) => void)|undefined} onResult given where somebody can follow another result
 */
export function inputsView(say, onChange, onResult) {
  const element = html("div", { class: "adl-inputs" });
  const select = html("select", {
    "aria-label": say("result menu"),
    onchange: () => onResult?.(select.selectedIndex),
  });
  const menu = html("label", { class: "adl-result-menu" }, html("span", {}, say("result")), select);
  const list = whenChanged(
    (state) => [traceAt(state)],
    (state) => {
      const { results, chosen_result: chosen } = traceAt(state);
      menu.hidden = !onResult || results.length < 2;
      if (menu.hidden) return menu.remove();
      select.replaceChildren(...results.map((path) => html("option", {}, path)));
      select.selectedIndex = chosen;
      element.append(menu);
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
            output.textContent = atSlider(range.valueAsNumber);
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
        element.replaceChildren(...sliders.map((s) => s.node), ...(menu.isConnected ? [menu] : []));
      }
      controls.forEach((control, k) => {
        const { range, output } = sliders[k];
        for (const key of RANGE)
          if (range[key] !== String(control[key])) range[key] = String(control[key]);
        if (Number(range.value) !== control.value) range.value = String(control.value);
        output.textContent = control.text ?? atSlider(control.value);
      });
    },
  );
  // It must not write the sliders: while a hand moves one, the state has its old value.
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
