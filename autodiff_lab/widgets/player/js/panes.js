import { html } from "./dom.js";
import { graphView } from "./graph/pane.js";
import { sourceView } from "./source_pane.js";
import { stretchesOf } from "./state.js";
import { tapeView } from "./tape_pane.js";

/** The three panes of a trace, as their views and as the sections that hold them. */
export function panesOf(trace, layout, host, prefix, whole) {
  const { say } = trace;
  function section(name, title, hint, view) {
    view.element.setAttribute("data-lm-suppress-shortcuts", "true");
    view.element.classList.add("adl-scroll");
    const body = view.signs ? html("div", { class: "adl-signed" }, view.element, ...view.signs) : view.element;
    const faulty = trace.fault ? [html("strong", { class: "adl-faulty", title: say("this engine", { badge: trace.badge }) }, say("faulty"))] : [];
    return html("div", { class: `adl-pane adl-pane-${name}`, role: "region", "aria-label": title }, // a <section> would be a slide of reveal.js
                html("div", { class: "adl-pane-title" }, title, ...faulty, ...(hint ? [typeof hint === "string" ? html("span", {}, hint) : hint] : []), ...(view.tools ? [view.tools] : [])), body);
  }
  const [source, graph, tape] = [sourceView(trace, host), graphView(trace, layout, host, prefix, whole), tapeView(trace, host)];
  const inner = stretchesOf(trace).some(({ stretch }) => stretch);
  const how = say(trace.fault ? "graph faulty" : `graph ${trace.mode}`);
  const on = trace.lines.some(({ value }) => value.shape?.length) ? say("graph shapes", { how }) : how;
  return { graph, views: [source, graph, tape],
           sections: [section("source", say(trace.sources.length > 1 ? "your functions" : "your function"), "", source),
                      section("graph", say("graph"), [whole ? say("graph whole", { said: trace.excerpt.said }) : (inner ? say("graph inner", { how: on }) : on), layout.note].filter(Boolean).join(say("sentence gap")), graph), section("tape", say("tape"), tape.note, tape)] };
}

const GROWS = 340; // pixels for a graph whose groups open

/** How tall the panes are, in pixels. They come from the content once, so that the player keeps its shape while stepping. */
export function heightsOf(trace, layout, whole) {
  const rows = trace.sources.reduce((n, source) => n + source.text.length + (trace.sources.length > 1 ? 1.6 : 0), 0);
  const signs = trace.note ? trace.note.length * (trace.lang === "zh" ? 2 : 1) : 0; // of which 40 at most stand in a row
  const note = signs ? Math.ceil(signs / 34) * 24 + 16 : 0;
  return { source: Math.round(rows * 24 + 62 + note), graph: Math.round(Math.max((whole ?? layout).height, layout.groups ? GROWS : 0) + 74), tape: (trace.lines.length + stretchesOf(trace).length - 1) * 29 + 92 };
}
