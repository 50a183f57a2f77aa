/**
 * The switch between reverse mode, forward mode and both, with the menu of directions.
 *
 * @import { Say } from "./speech.js"
 * @import { Mode } from "./trace.js"
 */

import { html } from "./dom.js";
import { throttle } from "./inputs.js";
import { directionAt, runAt } from "./state.js";
import { whenChanged } from "./store.js";

/** @type {Mode[]} */
const MODES = ["reverse", "forward", "both"];
const SEND_INTERVAL_MS = 60; // the rates are sent at most this often while the learner types

/**
 * The switch between the modes and the menu of directions.
 * @param {string} group a name that no other player has
 * @param {Say} say
 * @param {(mode: Mode, direction: string) => void} onChoose
 * @param {((rates: number[]) => void)|undefined} onCustom given if Python can run the learner's own direction
 */
export function modesView(group, say, onChoose, onCustom) {
  const radios = MODES.map((value) => {
    const radio = html("input", {
      type: "radio",
      name: `${group}-mode`,
      value,
      onchange: () => onChoose(value, select.value),
    });
    return { value, radio, node: html("label", {}, radio, html("span", {}, say(`mode ${value}`))) };
  });
  const select = html("select", {
    "aria-label": say("direction menu"),
    title: say("where the inputs move"),
    onchange: turn,
  });
  const rates = html("span", { class: "adl-rates" });
  const menu = html(
    "label",
    { class: "adl-direction" },
    html("span", {}, say("direction")),
    select,
    rates,
  );
  const element = html(
    "div",
    { class: "adl-modes" },
    html(
      "div",
      { class: "adl-switch", role: "radiogroup", "aria-label": say("mode") },
      ...radios.map(({ node }) => node),
    ),
    menu,
  );
  /** @type {HTMLInputElement[]} */
  let inputs = [];
  const sendValues = throttle((/** @type {HTMLInputElement[]} */ inputs) => {
    const values = inputs.map(({ valueAsNumber }) => valueAsNumber);
    const isComplete = values.length > 0 && values.every(Number.isFinite); // not while a number is half typed
    if (isComplete) onCustom?.(values);
  }, SEND_INTERVAL_MS);
  const send = () => sendValues(inputs);
  function turn() {
    const isOwn = select.selectedOptions[0]?.dataset.open; // "your own…", which Python hasn't run yet
    if (isOwn) {
      rates.hidden = false;
      send();
      return;
    }
    const chosen = radios.find(({ radio }) => radio.checked);
    onChoose(chosen?.value ?? "reverse", select.value);
  }
  return {
    element,
    render: whenChanged(
      (state) => [runAt(state), state.controls, state.custom],
      (state) => {
        const { runs, trace } = runAt(state);
        const { forward } = runs;
        const { custom, payload } = state;
        const direction = directionAt(state);
        const whyNotForward = payload.no_forward ?? "";
        const names = state.controls.map(({ name }) => name);
        element.hidden = !Object.keys(forward).length && !whyNotForward;
        for (const { value, radio, node } of radios) {
          radio.checked = value === trace.mode;
          radio.disabled = value !== "reverse" && Boolean(whyNotForward);
          node.title = radio.disabled ? whyNotForward : "";
        }
        const options = Object.entries(forward).map(([name, { directions }]) =>
          html(
            "option",
            { value: name, selected: name === direction ? "" : null },
            directions.length > 1 ? say("each input at once") : directions[0].shown,
          ),
        );
        const offersCustom = Boolean(onCustom) && names.length > 0 && !forward.custom;
        if (offersCustom)
          options.push(html("option", { value: "custom", "data-open": "true" }, say("your own")));
        select.replaceChildren(...options);
        menu.hidden = trace.mode === "reverse";
        rates.hidden = direction !== "custom" || !onCustom;
        if (inputs.length !== names.length) {
          inputs = names.map((name, k) =>
            html("input", {
              type: "number",
              step: "any",
              value: custom[k] ?? 1,
              "aria-label": say("rate of", { name }),
              title: say("how fast it moves", { name }),
              oninput: send,
            }),
          );
          rates.replaceChildren(...(onCustom ? inputs : []));
        }
        custom.forEach((rate, k) => {
          if (inputs[k] && inputs[k] !== document.activeElement) inputs[k].value = String(rate);
        });
      },
    ),
  };
}
