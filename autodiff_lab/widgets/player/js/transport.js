/**
 * The transport of a player: back, play and forward, as on a tape deck, and the scrubber.
 *
 * @import { Actions } from "./actions.js"
 * @import { State } from "./state.js"
 * @import { Say } from "./speech.js"
 */

import { html, set, svg } from "./dom.js";
import { momentOf, stopOf, traceAt } from "./state.js";
import { nameWithKeys } from "./speech.js";
import { statusText } from "./run.js";
import { whenChanged } from "./store.js";
import { inputsOf, segmentsOf, stepsOf } from "./trace.js";

const ICONS = {
  back: "M11.5 3 5 8l6.5 5z",
  play: "M5 2.5 13 8l-8 5.5z",
  pause: "M5.5 3v10M10.5 3v10",
  forward: "M4.5 3 11 8l-6.5 5z",
};

/** @typedef {keyof typeof ICONS} Icon */

/** @param {Icon} icon */
const picture = (icon) =>
  svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: ICONS[icon] }));

/**
 * The view of the buttons and the scrubber. Steps are counted from the first operation: the inputs are there from the start.
 * @param {Actions} actions @param {() => void} focus moves the keyboard focus to the player @param {Say} say
 */
export function transportView(actions, focus, say) {
  /** @param {Icon} icon @param {string} label @param {string} keys @param {() => void} onclick */
  const button = (icon, label, keys, onclick) =>
    html(
      "button",
      { type: "button", ...nameWithKeys(say, say(label), keys), "data-action": icon, onclick },
      picture(icon),
    );
  const buttons = {
    back: button("back", "one back", "←", () => actions.advance(-1)),
    play: button("play", "play", say("key play"), () => actions.toggle()),
    forward: button("forward", "one forward", "→", () => actions.advance(1)),
  };
  const scrub = () => {
    const n = Number(scrubber.value);
    const step = n === 0 ? -1 : n + first - 1;
    actions.go(step);
    scrubber.value = String(count); // the thumb returns if that step couldn't be shown
  };
  const scrubber = html("input", {
    type: "range",
    min: 0,
    step: 1,
    "aria-label": say("scrubber"),
    oninput: scrub,
  });
  const rails = [html("div", { class: "adl-rail" }), html("div", { class: "adl-rail is-done" })];
  const counter = html("span", { class: "adl-counter" });
  // Until the first step a second play button is on the graph, because that is where a newcomer looks.
  const play = () => {
    focus(); // the button disappears, and the keys have to reach the player
    actions.play();
  };
  const begin = html(
    "button",
    { type: "button", class: "adl-begin", tabindex: -1, "aria-hidden": "true", onclick: play },
    picture("play"),
  );
  begin.removeAttribute("data-lm-suppress-shortcuts");
  let first = 0; // the first step after the inputs
  let steps = 0; // how many steps there are from there
  let count = 0; // how many of them have been shown

  const load = whenChanged(
    (state) => [traceAt(state)],
    (state) => {
      const trace = traceAt(state);
      first = inputsOf(trace);
      steps = Math.max(0, stepsOf(trace) - first);
      scrubber.max = String(steps);
      for (const rail of rails)
        rail.replaceChildren(
          ...segmentsOf(trace).map(([name, length]) =>
            html("span", { class: `is-${name}`, style: `flex-grow: ${length}` }),
          ),
        );
    },
  );
  const mark = whenChanged(
    (state) => [
      traceAt(state),
      state.wanted ?? stopOf(state),
      state.wanted,
      state.step,
      state.isPlaying,
    ],
    (state) => {
      const { at, shown } = momentOf(state);
      const n = Math.max(0, (state.wanted ?? at) - first + 1);
      count = n;
      scrubber.value = String(n);
      scrubber.setAttribute("aria-valuetext", say("counter of steps", { n, count: steps }));
      rails[1].style.setProperty("--adl-at", String(steps ? n / steps : 0));
      counter.textContent = `${n} / ${steps}`;
      counter.title = state.wanted === null ? statusText(traceAt(state), shown) : "";
      begin.hidden = n > 0 || !steps || state.isPlaying;
      buttons.back.setAttribute("aria-disabled", String(n === 0));
      buttons.forward.setAttribute("aria-disabled", String(n === steps));
    },
  );
  const showPlaying = whenChanged(
    ({ isPlaying }) => [isPlaying],
    ({ isPlaying }) => {
      const named = nameWithKeys(say, say(isPlaying ? "pause" : "play"), say("key play"));
      for (const [name, value] of Object.entries(named)) set(buttons.play, name, value);
      buttons.play.querySelector("path")?.setAttribute("d", ICONS[isPlaying ? "pause" : "play"]);
    },
  );

  return {
    element: html(
      "div",
      { class: "adl-transport" },
      html("div", { class: "adl-buttons" }, ...Object.values(buttons)),
      html("div", { class: "adl-scrubber" }, ...rails, scrubber),
      counter,
    ),
    begin,
    /** @param {{x: number, y: number}} spot */
    placeBegin({ x, y }) {
      begin.style.left = `${x}px`;
      begin.style.top = `${y}px`;
    },
    /** @param {State} state */
    render(state) {
      load(state);
      mark(state);
      showPlaying(state);
    },
  };
}
