import { wordsView } from "./arithmetic.js";
import { arraysView } from "./arrays.js";
import { html } from "./dom.js";
import { inputsView } from "./inputs.js";
import { listenTo } from "./keys.js";
import { meterView } from "./meter.js";
import { modesView } from "./modes.js";
import { overviewView, stepOfLine } from "./overview.js";
import { heightsOf, panesOf } from "./panes.js";
import { predictView } from "./predict.js";
import { speaker } from "./speech.js";
import { adjointAt, chosen, clampStep, markAt, ownStep, readAll, runOf, sharesAt, statusText, stepsOf, touchedLines, wholeStep } from "./state.js";
import { transportView } from "./transport.js";

let instances = 0;

/**
 * Puts a player into `element` and returns its controls.
 *
 * Each pane returns `element` (its scrolling body), `update(view)` that rewrites the lines that changed,
 * `follow(step, smooth, s)` that scrolls to the step (after all panes are written, so that the browser lays
 * out once), and `link(target)` that lights a line or an edge. `view` is
 * {step: Step|undefined, s, lines, mark(line), adjoint(line), shares(line)}.
 *
 * @param {HTMLElement} element
 * @param {{trace: Trace, layout: Layout, forward?: object[], no_forward?: string, mode?: string, direction?: string}} payload
 * @param {{step?: number, css?: string, controls?: object[], custom?: number[], mode?: string, direction?: string,
 *          onStep?: (s: number) => void, onInputs?: (changed: {index: number, value: number}) => void,
 *          predict?: boolean, scale?: string, score?: object, onPredict?: (on: boolean) => void, onScore?: (score: object) => void,
 *          onMode?: (mode: string, direction: string) => void, onCustom?: (rates: number[]) => void}} options
 */
export function mount(element, payload, options = {}) {
  if (options.css && !document.querySelector("style[data-adl-player]"))
    document.head.append(html("style", { "data-adl-player": "" }, options.css));
  const prefix = `adl-${++instances}-${Math.random().toString(36).slice(2, 7)}`;
  const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

  const say = speaker(payload.words);
  let runs, run, trace, layout, views, graph, timer;
  let mode = options.mode ?? payload.mode ?? "reverse";
  let direction = options.direction ?? payload.direction ?? "";
  let s = -2; // no step is shown yet
  let at = -1; // the same in the whole run, if this is a stretch of a long one
  let wanted = null; // a step of another stretch, until that is there

  const api = {
    get step() { return at; },
    /** Shows step `next`; −1 is the start, anything too large the end. */
    go(next) {
      api.pause();
      predict.leave();
      seek(next);
    },
    advance(by) {
      api.pause();
      if (by === 1 && predict.asks(s + 1)) return;
      predict.leave();
      seek((wanted ?? at) + by, { moved: true });
    },
    /** Follows a step that came from elsewhere (Python, another view): no sound, no motion. */
    follow(next) {
      if (clamped(next) !== at) seek(next);
    },
    play() {
      if (at >= stepsOf(trace) - 1) seek(-1);
      setPlaying(true);
      beat();
    },
    pause() {
      clearTimeout(timer);
      setPlaying(false);
    },
    toggle: () => (root.dataset.playing ? api.pause() : api.play()),
    update(next) {
      payload = next;
      again();
    },
    /** Shows the run in another mode, or in another direction. */
    choose(nextMode, nextDirection = direction) {
      if (nextMode === mode && nextDirection === direction) return;
      api.pause();
      [mode, direction] = [nextMode, nextDirection];
      again();
    },
    custom(rates) {
      options.custom = rates;
      showModes();
    },
    predict: (on) => on !== predict.on && predict.set(on),
    scale(name) {
      root.classList.toggle("adl-lecture", name === "lecture");
      observed();
    },
    controls(controls) {
      inputs.update(controls);
      options.controls = controls;
      showModes();
    },
    error(message) {
      banner.hidden = !message;
      banner.replaceChildren(...(message ? [html("strong", {}, say("not recorded inputs")), html("pre", {}, message)] : []));
    },
    destroy() {
      api.pause();
      observer.disconnect();
      root.remove();
    },
  };
  const lens = { scale: null, held: false, whole: false, opened: new Set(), shut: new Set() }; // how the learner looks at the graph: outlives each drawing of it
  const host = {
    lens,
    say,
    line: () => trace.steps[s]?.line ?? -1,
    link(target) {
      for (const view of [...views, words]) view.link(target);
    },
    go: (next) => api.go(wholeStep(trace, next)),
    /** Goes to a group of a long run that is not in this stretch: to where it begins, or in the sweep to where it ends. */
    open({ first, end }) {
      const back = ["seed", "sweep"].includes(trace.steps[s]?.phase);
      api.go(stepOfLine(trace, back ? end - 1 : first, back));
    },
    /** Goes to where a line is recorded or, during the sweep, to where it sends its adjoint. */
    visit({ line }) {
      const at = (phase) => trace.steps.findIndex((step) => step.phase === phase && step.line === line);
      const sweeping = ["seed", "sweep"].includes(trace.steps[s]?.phase);
      api.pause();
      arrays.choose(line);
      const own = sweeping && at("sweep") >= 0 ? at("sweep") : line;
      if (trace.excerpt && wholeStep(trace, own) < 0) return; // it is from another stretch
      api.go(wholeStep(trace, own)); // a line is recorded at the step of its number
    },
  };

  const title = html("div", { class: "adl-title" });
  const status = html("span", { class: "adl-status" });
  const inputs = inputsView((values, index) => options.onInputs?.({ index, value: values[index] }));
  const modes = modesView(prefix, say, (mode, direction) => {
    api.choose(mode, direction);
    options.onMode?.(mode, direction);
  }, options.onCustom);
  const banner = html("div", { class: "adl-error", role: "status", hidden: "" });
  const held = html("div", { class: "adl-warning adl-held", role: "status", hidden: "" });
  const warning = html("div", { class: "adl-warning", role: "note" });
  const panes = html("div", { class: "adl-panes" });
  const words = wordsView(host);
  const meter = meterView(say);
  const arrays = arraysView(say, () => root.focus({ preventScroll: true }));
  const predict = predictView({
    say,
    reveal: () => show(s + 1, { moved: true }),
    focus: () => root.focus({ preventScroll: true }),
    onChange: (on) => root.classList.toggle("is-predicting", on),
    onToggle: options.onPredict,
    onScore: options.onScore,
  });
  const overview = overviewView(say, (next) => api.go(next));
  const transport = transportView(api, say, predict.toggle);
  const root = html("div", { class: "adl-player", role: "group", tabindex: 0, "data-prevent-swipe": "", "aria-keyshortcuts": "ArrowLeft ArrowRight PageUp PageDown Space Home End" },
                    html("div", { class: "adl-header" }, title, modes.element, inputs.element, status), banner, held, warning, panes, arrays.element, predict.element, words.element, meter.element, overview.element, transport.element);
  api.root = root;

  /** The direction that is asked for, once it is there: a payload that is on its way may bring it. */
  const towards = () => (direction in runs.forward ? direction : Object.keys(runs.forward)[0] ?? "");
  function showModes() {
    const names = (options.controls ?? []).map(({ name }) => name);
    modes.update({ forward: runs.forward, mode: trace.mode, direction: towards(), names, custom: options.custom ?? [], why: payload.no_forward ?? "" });
  }
  function again() {
    const settle = load();
    const own = ownStep(trace, wanted ?? at);
    if (own !== null) wanted = null;
    show(own ?? trace.excerpt.parts[0][0], { everything: true });
    settle();
    if (wanted !== null) options.onStep?.(wanted); // the answer was to an older question
  }
  const clamped = (next) => Math.max(-1, Math.min(stepsOf(trace) - 1, Math.trunc(next)));
  /** Goes to a step of the whole run: in this stretch, in one that is at hand, or in one that has to be fetched. */
  function seek(next, how = {}) {
    const target = clamped(next);
    const own = ownStep(trace, target);
    if (own !== null) {
      wanted = null;
      return show(own, how);
    }
    const other = (payload.others ?? []).find((one) => ownStep(one.trace, target) !== null);
    const asked = wanted !== null;
    wanted = target;
    if (other) {
      payload = { ...payload, ...other, others: [...payload.others.filter((one) => one !== other), { trace: payload.trace, layout: payload.layout }] };
      again();
    } else if (options.onStep) {
      transport.update(target);
      if (!asked) options.onStep(target);
    } else {
      wanted = null;
      transport.update(at);
      held.hidden = false;
      held.textContent = payload.no_others;
    }
  }

  /** Takes the payload in; what it returns is to be called when the trace is shown. */
  function load() {
    let places = views?.map((view) => [view.element.scrollLeft, view.element.scrollTop]);
    const before = trace?.excerpt?.number;
    runs = readAll(payload);
    trace = chosen(runs, mode, towards());
    layout = trace.layout ?? payload.layout;
    run = runOf(trace);
    const turned = before !== undefined && before !== trace.excerpt?.number;
    if (turned) [places, lens.held] = [null, false]; // another stretch has another picture
    showModes();
    const made = panesOf(trace, layout, host, prefix, payload.whole);
    ({ graph, views } = made);
    panes.replaceChildren(...made.sections);
    title.textContent = trace.title;
    warning.hidden = !trace.fault;
    warning.textContent = trace.warning ?? "";
    if (trace.lang) root.lang = trace.lang === "zh" ? "zh-Hans" : trace.lang;
    root.classList.toggle("is-faulty", Boolean(trace.fault));
    root.setAttribute("aria-label", say(trace.fault ? "faulty player" : "player", { title: trace.title, badge: trace.badge }));
    words.load(run);
    for (const view of [predict, meter, overview, transport]) view.load(trace);
    arrays.load(run);
    for (const [name, pixels] of Object.entries(heightsOf(trace, layout, payload.whole))) root.style.setProperty(`--adl-${name}-height`, `${pixels}px`);
    return () => {
      words.reserve();
      graph.fit();
      if (turned && trace.steps[s]) for (const view of views) view.follow(trace.steps[s], false, s);
      places?.forEach(([left, top], k) => views[k].element.scrollTo({ left, top, behavior: "instant" }));
    };
  }

  function show(next, { everything = false, moved = false } = {}) {
    const before = s;
    held.hidden = true;
    s = clampStep(trace, next);
    const from = at;
    at = wholeStep(trace, s);
    const step = trace.steps[s];
    const lines = new Set();
    if (everything || before < -1) trace.lines.forEach((_, i) => lines.add(i));
    else for (let k = Math.max(0, Math.min(before, s)); k <= Math.max(before, s); k++) touchedLines(trace, k).forEach((i) => lines.add(i));
    root.dataset.phase = step ? step.phase : "start";
    root.dataset.mode = trace.mode;
    root.dataset.step = at;
    const smooth = moved && Math.abs(s - before) === 1 && !calm();
    for (const view of views) view.update({ step, s, lines, mark: (line) => markAt(run, line, s),
      adjoint: (line) => adjointAt(run.history, line, s), shares: (line) => sharesAt(run, line, s) });
    status.textContent = statusText(trace, s);
    words.update(trace, s);
    meter.update(trace, s);
    arrays.update(s);
    for (const view of [overview, transport]) view.update(at);
    if (step) for (const view of views) view.follow(step, smooth, s);
    graph.stopPulses();
    if (smooth && s > before && step.phase !== "seed") graph.pulse(step, Math.min(450, transport.beat() / 2));
    if (before !== s || from !== at) options.onStep?.(at);
  }

  function setPlaying(on) {
    if (Boolean(root.dataset.playing) === on) return;
    if (on) root.dataset.playing = "true";
    else delete root.dataset.playing;
    transport.setPlaying(on);
  }
  function beat() {
    if (predict.asks(s + 1)) return api.pause();
    seek(at + 1, { moved: true });
    if (at >= stepsOf(trace) - 1) return api.pause();
    timer = setTimeout(beat, transport.beat());
  }

  const actions = { back: () => api.advance(-1), forward: () => api.advance(1), first: () => api.go(-1), last: () => api.go(Infinity), toggle: api.toggle };
  listenTo(root, actions, (key) => ({ PageUp: at < 0, PageDown: at >= stepsOf(trace) - 1 })[key]); // nothing left to step: turn the slide
  const observed = () => {
    words.reserve();
    meter.fit();
    graph.fit();
    if (trace.steps[s]) for (const view of views) view.follow(trace.steps[s], false, s);
  };
  const observer = new ResizeObserver(observed);
  observer.observe(panes);

  if ((options.scale ?? payload.scale) === "lecture") root.classList.add("adl-lecture");
  const settle = load();
  if (options.score) predict.score(options.score);
  if (options.predict ?? payload.predict) predict.set(true);
  inputs.update(options.controls ?? []);
  element.replaceChildren(root);
  seek(options.step ?? -1);
  if (s === -2) show(trace.excerpt.parts[0][0]);
  settle();
  return api;
}
