/**
 * The details of a player: everything a learner can do without at first, in a panel that opens and closes.
 *
 * @import { Details, State } from "./state.js"
 * @import { Say } from "./speech.js"
 * @import { Store } from "./store.js"
 */

import { costView } from "./cost.js";
import { html } from "./dom.js";
import { whenChanged } from "./store.js";

const KEPT = "autodiff-lab details"; // the key in localStorage: every player of this origin starts with it
const SPEEDS = [0.5, 1, 2, 4];

/** The details as the learner left them; {} if the page has no access to storage. @returns {Partial<Details>} */
function remembered() {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? "{}") ?? {};
  } catch {
    return {};
  }
}
/** @param {Partial<Details>} what */
function remember(what) {
  try {
    localStorage.setItem(KEPT, JSON.stringify({ ...remembered(), ...what }));
  } catch {
    // Without storage, the next player starts with the defaults.
  }
}

/**
 * The details in which a player starts.
 * @param {boolean} [open] whether the panel is open, if Python sets it
 * @returns {Details}
 */
export function detailsAsKept(open) {
  const kept = remembered();
  return {
    open: open ?? kept.open ?? false,
    names: kept.names ?? false,
    source: kept.source ?? true,
    speed: 1, // the speed is never remembered
  };
}

/**
 * The view of the details: the modes, the names on the tape, the source, the speed and the costs.
 * @param {Store<State>} store @param {Say} say
 * @param {HTMLElement} modes the element of the modes, which is put into the panel
 */
export function detailsView(store, say, modes) {
  /** @param {Partial<Details>} news */
  const change = (news) =>
    store.update((state) => ({ ...state, details: { ...state.details, ...news } }));
  /** @param {"names"|"source"} name */
  function box(name) {
    const input = html("input", { type: "checkbox", name, onchange: choose });
    function choose() {
      remember({ [name]: input.checked });
      change({ [name]: input.checked });
    }
    return input;
  }
  const names = box("names");
  const source = box("source");
  const speed = html(
    "select",
    {
      "aria-label": say("speed"),
      title: say("speed of play"),
      onchange: () => change({ speed: Number(speed.value) }),
    },
    SPEEDS.map((x) => html("option", { value: x, selected: x === 1 ? "" : null }, `${x}×`)),
  );
  const cost = costView(say);
  const labels = [
    [names, say("names on the tape")],
    [source, say("your function")],
    [say("speed"), speed],
  ].map((parts) => html("label", {}, parts));
  const element = html(
    "div",
    { class: "adl-details", role: "region", "aria-label": say("details") },
    html("div", { class: "adl-options" }, modes, labels),
    cost.element,
  );
  function turn() {
    const open = !store.get().details.open;
    remember({ open });
    change({ open });
  }
  const button = html(
    "button",
    {
      type: "button",
      class: "adl-more-button",
      "aria-label": say("details"),
      title: say("details hint"),
      onclick: turn,
    },
    "⋯",
  );
  const show = whenChanged(
    ({ details }) => [details],
    ({ details }) => {
      element.hidden = !details.open;
      button.setAttribute("aria-expanded", String(details.open));
      names.checked = details.names;
      source.checked = details.source;
    },
  );
  return {
    element,
    button,
    /** @param {State} state */
    render(state) {
      show(state);
      cost.render(state);
    },
  };
}
