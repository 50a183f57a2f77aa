import { arraysView } from "./arrays.js";
import { detailsView } from "./details.js";
import { calm, html } from "./dom.js";
import { graphView } from "./graph/pane.js";
import { inputsView } from "./inputs.js";
import { listenTo, takeClicker } from "./keys.js";
import { modesView } from "./modes.js";
import { durationOf, hasLanded } from "./motion.js";
import { overviewView, stepOfLine } from "./overview.js";
import { predictView } from "./predict/view.js";
import { sourceView } from "./source_pane.js";
import { speaker } from "./speech.js";
import { stageOf } from "./stage.js";
import { adjointAt, linesBetween, markAt, runOf, sharesAt, statusText } from "./state.js";
import { tapeView } from "./tape_pane.js";
import {
  chosen,
  clampStep,
  clampStop,
  hasStep,
  inputsOf,
  ownStep,
  readAll,
  stepsOf,
  stopAfter,
  wholeStep,
} from "./trace.js";
import { transportView } from "./transport.js";
import { wordsView } from "./words.js";

let instances = 0;
/**
 * Puts a player into `element` and returns its controls.
 *
 * A pane has `element` (its scrolling body), `update(view)` that rewrites the lines that changed, `follow(step, smooth, s)`
 * that scrolls to the step (after all panes are written, so that the browser lays out once), and `link(target)` that lights
 * a line or an edge. `view` is {step: Step|undefined, s, told, lines, mark(line), adjoint(line), shares(line)}: `told` is
 * the last step that has landed.
 *
 * @param {HTMLElement} element
 * @param {{trace: Trace, layouts: Layout[], forward?: object[], no_forward?: string}} payload with what is not in `given`
 * @param {{step?: number, css?: string, controls?: object[], custom?: number[], mode?: string, direction?: string, details?: boolean,
 *          onStep?: (s: number) => void, onInputs?: (changed: {index: number, value: number}) => void,
 *          predict?: boolean, scale?: string, score?: object, onPredict?: (on: boolean) => void, onScore?: (score: object) => void,
 *          onMode?: (mode: string, direction: string) => void, onCustom?: (rates: number[]) => void}} given
 */
export function mount(element, payload, given = {}) {
  const options = {
    mode: "reverse",
    direction: "",
    step: -1,
    controls: [],
    custom: [],
    ...payload,
    ...given,
  };
  if (options.css && !document.querySelector("style[data-adl-player]"))
    document.head.append(html("style", { "data-adl-player": "" }, options.css));
  const prefix = `adl-${++instances}-${Math.random().toString(36).slice(2, 7)}`;
  const say = speaker(payload.words);
  let runs, run, trace, views, graph, tape, source;
  let { mode, direction } = options;
  let s = -2; // no step is shown yet
  let at = -1; // the same in the whole run, if this is a stretch of a long one
  let wanted = null; // a step of another stretch, until that is there
  let [u, frame, told] = [1, 0, -2]; // how far the motion of the step is; the next picture of it; the last step that landed

  const api = {
    /** Shows step `next`; the inputs are the start, anything too large the end. */
    go(next) {
      api.pause();
      predict.leave();
      seek(next);
    },
    /** Steps on; a step that is still moving is finished first. */
    advance(by) {
      api.pause();
      if (by === 1 && predict.asks(ownNext())) return;
      predict.leave();
      seek((wanted ?? at) + by, { moved: by === 1 });
    },
    /** Follows a step that came from elsewhere (Python, another view): no sound, no motion. */
    follow(next) {
      if (clamped(next) !== at) seek(next);
    },
    play() {
      if (at >= stepsOf(trace) - 1) seek(-1);
      setPlaying(true);
      if (!root.closest(".reveal"))
        root.scrollIntoView({ block: "nearest", behavior: calm() ? "instant" : "smooth" }); // nobody has to scroll to see it
      beat();
    },
    pause() {
      setPlaying(false);
      finish();
    },
    toggle: () => (root.dataset.playing ? api.pause() : api.play()),
    /** Shows a moment: step `next` at progress `progress`, 0 to 1. A film is a list of moments. */
    render(next, progress) {
      setPlaying(false);
      if (clamped(next) !== at) seek(next);
      draw(progress);
    },
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
    predict: (on) => on !== predict.on && predict.set(on),
    /** Takes other sliders, a direction of the learner's own, or another size. */
    set(news) {
      Object.assign(options, news);
      if (news.controls) inputs.update(news.controls);
      showModes();
      arrange();
    },
    error(message) {
      banner.hidden = !message;
      banner.replaceChildren(
        ...(message
          ? [html("strong", {}, say("not recorded inputs")), html("pre", {}, message)]
          : []),
      );
    },
    destroy() {
      api.pause();
      giveClickerBack();
      observer.disconnect();
      removeEventListener("resize", arrange);
      root.remove();
    },
  };
  const lens = { scale: null, held: false, whole: false, opened: new Set(), shut: new Set() }; // how the learner looks at the graph: outlives each drawing of it
  const host = {
    lens,
    say,
    line: () => trace.steps[s]?.line ?? -1,
    link(target) {
      for (const view of views) view.link(target);
    },
    /** Goes to a group of a long run that is not in this stretch: to where it begins, or in the sweep to where it ends. */
    open({ first, end }) {
      const back = sweeping();
      api.go(stepOfLine(trace, back ? end - 1 : first, back));
    },
    /** Goes to where a line is recorded or, during the sweep, to where it first sends its adjoint. */
    visit({ line }) {
      const sends = trace.steps.findIndex((step) => step.phase === "sweep" && step.line === line);
      api.pause();
      arrays.choose(line);
      arrange();
      const own = wholeStep(trace, sweeping() && sends >= 0 ? sends : line); // a line is recorded at the step of its number
      if (!trace.excerpt || own >= 0) api.go(own); // else it is from another stretch
    },
  };
  const sweeping = () => ["seed", "sweep"].includes(trace.steps[s]?.phase);

  const inputs = inputsView((changed) => options.onInputs?.(changed));
  const modes = modesView(
    prefix,
    say,
    (mode, direction) => {
      api.choose(mode, direction);
      options.onMode?.(mode, direction);
    },
    options.onCustom,
  );
  const words = wordsView();
  const focus = () => root.focus({ preventScroll: true });
  const arrays = arraysView(say, () => {
    focus();
    arrange();
  });
  const predict = predictView({
    say,
    focus,
    reveal: () => show(ownNext(), { moved: true }),
    onChange: (on) => {
      root.classList.toggle("is-predicting", on);
      arrange();
    },
    onToggle: options.onPredict,
    onScore: options.onScore,
  });
  const details = detailsView({
    say,
    modes: modes.element,
    predict: predict.toggle,
    open: options.details,
    onChange: arrange,
  });
  const overview = overviewView(say, (next) => api.go(next));
  const transport = transportView(api, say);
  const stage = stageOf({ transport, details, inputs, words, predict, overview, arrays });
  const { root, banner, held } = stage;
  api.root = root;
  root.adlRender = api.render; // for a film, and for tests
  root.adlDurations = () => trace.steps.map(durationOf).slice(inputsOf(trace));

  /** The direction that is asked for, once it is there: a payload that is on its way may bring it. */
  const towards = () =>
    direction in runs.forward ? direction : (Object.keys(runs.forward)[0] ?? "");
  function showModes() {
    const names = options.controls.map(({ name }) => name);
    modes.update({
      forward: runs.forward,
      mode: trace.mode,
      direction: towards(),
      names,
      custom: options.custom,
      why: payload.no_forward ?? "",
    });
  }
  function again() {
    const settle = load();
    const own = ownStep(trace, wanted ?? at);
    if (own !== null) wanted = null;
    show(own ?? trace.excerpt.parts[0].first, { everything: true });
    settle();
    if (wanted !== null) options.onStep?.(wanted); // the answer was to an older question
  }
  const clamped = (next) => clampStop(trace, next);
  const nextStop = () => stopAfter(trace, at, 1);
  const ownNext = () => ownStep(trace, nextStop()) ?? -1;

  /** Goes to a step of the whole run: in this stretch, in one that is at hand, or in one that has to be fetched. */
  function seek(next, how = {}) {
    const target = clamped(at < 0 && next === 0 ? nextStop() : next);
    const own = ownStep(trace, target);
    if (own !== null) {
      wanted = null;
      return show(own, how);
    }
    const other = (payload.others ?? []).find((one) => hasStep(one.trace, target));
    const asked = wanted !== null;
    wanted = target;
    if (other) {
      payload = {
        ...payload,
        ...other,
        others: [
          ...payload.others.filter((one) => one !== other),
          { trace: payload.trace, layouts: payload.layouts },
        ],
      };
      again();
    } else if (options.onStep) {
      transport.update(target, "");
      if (!asked) options.onStep(target);
    } else {
      wanted = null;
      transport.update(at, statusText(trace, s));
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
    run = runOf(trace);
    const turned = before !== undefined && before !== trace.excerpt?.number;
    if (turned) [places, lens.held] = [null, false]; // another stretch has another picture
    showModes();
    const layouts = trace.layouts ?? payload.layouts;
    [source, graph, tape] = [
      sourceView(trace, host),
      graphView(run, layouts, host, prefix, payload.whole),
      tapeView(trace, host),
    ];
    views = [source, graph, tape];
    const caption = [
      payload.whole ? say("graph whole", { said: trace.excerpt.said }) : "",
      layouts[0].note,
    ]
      .filter(Boolean)
      .join(say("sentence gap"));
    stage.load(trace, { source, graph, tape }, caption);
    for (const view of [predict, details, overview, transport]) view.load(trace);
    arrays.load(run);
    told = -2;
    return () => {
      arrange();
      places?.forEach(([left, top], k) =>
        views[k].element.scrollTo({ left, top, behavior: "instant" }),
      );
    };
  }
  /** Gives everything its room, and keeps the step in view. */
  function arrange() {
    // A page can have all of its players in lecture size: slides, or a notebook in a hall.
    const ofPage = getComputedStyle(root).getPropertyValue("--adl-scale").trim();
    root.classList.toggle("adl-lecture", options.scale === "lecture" || ofPage === "lecture");
    if (stage.arrange() && trace.steps[s])
      for (const view of views) view.follow(trace.steps[s], false, s);
  }

  /** Shows step `next` of this stretch: at once or, if one has stepped there, with its motion. */
  function show(next, { everything = false, moved = false } = {}) {
    finish();
    const before = s;
    held.hidden = true;
    s = clampStep(trace, next);
    const from = at;
    at = clamped(wholeStep(trace, s));
    if (at < 0 && !trace.excerpt?.number) s = inputsOf(trace) - 1; // the inputs are there from the start
    const step = trace.steps[s];
    root.dataset.phase = at < 0 || !step ? "start" : step.phase;
    root.dataset.mode = trace.mode;
    root.dataset.step = at;
    const moves = moved && s === before + 1 && !calm();
    write(
      moves ? before : s,
      everything || before < -1 ? [...trace.lines.keys()] : linesBetween(trace, before, s),
    );
    for (const view of [overview, transport]) view.update(at, statusText(trace, at < 0 ? -1 : s));
    if (step) for (const view of views) view.follow(step, moves, s);
    if (moves) draw(0);
    else u = 1;
    graph.move(s, u);
    if (before !== s || from !== at) options.onStep?.(at);
    if (moves) tick(performance.now());
  }
  /** Writes everything as it is when `landed` has landed and step `s` is on its way, or has landed as well. */
  function write(landed, lines) {
    told = landed;
    const step = at < 0 ? undefined : trace.steps[s];
    const shown = at < 0 ? -1 : s;
    for (const view of views)
      view.update({
        step,
        s: shown,
        told,
        lines: new Set(lines),
        mark: (line) => markAt(run, line, shown < 0 ? -1 : s, told),
        adjoint: (line) => adjointAt(run.history, line, told),
        shares: (line) => sharesAt(run, line, told),
      });
    words.update(
      trace,
      shown,
      told === s ? shown : clamped(wholeStep(trace, told)) < 0 ? -1 : told,
    );
    words.fit();
    details.update(trace, told);
    arrays.update(told);
  }
  /** Shows step `s` at progress `progress` of its motion. */
  function draw(progress) {
    u = at < 0 ? 1 : progress;
    const landed = u >= 1 || !trace.steps[s] || hasLanded(trace.steps[s], u) ? s : s - 1;
    if (landed !== told) write(landed, linesBetween(trace, Math.max(0, s - 1), s));
    flag("moving", u < 1);
    graph.move(s, u);
  }
  function flag(name, on) {
    if (on) root.dataset[name] = "true";
    else delete root.dataset[name];
  }
  /** A motion that is under way is over. */
  function finish() {
    cancelAnimationFrame(frame);
    if (u < 1) draw(1);
  }
  /** Moves on with the clock, a frame at a time. */
  function tick(before) {
    frame = requestAnimationFrame((now) => {
      draw(Math.min(1, u + ((now - before) * details.speed) / durationOf(trace.steps[s])));
      if (u < 1) tick(now);
      else if (root.dataset.playing) beat();
    });
  }
  function setPlaying(on) {
    if (Boolean(root.dataset.playing) === on) return;
    flag("playing", on);
    transport.setPlaying(on);
    if (!on) clearTimeout(rest);
  }
  let rest = 0;
  /** While playing: the next step. Where nothing moves, each stays as long as its motion would take. */
  function beat() {
    if (at >= stepsOf(trace) - 1 || predict.asks(ownNext())) return api.pause();
    seek(nextStop(), { moved: true });
    if (u >= 1)
      rest = setTimeout(
        () => root.dataset.playing && beat(),
        trace.steps[s] ? durationOf(trace.steps[s]) / details.speed : 300,
      );
  }

  const actions = {
    back: () => api.advance(-1),
    forward: () => api.advance(1),
    first: () => api.go(-1),
    last: () => api.go(Infinity),
    toggle: api.toggle,
  };
  listenTo(root, actions, (key) => ({ PageUp: at < 0, PageDown: at >= stepsOf(trace) - 1 })[key]); // nothing left to step: turn the slide
  const observer = new ResizeObserver(arrange);
  observer.observe(root);
  addEventListener("resize", arrange);

  const giveClickerBack = takeClicker(root);
  const settle = load();
  if (options.score) predict.score(options.score);
  if (options.predict) predict.set(true);
  inputs.update(options.controls);
  element.replaceChildren(root);
  seek(options.step);
  if (s === -2) show(trace.excerpt.parts[0].first);
  settle();
  return api;
}
