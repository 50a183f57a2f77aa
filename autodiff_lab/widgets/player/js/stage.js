/**
 * The layout of the player: its parts from top to bottom, and how much space each gets.
 *
 * @import { State } from "./state.js"
 * @import { Say } from "./speech.js"
 */

import { compose } from "./compose.js";
import { html, set } from "./dom.js";
import { momentOf, traceAt } from "./state.js";
import { whenChanged } from "./store.js";

// All in pixels.
const MIN_AVAILABLE = 400; // height that the player assumes, however low the window is
const MAX_HEIGHT = 860;
const MIN_PANES = 220; // height of the panes
const AROUND = { notebook: 150, page: 26 }; // height of the window that other things take up
const ROW_HEIGHT = { source: 22, tape: 27 }; // at the normal font size
const BEGIN_SIZE = 84; // of the start button on the picture

/**
 * @typedef {object} Parts
 * @property {ReturnType<typeof import("./transport.js").transportView>} transport
 * @property {ReturnType<typeof import("./details.js").detailsView>} details
 * @property {ReturnType<typeof import("./panes.js").panesView>} panes
 * @property {ReturnType<typeof import("./words.js").wordsView>} words
 * @property {{element: HTMLElement}} inputs
 * @property {{element: HTMLElement, toggle: HTMLElement}} predict
 * @property {{element: HTMLElement}} overview
 * @property {{element: HTMLElement}} arrays
 */

/** @param {Parts} parts @param {Say} say */
export function stageView(
  { transport, details, inputs, words, predict, overview, arrays, panes },
  say,
) {
  const title = html("div", { class: "adl-title" });
  const buttons = html("div", { class: "adl-bar-end" }, predict.toggle, details.button);
  const bar = html("div", { class: "adl-bar" }, title, transport.element, buttons);
  const banner = html("div", { class: "adl-error", role: "status", hidden: "" });
  const held = html("div", { class: "adl-warning adl-held", role: "status", hidden: "" });
  const warning = html("div", { class: "adl-warning", role: "note" });
  const root = html(
    "div",
    {
      class: "adl-player",
      role: "group",
      tabindex: 0,
      "data-prevent-swipe": "",
      "aria-keyshortcuts": "ArrowLeft ArrowRight PageUp PageDown Space Home End",
    },
    bar,
    details.element,
    inputs.element,
    banner,
    held,
    warning,
    panes.element,
    words.element,
    predict.element,
    overview.element,
    arrays.element,
  );

  /** @param {string} name of a data attribute @param {boolean} on */
  function flag(name, on) {
    if (on) root.dataset[name] = "true";
    else delete root.dataset[name];
  }
  /** Writes the run's title and warning. */
  const name = whenChanged(
    (state) => [traceAt(state)],
    (state) => {
      const trace = traceAt(state);
      const { engine } = trace;
      const ran = engine ? html("small", { class: "adl-engine" }, say("run by", { engine })) : "";
      title.replaceChildren(trace.title, ran);
      set(title, "title", trace.title);
      warning.hidden = !trace.warning;
      warning.textContent = trace.warning;
      warning.classList.toggle("is-raised", Boolean(trace.raised));
      root.classList.toggle("is-faulty", Boolean(trace.fault));
      root.dataset.mode = trace.mode;
      const label = trace.fault ? "faulty player" : "player";
      root.setAttribute("aria-label", say(label, { title: trace.title, badge: trace.badge }));
    },
  );
  /** Puts the step and its phase into data attributes. */
  const mark = whenChanged(
    (state) => [traceAt(state), state.step],
    (state) => {
      const { at, step } = momentOf(state);
      root.dataset.phase = step ? step.phase : "start";
      root.dataset.step = String(at);
    },
  );
  const flags = whenChanged(
    (state) => [state.isPlaying, momentOf(state).u < 1, state.prediction.on],
    (state) => {
      flag("playing", state.isPlaying);
      flag("moving", momentOf(state).u < 1);
      root.classList.toggle("is-predicting", state.prediction.on);
    },
  );
  const complain = whenChanged(
    ({ notice, error }) => [notice, error],
    ({ notice, error }) => {
      held.hidden = !notice;
      held.textContent = notice;
      banner.hidden = !error;
      const message = [html("strong", {}, say("not recorded inputs")), html("pre", {}, error)];
      banner.replaceChildren(...(error ? message : []));
    },
  );

  return {
    root,
    /** @param {State} state */
    render(state) {
      name(state);
      mark(state);
      flags(state);
      complain(state);
    },
    /** Lays out the parts. @param {State} state @returns {boolean} whether the player is visible */
    arrange(state) {
      // A page can have all of its players in lecture size: slides, or a notebook on a projector.
      const ofPage = getComputedStyle(root).getPropertyValue("--adl-scale").trim();
      root.classList.toggle("adl-lecture", state.scale === "lecture" || ofPage === "lecture");
      if (!root.isConnected || !root.clientWidth) return false;
      const { source, graph, tape } = panes.shown;
      root.classList.toggle("has-names", state.details.names);
      root.classList.toggle("has-no-source", !state.details.source);
      const unit = parseFloat(getComputedStyle(panes.element).fontSize) / 14;
      const usual = root.closest(".jp-Notebook") ? AROUND.notebook : AROUND.page;
      const given = parseFloat(getComputedStyle(root).getPropertyValue("--adl-around"));
      const around = given || usual;
      const fold = root.matches(".adl-lecture") ? [details.element] : []; // a slide doesn't scroll
      const others = [
        bar,
        ...fold,
        inputs.element,
        warning,
        words.element,
        predict.element,
        overview.element,
      ];
      const taken = others.reduce((sum, one) => sum + one.offsetHeight, 4); // 4 for the border and rounding
      const available = Math.max(MIN_AVAILABLE, innerHeight - around);
      const height = Math.max(MIN_PANES, Math.min(MAX_HEIGHT * unit, available) - taken);
      const composed = compose({
        width: root.clientWidth,
        height,
        unit,
        best: graph.best,
        source: state.details.source ? source.rows * ROW_HEIGHT.source * unit + 20 : 0,
        tape: tape.rows * ROW_HEIGHT.tape * unit + 12,
      });
      const sizes = {
        panes: composed.height,
        side: composed.side,
        lower: composed.lower,
        graph: composed.room.height + 16,
      };
      root.dataset.where = composed.where;
      for (const [name, pixels] of Object.entries(sizes))
        root.style.setProperty(`--adl-${name}`, `${pixels}px`);
      graph.place(composed.room);
      transport.placeBegin(graph.freeSpot(BEGIN_SIZE));
      tape.fit();
      words.fit();
      return true;
    },
  };
}
