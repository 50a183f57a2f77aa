/**
 * A player as a widget: keeps its model in Python and its state on the page in sync.
 *
 * @import { Model, Render } from "../../live.js"
 * @import { Given } from "./mount.js"
 * @import { Control, State } from "./state.js"
 * @import { Payload } from "./trace_types.js"
 */

import { announce } from "../../live.js";
import { throttle } from "./inputs.js";
import { mount } from "./mount.js";

const ANSWER_TIMEOUT_MS = 2000; // after this the player reports that the kernel doesn't answer
const SEND_INTERVAL_MS = 60; // inputs are sent at most this often while a slider moves
/** @type {(keyof Given)[]} */
const SHARED = ["step", "controls", "mode", "direction", "custom", "predict", "scale", "score"];

/** @type {Render} */
function render({ model, el }) {
  // Inputs that wait to be sent aren't in the model yet: the echo of an older change could overwrite them there.
  /** @type {number[]|null} */
  let waiting = null;
  /** @returns {number[]} */
  const inputs = () => waiting ?? model.get("inputs");
  const send = throttle((/** @type {number[]} */ values) => {
    waiting = null;
    model.set("inputs", values);
    model.save_changes();
    clearTimeout(late);
    late = setTimeout(
      () => player.error(model.get("payload").words["nobody answers"]),
      ANSWER_TIMEOUT_MS,
    );
  }, SEND_INTERVAL_MS);
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let late; // the timer of an answer that hasn't come
  /** @returns {Payload} */
  const payload = () => ({ ...model.get("payload"), ...model.get("beside") });
  /** @param {Record<string, unknown>} news */
  const write = (news) => {
    const isKnown = Object.entries(news).every(([name, value]) => model.get(name) === value);
    if (isKnown) return;
    model.set(news);
    model.save_changes();
  };
  const player = mount(el, payload(), {
    ...Object.fromEntries(SHARED.map((name) => [name, model.get(name)])),
    details: model.get("details") || undefined, // undefined: as the learner left them
    onPredict: (predict) => write({ predict }),
    onScore: (score) => write({ score }),
    onStep: (step) => write({ step }),
    onMode: (mode, direction) => write({ mode, direction }),
    onCustom: (custom) => write({ custom }),
    onResult: (place) => write({ chosen_result: place }),
    onSeeds: (seeds) => write({ seeds }),
    onInputs({ index, value }) {
      waiting = inputs().map((old, k) => (k === index ? value : old));
      send(waiting);
    },
  });
  player.error(model.get("error"));
  const choose = () => player.choose(model.get("mode"), model.get("direction"));
  /** @type {Record<string, () => void>} */
  const listeners = {
    "change:payload": () => player.update(payload()),
    // An answer may be older than what the slider shows by now; the slider keeps its own value.
    "change:controls": () => {
      clearTimeout(late);
      player.error(model.get("error"));
      /** @type {Control[]} */
      const controls = model.get("controls");
      const atHand = controls.map((control, k) => {
        const value = inputs()[k];
        return { ...control, value, text: value === control.value ? control.text : undefined };
      });
      player.set({ controls: atHand });
    },
    "change:mode": () => choose(),
    "change:direction": () => choose(), // its own function, because `model.off` removes a listener by identity
    "change:step": () => player.follow(model.get("step")),
    "change:custom": () => player.set({ custom: model.get("custom") }),
    "change:scale": () => player.set({ scale: model.get("scale") }),
    "change:predict": () => player.predict(model.get("predict")),
    "change:error": () => player.error(model.get("error")),
  };
  for (const [event, listener] of Object.entries(listeners)) model.on(event, listener);
  return () => {
    clearTimeout(late);
    for (const [event, listener] of Object.entries(listeners)) model.off(event, listener);
    player.destroy();
  };
}

/** @param {{model: Model}} at */
const initialize = ({ model }) => announce(model, render);

export default { initialize, render };
