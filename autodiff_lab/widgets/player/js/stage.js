import { compose } from "./compose.js";
import { html } from "./dom.js";

const [LOW, HIGH, LEAST_PANES] = [400, 860, 220]; // pixels, of a player that has the window for itself, and of its panes
const AROUND = { notebook: 150, page: 26 }; // pixels that a window has for other things
const ROW_HEIGHT = { source: 22, tape: 27 }; // pixels of a row, at the normal size
const BEGIN = 84; // pixels of the button on the picture

/**
 * The player as it stands on the page: its parts from the top to the bottom, and how much room each has.
 * @param {Object<string, {element: HTMLElement}>} parts
 */
export function stageOf({ transport, details, inputs, words, predict, overview, arrays }) {
  const title = html("div", { class: "adl-title" });
  const bar = html("div", { class: "adl-bar" }, title, transport.element, details.button);
  const banner = html("div", { class: "adl-error", role: "status", hidden: "" });
  const held = html("div", { class: "adl-warning adl-held", role: "status", hidden: "" });
  const warning = html("div", { class: "adl-warning", role: "note" });
  const panes = html("div", { class: "adl-panes" });
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
    panes,
    words.element,
    predict.element,
    overview.element,
    arrays.element,
  );
  const pane = (name, title, body) =>
    html("div", { class: `adl-pane adl-pane-${name}`, role: "region", "aria-label": title }, body); // a <section> would be a slide of reveal.js
  let shown = null; // the panes

  return {
    root,
    banner,
    held,
    /** Puts other panes in their place, and says what they are about. */
    load(trace, { source, graph, tape }, caption) {
      const { say } = trace;
      const frame = html(
        "div",
        { class: "adl-graph-frame" },
        graph.element,
        ...graph.signs,
        graph.tools,
        ...(caption ? [html("span", { class: "adl-caption" }, caption)] : []),
        transport.begin,
      );
      panes.replaceChildren(
        pane("graph", say("graph"), frame),
        pane(
          "source",
          say(trace.sources.length > 1 ? "your functions" : "your function"),
          source.element,
        ),
        pane("tape", say("tape"), tape.element),
      );
      shown = { source, graph, tape };
      for (const { element } of Object.values(shown)) {
        element.setAttribute("data-lm-suppress-shortcuts", "true");
        element.classList.add("adl-scroll");
      }
      title.textContent = trace.engine ? say("run by", trace) : trace.title;
      warning.hidden = !trace.fault;
      warning.textContent = trace.warning ?? "";
      root.classList.toggle("is-faulty", Boolean(trace.fault));
      root.setAttribute(
        "aria-label",
        say(trace.fault ? "faulty player" : "player", { title: trace.title, badge: trace.badge }),
      );
    },
    /** Gives graph, source and tape their room. @returns {boolean} whether there is any */
    arrange() {
      if (!shown || !root.isConnected || !root.clientWidth) return false;
      const { source, graph, tape } = shown;
      root.classList.toggle("has-names", details.names);
      root.classList.toggle("has-no-source", !details.source);
      const unit = parseFloat(getComputedStyle(panes).fontSize) / 14;
      const around =
        parseFloat(getComputedStyle(root).getPropertyValue("--adl-around")) ||
        (root.closest(".jp-Notebook") ? AROUND.notebook : AROUND.page);
      const fold = root.matches(".adl-lecture") ? [details.element] : []; // on a slide nobody scrolls
      const others = [
        bar,
        ...fold,
        inputs.element,
        warning,
        words.element,
        predict.element,
        overview.element,
      ].reduce((sum, one) => sum + one.offsetHeight, 4); // with the border, and what is rounded
      const height = Math.max(
        LEAST_PANES,
        Math.min(HIGH * unit, Math.max(LOW, innerHeight - around)) - others,
      );
      const {
        where,
        height: all,
        side,
        lower,
        room,
      } = compose({
        width: root.clientWidth,
        height,
        unit,
        best: graph.best,
        source: details.source ? source.rows * ROW_HEIGHT.source * unit + 20 : 0,
        tape: tape.rows * ROW_HEIGHT.tape * unit + 12,
      });
      root.dataset.where = where;
      for (const [name, pixels] of Object.entries({
        panes: all,
        side,
        lower,
        graph: room.height + 16,
      }))
        root.style.setProperty(`--adl-${name}`, `${pixels}px`);
      graph.place(room);
      transport.placeBegin(graph.freeSpot(BEGIN));
      tape.fit();
      words.fit();
      return true;
    },
  };
}
