import { html } from "./dom.js";

/** Calls `send` at most once in `wait` ms; the last value always gets through. */
export function throttle(
  send,
  wait,
  clock = { now: () => Date.now(), later: (f, ms) => setTimeout(f, ms) },
) {
  let last = -Infinity;
  let waiting = false;
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

/** What stands beside a slider while a hand moves it; at rest Python says it. */
export const atSlider = (x) => String(Number(x.toPrecision(6))).replaceAll("-", "−");

/** The sliders of the inputs. @param {(changed: {index: number, value: number}) => void} onChange */
export function inputsView(onChange) {
  const element = html("div", { class: "adl-inputs" });
  let sliders = [];
  return {
    element,
    update(controls) {
      if (controls.map((c) => c.name).join() !== sliders.map((s) => s.name).join()) {
        sliders = controls.map(({ name }, index) => {
          const output = html("output");
          const send = () => {
            output.textContent = atSlider(range.valueAsNumber);
            onChange({ index, value: range.valueAsNumber });
          };
          const range = html("input", { type: "range", "aria-label": name, oninput: send });
          return {
            name,
            range,
            output,
            node: html("label", { class: "adl-input" }, html("span", {}, name), range, output),
          };
        });
        element.replaceChildren(...sliders.map((s) => s.node));
      }
      controls.forEach((control, k) => {
        const { range, output } = sliders[k];
        for (const key of ["min", "max", "step"])
          if (range[key] !== String(control[key])) range[key] = control[key];
        if (Number(range.value) !== control.value) range.value = control.value;
        output.textContent = control.text ?? atSlider(control.value);
      });
    },
  };
}
