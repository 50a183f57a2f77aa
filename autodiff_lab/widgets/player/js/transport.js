import { html, svg } from "./dom.js";
import { segmentsOf, stepsOf } from "./state.js";

const ICONS = {
  first: "M4 3v10M13 3 6 8l7 5z", back: "M11.5 3 5 8l6.5 5z", play: "M5 2.5 13 8l-8 5.5z",
  pause: "M5.5 3v10M10.5 3v10", forward: "M4.5 3 11 8l-6.5 5z", last: "M12 3v10M3 3l7 5-7 5z",
};
const SPEEDS = [0.5, 1, 2, 4];
const BEAT = 1200; // milliseconds a step at speed 1

function button(say, icon, label, keys, onClick) {
  const node = html("button", { type: "button", "aria-label": say(label), title: say("button", { label: say(label), keys }), "data-action": icon },
                    svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: ICONS[icon] })));
  node.addEventListener("click", onClick);
  return node;
}

/**
 * The buttons, the speed and the scrubber.
 * @param {{go(s: number): void, advance(by: number): void, toggle(): void}} api
 * @param {ReturnType<import("./speech.js").speaker>} say
 * @param {...HTMLElement} others what else stands in this row
 */
export function transportView(api, say, ...others) {
  const buttons = {
    first: button(say, "first", "first step", say("key first"), () => api.go(-1)),
    back: button(say, "back", "one back", "←", () => api.advance(-1)),
    play: button(say, "play", "play", say("key play"), () => api.toggle()),
    forward: button(say, "forward", "one forward", "→", () => api.advance(1)),
    last: button(say, "last", "last step", say("key last"), () => api.go(Infinity)),
  };
  const speed = html("select", { "aria-label": say("speed"), title: say("speed of play") },
                     ...SPEEDS.map((x) => html("option", { value: x, ...(x === 1 ? { selected: "" } : {}) }, `${x}×`)));
  const scrubber = html("input", { type: "range", min: 0, step: 1, "aria-label": say("scrubber") });
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
      legend.replaceChildren(...phases.map(([name, length]) => html("span", { style: `flex-grow: ${length}` }, name === "seed" ? "" : say(`segment ${name}`))));
    },
    update(s) {
      scrubber.value = s + 1;
      scrubber.setAttribute("aria-valuetext", say("counter of steps", { n: s + 1, count: steps }));
      rails[1].style.setProperty("--adl-at", steps ? (s + 1) / steps : 0);
      counter.textContent = say("counter of steps", { n: s + 1, count: steps });
      for (const [name, end] of [["first", -1], ["back", -1], ["forward", steps - 1], ["last", steps - 1]])
        buttons[name].setAttribute("aria-disabled", s === end);
    },
    setPlaying(on) {
      const label = say(on ? "pause" : "play");
      buttons.play.setAttribute("aria-label", label);
      buttons.play.title = say("button", { label, keys: say("key play") });
      buttons.play.querySelector("path").setAttribute("d", ICONS[on ? "pause" : "play"]);
    },
  };
}
