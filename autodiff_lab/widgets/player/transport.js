import { html, svg } from "./dom.js";
import { segmentsOf, stepsOf } from "./state.js";

const ICONS = {
  first: "M4 3v10M13 3 6 8l7 5z", back: "M11.5 3 5 8l6.5 5z", play: "M5 2.5 13 8l-8 5.5z",
  pause: "M5.5 3v10M10.5 3v10", forward: "M4.5 3 11 8l-6.5 5z", last: "M12 3v10M3 3l7 5-7 5z",
};
const SPEEDS = [0.5, 1, 2, 4];
const BEAT = 1200; // milliseconds a step at speed 1

function button(icon, label, keys, onClick) {
  const node = html("button", { type: "button", "aria-label": label, title: `${label} (${keys})`, "data-action": icon },
                    svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: ICONS[icon] })));
  node.addEventListener("click", onClick);
  return node;
}

/**
 * The buttons, the speed and the scrubber.
 * @param {{go(s: number): void, advance(by: number): void, toggle(): void}} api
 * @param {...HTMLElement} others what else stands in this row
 */
export function transportView(api, ...others) {
  const buttons = {
    first: button("first", "First step", "Home", () => api.go(-1)),
    back: button("back", "Back one step", "←", () => api.advance(-1)),
    play: button("play", "Play", "space", () => api.toggle()),
    forward: button("forward", "Forward one step", "→", () => api.advance(1)),
    last: button("last", "Last step", "End", () => api.go(Infinity)),
  };
  const speed = html("select", { "aria-label": "Speed", title: "Speed of play" },
                     ...SPEEDS.map((x) => html("option", { value: x, ...(x === 1 ? { selected: "" } : {}) }, `${x}×`)));
  const scrubber = html("input", { type: "range", min: 0, step: 1, "aria-label": "Step" });
  const rails = [html("div", { class: "adl-rail" }), html("div", { class: "adl-rail is-done" })];
  const legend = html("div", { class: "adl-phases", "aria-hidden": "true" });
  const counter = html("span", { class: "adl-counter" });
  scrubber.addEventListener("input", () => api.go(Number(scrubber.value) - 1));
  let steps = 0;

  return {
    element: html("div", { class: "adl-transport" }, html("div", { class: "adl-buttons" }, ...Object.values(buttons), speed),
                  html("div", { class: "adl-scrubber" }, ...rails, scrubber, legend), counter, ...others),
    /** How long a step stays while playing, in milliseconds. */
    beat: () => BEAT / speed.value,
    load(trace) {
      steps = stepsOf(trace);
      scrubber.max = steps;
      const phases = segmentsOf(trace);
      for (const rail of rails) rail.replaceChildren(...phases.map(([name, length]) => html("span", { class: `is-${name}`, style: `flex-grow: ${length}` })));
      legend.replaceChildren(...phases.map(([name, length]) => html("span", { style: `flex-grow: ${length}` }, { seed: "", inner: "a sweep, recorded" }[name] ?? name)));
    },
    update(s) {
      scrubber.value = s + 1;
      scrubber.setAttribute("aria-valuetext", `step ${s + 1} of ${steps}`);
      rails[1].style.setProperty("--adl-at", steps ? (s + 1) / steps : 0);
      counter.textContent = `step ${s + 1} of ${steps}`;
      for (const [name, end] of [["first", -1], ["back", -1], ["forward", steps - 1], ["last", steps - 1]])
        buttons[name].setAttribute("aria-disabled", s === end);
    },
    setPlaying(on) {
      const label = on ? "Pause" : "Play";
      buttons.play.setAttribute("aria-label", label);
      buttons.play.title = `${label} (space)`;
      buttons.play.querySelector("path").setAttribute("d", ICONS[on ? "pause" : "play"]);
    },
  };
}
