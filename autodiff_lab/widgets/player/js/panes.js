/**
 * The three panes of a player: graph, source and tape. They are rebuilt for each run.
 *
 * @import { Actions } from "./actions.js"
 * @import { ShownRun, State } from "./state.js"
 * @import { Store } from "./store.js"
 */

import { html } from "./dom.js";
import { graphView } from "./graph/pane.js";
import { momentOf, runAt } from "./state.js";
import { sourceView } from "./source_pane.js";
import { tapeView } from "./tape_pane.js";

/**
 * @typedef {object} Panes
 * @property {ShownRun} run
 * @property {ReturnType<typeof sourceView>} source
 * @property {ReturnType<typeof graphView>} graph
 * @property {ReturnType<typeof tapeView>} tape
 */

/**
 * @param {Store<State>} store @param {Actions} actions
 * @param {string} prefix makes ids unique among the players of the page
 * @param {HTMLElement} begin the button on the picture
 */
export function panesView(store, actions, prefix, begin) {
  const element = html("div", { class: "adl-panes" });
  /** @type {Panes|null} */
  let panes = null;
  /** @type {{left: number, top: number}[]|null} */
  let places = null; // the scroll positions of the panes that were replaced

  /** @param {Panes} panes */
  const all = ({ source, graph, tape }) => [source, graph, tape];

  /** @param {ShownRun} run @returns {Panes} */
  function build(run) {
    const { trace, layouts, whole } = run;
    const { say } = trace;
    const built = {
      run,
      source: sourceView(run, store, actions),
      graph: graphView(run, store, actions, prefix),
      tape: tapeView(run, actions),
    };
    for (const { element } of all(built)) {
      element.setAttribute("data-lm-suppress-shortcuts", "true");
      element.classList.add("adl-scroll");
    }
    const notes = [whole ? say("graph whole", { said: trace.excerpt?.said ?? "" }) : ""];
    notes.push(layouts[0].note ?? "");
    const caption = notes.filter(Boolean).join(say("sentence gap"));
    const { graph } = built;
    const frame = html(
      "div",
      { class: "adl-graph-frame" },
      graph.element,
      graph.signs,
      graph.tools,
      graph.curve,
      caption && html("span", { class: "adl-caption" }, caption),
      begin,
    );
    const sourceTitle = say(trace.sources.length > 1 ? "your functions" : "your function");
    element.replaceChildren(
      pane("graph", say("graph"), frame),
      pane("source", sourceTitle, built.source.element),
      pane("tape", say("tape"), built.tape.element),
    );
    return built;
  }

  /** The scroll positions of the panes. @param {Panes|null} panes */
  const placesOf = (panes) =>
    panes &&
    all(panes).map(({ element }) => ({ left: element.scrollLeft, top: element.scrollTop }));

  return {
    element,
    /** @returns {Panes} */
    get shown() {
      if (!panes) throw new Error("There are no panes yet: render a state first.");
      return panes;
    },
    /** @param {State} state */
    render(state) {
      const run = runAt(state);
      if (panes?.run !== run) {
        const before = panes?.run.trace.excerpt?.number;
        const isOther = before !== undefined && before !== run.trace.excerpt?.number;
        places = isOther ? null : placesOf(panes); // another excerpt has a different picture
        panes = build(run);
      }
      for (const one of all(panes)) one.render(state);
    },
    /** Scrolls new panes to the positions of those they replaced. */
    restorePlaces() {
      if (panes && places)
        for (const [k, { element }] of all(panes).entries())
          element.scrollTo({ ...places[k], behavior: "instant" });
      places = null;
    },
    /** Keeps the step that is shown in view. @param {State} state @param {boolean} [smooth] */
    follow(state, smooth = false) {
      const { s } = momentOf(state);
      const step = runAt(state).trace.steps[s];
      if (step && panes) for (const one of all(panes)) one.follow(step, smooth, s);
    },
  };
}

/** @param {string} name @param {string} title @param {HTMLElement} body */
const pane = (name, title, body) =>
  html("div", { class: `adl-pane adl-pane-${name}`, role: "region", "aria-label": title }, body); // a <section> would be a slide of reveal.js
