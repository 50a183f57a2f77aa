/**
 * The details of a player: all that one can do without, in a fold.
 *
 * @import { Details, State } from "./state.js"
 * @import { Say } from "./speech.js"
 * @import { Store } from "./store.js"
 */

import { costView } from "./cost.js";
import { html } from "./dom.js";
import { whenChanged } from "./store.js";

const KEPT = "autodiff-lab details"; // what is open stays open, on this page and on the next
const SPEEDS = [0.5, 1, 2, 4];

/** What the learner had open last; a page may not let us remember. @returns {Partial<Details>} */
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
    // Then it is asked for again.
  }
}

/**
 * The details as a player begins with them.
 * @param {boolean} [open] what Python says
 * @returns {Details}
 */
export function detailsAsKept(open) {
  const kept = remembered();
  return {
    open: open ?? kept.open ?? false,
    names: kept.names ?? false,
    source: kept.source ?? true,
    speed: 1, // each run begins at the usual speed
  };
}

/**
 * The fold: the other modes, the names on the tape, the source, speed, costs.
 * @param {Store<State>} store @param {Say} say
 * @param {HTMLElement} modes stands in it
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
  const [names, source] = [box("names"), box("source")];
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
