import { html, set, svg } from "./dom.js";
import { nameWithKeys } from "./speech.js";
import { inputsOf, segmentsOf, stepsOf } from "./trace.js";

const ICONS = {
  back: "M11.5 3 5 8l6.5 5z",
  play: "M5 2.5 13 8l-8 5.5z",
  pause: "M5.5 3v10M10.5 3v10",
  forward: "M4.5 3 11 8l-6.5 5z",
};

const picture = (icon) =>
  svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: ICONS[icon] }));

/**
 * The buttons and the scrubber. Steps are counted from the first one that does something: the inputs are there already.
 * @param {{go(s: number): void, advance(by: number): void, toggle(): void}} api
 * @param {ReturnType<import("./speech.js").speaker>} say
 */
export function transportView(api, say) {
  const button = (icon, label, keys, onclick) =>
    html(
      "button",
      { type: "button", ...nameWithKeys(say, say(label), keys), "data-action": icon, onclick },
      picture(icon),
    );
  const buttons = {
    back: button("back", "one back", "←", () => api.advance(-1)),
    play: button("play", "play", say("key play"), () => api.toggle()),
    forward: button("forward", "one forward", "→", () => api.advance(1)),
  };
  const scrub = () => api.go(Number(scrubber.value) ? Number(scrubber.value) + first - 1 : -1);
  const scrubber = html("input", {
    type: "range",
    min: 0,
    step: 1,
    "aria-label": say("scrubber"),
    oninput: scrub,
  });
  const rails = [html("div", { class: "adl-rail" }), html("div", { class: "adl-rail is-done" })];
  const counter = html("span", { class: "adl-counter" });
  // On the picture itself, until the first step: there a newcomer looks.
  const play = () => {
    api.root.focus({ preventScroll: true }); // the button goes, and the keys are to reach the player
    api.play();
  };
  const begin = html(
    "button",
    { type: "button", class: "adl-begin", tabindex: -1, "aria-hidden": "true", onclick: play },
    picture("play"),
  );
  begin.removeAttribute("data-lm-suppress-shortcuts");
  let [steps, first] = [0, 0];

  return {
    element: html(
      "div",
      { class: "adl-transport" },
      html("div", { class: "adl-buttons" }, ...Object.values(buttons)),
      html("div", { class: "adl-scrubber" }, ...rails, scrubber),
      counter,
    ),
    begin,
    placeBegin({ x, y }) {
      begin.style.left = `${x}px`;
      begin.style.top = `${y}px`;
    },
    load(trace) {
      first = inputsOf(trace);
      steps = Math.max(0, stepsOf(trace) - first);
      scrubber.max = steps;
      for (const rail of rails)
        rail.replaceChildren(
          ...segmentsOf(trace).map(([name, length]) =>
            html("span", { class: `is-${name}`, style: `flex-grow: ${length}` }),
          ),
        );
    },
    update(s, status) {
      const n = Math.max(0, s - first + 1);
      scrubber.value = n;
      scrubber.setAttribute("aria-valuetext", say("counter of steps", { n, count: steps }));
      rails[1].style.setProperty("--adl-at", steps ? n / steps : 0);
      counter.textContent = `${n} / ${steps}`;
      counter.title = status;
      begin.hidden = n > 0 || !steps;
      for (const [name, end] of [
        ["back", 0],
        ["forward", steps],
      ])
        buttons[name].setAttribute("aria-disabled", n === end);
    },
    setPlaying(on) {
      const named = nameWithKeys(say, say(on ? "pause" : "play"), say("key play"));
      for (const [name, value] of Object.entries(named)) set(buttons.play, name, value);
      buttons.play.querySelector("path").setAttribute("d", ICONS[on ? "pause" : "play"]);
      if (on) begin.hidden = true;
    },
  };
}
