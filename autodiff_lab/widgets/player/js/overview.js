import { html, roving } from "./dom.js";
import { phaseLengths, stepsOf } from "./trace.js";

const TICKS = 60; // turns that can still be told apart

/**
 * Where a line is recorded, or in the sweep first sends its adjoint: a step of the whole run. In a stretch of a long run
 * the steps of other stretches are not there; the sweep goes back through all lines, so it is told from how far back it is
 * in its chapter.
 * @param {Trace} trace @param {number} line of the whole run @param {boolean} back
 */
export function stepOfLine(trace, line, back) {
  if (!back) return line;
  if (!trace.excerpt) {
    const found = trace.steps.findIndex((step) => step.phase === "sweep" && step.line <= line);
    return found < 0 ? trace.lines.length : found;
  }
  const at = trace.chapters.findIndex(({ first, end }) => first <= line && line < end);
  const swept = trace.excerpt.swept[at];
  const { first, end } = trace.chapters[at];
  return Math.round(swept.first + ((swept.end - swept.first) * (end - 1 - line)) / (end - first));
}

/** The chapters in the order in which the player comes to them: forth, and then back. @param {Trace} trace */
export function chaptersOf(trace) {
  const { forward, sweep } = phaseLengths(trace);
  const chapters = trace.chapters.map((chapter) => ({ ...chapter, back: false }));
  return {
    chapters: [
      ...chapters,
      ...(sweep ? chapters.map((one) => ({ ...one, back: true })).reverse() : []),
    ],
    phase: forward ? "forward" : "record",
  };
}

/** The first line of the turn at a place of a chapter, 0 to 1 in the order of the steps. */
export function turnAt({ first, end, each, back }, share) {
  const line =
    first + Math.floor((end - first) * Math.min(0.999999, Math.max(0, back ? 1 - share : share)));
  return each ? line - ((line - first) % each) : first;
}

/** The whole run as a strip: what its loops and its source lines have written, and where we are. */
export function overviewView(say, go) {
  const strip = html("div", { class: "adl-strip" });
  const marker = html("i", { class: "adl-here", "aria-hidden": "true" });
  const element = html(
    "div",
    { class: "adl-overview", role: "group", "aria-label": say("overview"), hidden: "" },
    html("span", {}, say("overview")),
    html("div", { class: "adl-strip-body" }, strip, marker),
  );
  let trace,
    buttons = [],
    at = -1;
  const stops = roving(strip, () => buttons.map(({ node }) => node));

  /** The step that shows the first operation of a turn; on the way back, the last one. */
  const target = ({ back, each, end }, line) =>
    stepOfLine(trace, back ? (each ? line + each - 1 : end - 1) : line, back);
  function button(chapter, phase) {
    const { title, first, end, turns, each, back } = chapter;
    const inputs = trace.chapters[0].first;
    const shown = turns ? `${title} ×${turns}` : title; // what is seen is a part of what is said
    let said = say("chapter", {
      phase: say(`segment ${back ? "sweep" : phase}`),
      title: shown,
      first: first - inputs + 1,
      last: end - inputs,
    });
    if (turns) said = say("chapter of turns", { chapter: said, n: turns });
    const node = html(
      "button",
      {
        type: "button",
        onclick: jump,
        onkeydown: turn,
        class: `${back ? "is-back" : ""}${each && turns <= TICKS ? " has-turns" : ""}`,
        style: `flex-grow: ${end - first}; --adl-turns: ${turns}`,
        "aria-label": said,
        title: each ? say("next turn", { chapter: said }) : said,
      },
      html("span", {}, title, turns > 0 && html("b", {}, ` ×${turns}`)),
    );
    function jump(event) {
      const { left, width } = node.getBoundingClientRect();
      go(target(chapter, turnAt(chapter, event.detail ? (event.clientX - left) / width : 0))); // a key has no place: the beginning
    }
    const starts = Array.from({ length: each ? turns : 1 }, (_, k) =>
      target(chapter, back && each ? end - (k + 1) * each : first + k * each),
    );
    function turn(event) {
      const step = {
        PageDown: starts.find((start) => start > at),
        PageUp: starts.findLast((start) => start < at),
      }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      go(step);
    }
    const last = stepOfLine(trace, back ? first : end - 1, back);
    return { node, chapter, from: starts[0], last };
  }
  function build() {
    const { chapters, phase } = chaptersOf(trace);
    element.hidden = !chapters.length;
    buttons = chapters.map((chapter) => button(chapter, phase));
    // A line is recorded in one step, and sends as many contributions as it has operands.
    buttons.forEach(
      ({ node, chapter, from }, k) =>
        chapter.back &&
        (node.style.flexGrow = Math.max(1, (buttons[k + 1]?.from ?? stepsOf(trace)) - from)),
    );
    const middle = buttons.findIndex(({ chapter }) => chapter.back);
    const gap = (steps) => html("i", { style: `flex-grow: ${steps}` });
    const nodes = buttons.map(({ node }) => node);
    strip.replaceChildren(
      gap(trace.chapters[0]?.first ?? 0),
      ...(middle < 0 ? nodes : [...nodes.slice(0, middle), gap(1), ...nodes.slice(middle)]),
    );
    stops.renew();
  }
  return {
    element,
    load(next) {
      // The stretches of one run share one strip: it stays, and the focus in it, when another is shown.
      const same =
        trace?.excerpt &&
        next.excerpt &&
        JSON.stringify([trace.chapters, stepsOf(trace)]) ===
          JSON.stringify([next.chapters, stepsOf(next)]);
      trace = next;
      if (!same) build();
      const steps = stepsOf(trace);
      strip.parentElement.querySelectorAll(".adl-window").forEach((node) => node.remove());
      for (const { first, last, at: from } of trace.excerpt?.parts ?? [])
        strip.after(
          html("i", {
            class: "adl-window",
            "aria-hidden": "true",
            style: `left: ${(100 * from) / steps}%; width: ${(100 * (last - first + 1)) / steps}%`,
          }),
        );
    },
    update(step) {
      at = step;
      if (element.hidden) return;
      const steps = stepsOf(trace);
      marker.style.left = `${(100 * (step + 1)) / steps}%`;
      for (const { node, from, last } of buttons) {
        const here = from <= step && step <= last;
        if (here !== node.hasAttribute("aria-current"))
          here ? node.setAttribute("aria-current", "step") : node.removeAttribute("aria-current");
      }
    },
  };
}
