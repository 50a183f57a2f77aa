import { announce } from "../../live.js";
import { throttle } from "./inputs.js";
import { mount } from "./mount.js";

const PATIENCE = 2000; // milliseconds until the player says that nobody answers

function render({ model, el }) {
  // While a change waits to be sent, the echo of an older one may still write to the model; so it waits out here.
  let waiting = null;
  const inputs = () => waiting ?? model.get("inputs");
  const send = throttle((values) => {
    waiting = null;
    model.set("inputs", values);
    model.save_changes();
    clearTimeout(late);
    late = setTimeout(() => player.error(model.get("payload").words["nobody answers"]), PATIENCE);
  }, 60);
  let late = 0;
  const payload = () => ({ ...model.get("payload"), ...model.get("beside") });
  const write = (name, value) => {
    model.set(name, value);
    model.save_changes();
  };
  const player = mount(el, payload(), {
    step: model.get("step"),
    controls: model.get("controls"),
    mode: model.get("mode"),
    direction: model.get("direction"),
    custom: model.get("custom"),
    predict: model.get("predict"),
    details: model.get("details") || undefined, // else as the reader had it last
    scale: model.get("scale"),
    score: model.get("score"),
    onPredict: (on) => write("predict", on),
    onScore: (score) => write("score", score),
    onStep(s) {
      if (model.get("step") === s) return;
      model.set("step", s);
      model.save_changes();
    },
    onMode(mode, direction) {
      if (model.get("mode") === mode && model.get("direction") === direction) return;
      model.set({ mode, direction });
      model.save_changes();
    },
    onCustom: (rates) => write("custom", rates),
    onInputs({ index, value }) {
      waiting = inputs().map((old, k) => (k === index ? value : old));
      send(waiting);
    },
  });
  player.error(model.get("error"));
  const listeners = {
    "change:payload": () => player.update(payload()),
    // An answer may be older than the slider: the hand that moves it is right.
    "change:controls": () => {
      clearTimeout(late);
      player.error(model.get("error"));
      player.controls(model.get("controls").map((c, k) => {
        const value = inputs()[k];
        return { ...c, value, text: value === c.value ? c.text : undefined };
      }));
    },
    "change:error": () => player.error(model.get("error")),
    "change:mode": () => player.choose(model.get("mode"), model.get("direction")),
    "change:direction": () => player.choose(model.get("mode"), model.get("direction")),
    "change:custom": () => player.custom(model.get("custom")),
    "change:predict": () => player.predict(model.get("predict")),
    "change:scale": () => player.scale(model.get("scale")),
    "change:step": () => player.follow(model.get("step")),
  };
  for (const [event, listener] of Object.entries(listeners)) model.on(event, listener);
  return () => {
    clearTimeout(late);
    for (const [event, listener] of Object.entries(listeners)) model.off(event, listener);
    player.destroy();
  };
}

export default { initialize: ({ model }) => announce(model, render), render };
