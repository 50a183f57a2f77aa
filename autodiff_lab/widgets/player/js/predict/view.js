/**
 * The view of the questions: the switch, the open question, and the score.
 *
 * @import { Actions } from "../actions.js"
 * @import { State } from "../state.js"
 * @import { Say } from "../speech.js"
 * @import { Store } from "../store.js"
 */

import { html, put } from "../dom.js";
import { runAt } from "../state.js";
import { whenChanged } from "../store.js";
import { hasQuestions, left } from "./questions.js";

const KINDS = ["all", "value", "partial", "adjoint", "tangent"];

/** @param {Store<State>} store @param {Actions} actions @param {Say} say */
export function predictView(store, actions, say) {
  const toggle = html(
    "button",
    {
      type: "button",
      class: "adl-predict",
      "aria-pressed": "false",
      title: say("foresee"),
      onclick: () => actions.togglePredict(),
    },
    say("predict"),
  );
  const ask = html("span", { class: "adl-question" });
  const input = html("input", {
    type: "text",
    inputmode: "text",
    autocomplete: "off",
    spellcheck: "false",
    "aria-label": say("your answer"),
    title: say("pick a number"),
    onkeydown: enter,
  });
  const check = html("button", { type: "submit" }, say("check"));
  const reveal = html(
    "button",
    { type: "button", onclick: () => actions.revealAnswer() },
    say("reveal"),
  );
  const form = html("form", { class: "adl-answer", onsubmit: answer }, ask, input, check, reveal);
  const said = html("p", { class: "adl-said", role: "status" });
  const kinds = html(
    "select",
    { "aria-label": say("ask for menu"), onchange: choose },
    KINDS.map((value) => html("option", { value }, say(`ask ${value}`))),
  );
  const points = html("span", { class: "adl-score" });
  const side = html(
    "div",
    { class: "adl-ask-side" },
    html("label", {}, say("ask for"), kinds),
    points,
  );
  const element = html(
    "div",
    { class: "adl-ask", role: "region", "aria-label": say("predict"), hidden: "" },
    form,
    said,
    side,
  );

  /** @param {KeyboardEvent} event */
  function enter(event) {
    if (event.key !== "Enter") return;
    event.stopPropagation();
    answer(event); // JupyterLab prevents this key from submitting forms
  }
  /** @param {Event} event */
  function answer(event) {
    event.preventDefault();
    const { value } = input;
    input.select();
    actions.answer(value);
  }
  function choose() {
    const kind = kinds.value;
    store.update((state) => ({ ...state, prediction: { ...left(state.prediction), kind } }));
  }

  const offer = whenChanged(
    (state) => [runAt(state)],
    (state) => {
      const { trace } = runAt(state);
      const isPossible = hasQuestions(trace);
      toggle.disabled = !isPossible;
      toggle.title = say(isPossible ? "foresee" : "no questions");
      for (const option of kinds.options) option.hidden = !hasQuestions(trace, option.value);
      kinds.options[0].hidden = false;
    },
  );

  /** @type {State["prediction"]["pending"]} */
  let open = null; // the question that is written
  let picked = ""; // the number picked on the graph that is written
  const write = whenChanged(
    ({ prediction }) => [prediction],
    (state) => {
      const { on, isRefused, pending, score } = state.prediction;
      toggle.setAttribute("aria-pressed", String(on));
      element.hidden = !on && !isRefused;
      form.hidden = isRefused;
      side.hidden = isRefused;
      put(said, state.prediction.said.text);
      said.dataset.look = state.prediction.said.look;
      form.classList.toggle("is-idle", !pending);
      for (const control of [input, check, reveal]) control.disabled = !pending;
      put(ask, pending ? pending.question.ask.replace(/\?$/, "") : say("step to be asked"));
      const { right, asked } = score;
      put(points, asked ? say("score", { right, asked }) : say("no answers"));
      if (pending && pending !== open) {
        if (pending.question !== open?.question || pending.step !== open.step) {
          input.value = "";
          input.setAttribute("aria-label", pending.question.ask);
        }
        input.focus();
      }
      open = pending;
      if (state.prediction.picked && state.prediction.picked !== picked) {
        input.value = state.prediction.picked;
        input.focus();
      }
      picked = state.prediction.picked;
    },
  );

  return {
    toggle,
    element,
    /** @param {State} state */
    render(state) {
      offer(state);
      write(state);
    },
  };
}
