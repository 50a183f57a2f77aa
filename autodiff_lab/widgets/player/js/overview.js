/**
 * The overview of a run: a strip under the panes.
 *
 * @import { Actions } from "./actions.js"
 * @import { Chapter } from "./chapters.js"
 * @import { State } from "./state.js"
 * @import { Say } from "./speech.js"
 * @import { ShownTrace as Trace } from "./trace.js"
 */

import { chaptersOf, stepOfLine, turnAt } from "./chapters.js";
import { classNames, html, roving } from "./dom.js";
import { stopOf, traceAt } from "./state.js";
import { whenChanged } from "./store.js";
import { stepsOf } from "./trace.js";

const TICKS = 60; // turns that can still be told apart

/**
 * @typedef {{node: HTMLElement, chapter: Chapter, from: number, last: number}} ChapterButton with
 *   the first and last step of its chapter
 */

/** Whether two traces are excerpts of the same long run. @param {Trace} one @param {Trace} other */
function areOfOneRun(one, other) {
  if (!one.excerpt || !other.excerpt) return false;
  /** @param {Trace} trace */
  const keyOf = (trace) => JSON.stringify([trace.chapters, stepsOf(trace)]);
  return keyOf(one) === keyOf(other);
}

/**
 * The whole run as a strip: a button for each chapter (a loop, or a range of source lines), and a marker of the step.
 * @param {Actions} actions @param {Say} say
 */
export function overviewView({ go }, say) {
  const strip = html("div", { class: "adl-strip" });
  const marker = html("i", { class: "adl-here", "aria-hidden": "true" });
  const element = html(
    "div",
    { class: "adl-overview", role: "group", "aria-label": say("overview"), hidden: "" },
    html("span", {}, say("overview")),
    html("div", { class: "adl-strip-body" }, strip, marker),
  );
  /** @type {Trace|null} */
  let trace = null;
  /** @type {ChapterButton[]} */
  let buttons = [];
  let at = -1;
  const stops = roving(strip, () => buttons.map(({ node }) => node));

  /**
   * The step that shows the first operation of a turn; on the way back, the last one.
   * @param {Trace} trace @param {Chapter} chapter @param {number} line
   */
  function target(trace, { back, each, end }, line) {
    const last = each ? line + each - 1 : end - 1;
    return stepOfLine(trace, back ? last : line, back);
  }
  /**
   * @param {Trace} trace @param {Chapter} chapter @param {string} phase
   * @returns {ChapterButton}
   */
  function button(trace, chapter, phase) {
    const { title, first, end, turns, each, back } = chapter;
    const inputs = trace.chapters[0].first;
    const shown = turns ? `${title} ×${turns}` : title; // the visible text must be part of the label
    const hasTicks = each > 0 && turns <= TICKS;
    let said = say("chapter", {
      phase: say(`segment ${back ? "sweep" : phase}`),
      title: shown,
      first: first - inputs + 1,
      last: end - inputs,
    });
    if (turns) said = say("chapter of iterations", { chapter: said, n: turns });
    const node = html(
      "button",
      {
        type: "button",
        onclick: jump,
        onkeydown: turn,
        class: classNames(back && "is-back", hasTicks && "has-turns"),
        style: `flex-grow: ${end - first}; --adl-turns: ${turns}`,
        "aria-label": said,
        title: each ? say("next iteration", { chapter: said }) : said,
      },
      html("span", {}, title, turns > 0 && html("b", {}, ` ×${turns}`)),
    );
    /** @param {MouseEvent} event */
    function jump(event) {
      const { left, width } = node.getBoundingClientRect();
      const share = event.detail ? (event.clientX - left) / width : 0; // pressed by a key: go to the beginning
      go(target(trace, chapter, turnAt(chapter, share)));
    }
    /** The first line of an iteration, in the order of the steps. @param {number} k */
    const startOf = (k) => (back && each ? end - (k + 1) * each : first + k * each);
    const starts = Array.from({ length: each ? turns : 1 }, (_, k) =>
      target(trace, chapter, startOf(k)),
    );
    /** @param {KeyboardEvent} event */
    function turn(event) {
      let step;
      if (event.key === "PageDown") step = starts.find((start) => start > at);
      if (event.key === "PageUp") step = starts.findLast((start) => start < at);
      if (step === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      go(step);
    }
    const last = stepOfLine(trace, back ? first : end - 1, back);
    return { node, chapter, from: starts[0], last };
  }
  /** @param {Trace} trace */
  function build(trace) {
    const { chapters, phase } = chaptersOf(trace);
    element.hidden = !chapters.length;
    buttons = chapters.map((chapter) => button(trace, chapter, phase));
    // A line is recorded in one step, and sends as many contributions as it has operands.
    for (const [k, { node, chapter, from }] of buttons.entries()) {
      if (!chapter.back) continue;
      const end = buttons[k + 1]?.from ?? stepsOf(trace);
      node.style.flexGrow = String(Math.max(1, end - from));
    }
    const middle = buttons.findIndex(({ chapter }) => chapter.back);
    /** @param {number} steps */
    const gap = (steps) => html("i", { style: `flex-grow: ${steps}` });
    const nodes = buttons.map(({ node }) => node);
    if (middle >= 0) nodes.splice(middle, 0, gap(1));
    const inputs = trace.chapters[0]?.first ?? 0;
    strip.replaceChildren(gap(inputs), ...nodes);
    stops.renew();
  }
  const load = whenChanged(
    (state) => [traceAt(state)],
    (state) => {
      const next = traceAt(state);
      // The excerpts of one run share a strip. It isn't rebuilt for another excerpt, so that it keeps the focus.
      const isSameRun = trace !== null && areOfOneRun(trace, next);
      trace = next;
      if (!isSameRun) build(trace);
      const steps = stepsOf(trace);
      strip.parentElement?.querySelectorAll(".adl-window").forEach((node) => node.remove());
      for (const { first, last, at: from } of trace.excerpt?.parts ?? []) {
        const left = (100 * from) / steps;
        const width = (100 * (last - first + 1)) / steps;
        const style = `left: ${left}%; width: ${width}%`;
        strip.after(html("i", { class: "adl-window", "aria-hidden": "true", style }));
      }
    },
  );
  const mark = whenChanged(
    (state) => [traceAt(state), stopOf(state)],
    (state) => {
      const trace = traceAt(state);
      const step = stopOf(state);
      at = step;
      if (element.hidden) return;
      const steps = stepsOf(trace);
      marker.style.left = `${(100 * (step + 1)) / steps}%`;
      for (const { node, from, last } of buttons) {
        const here = from <= step && step <= last;
        if (here === node.hasAttribute("aria-current")) continue;
        if (here) node.setAttribute("aria-current", "step");
        else node.removeAttribute("aria-current");
      }
    },
  );
  return {
    element,
    /** @param {State} state */
    render(state) {
      load(state);
      mark(state);
    },
  };
}
