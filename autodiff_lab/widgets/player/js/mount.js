/**
 * A player on the page. This file only connects the parts: a store holds the state (`state.js`), views show it,
 * and actions change it. README.md explains them.
 *
 * @import { Details, State } from "./state.js"
 * @import { Host } from "./host.js"
 * @import { Score } from "./predict/questions.js"
 * @import { Payload } from "./trace_types.js"
 */

import { actionsOf } from "./actions.js";
import { arraysView } from "./arrays.js";
import { detailsAsKept, detailsView } from "./details.js";
import { calm, html } from "./dom.js";
import { hostListener } from "./host.js";
import { inputsView } from "./inputs.js";
import { listenTo, takeClicker } from "./keys.js";
import { modesView } from "./modes.js";
import { durationOf, restOf } from "./motion.js";
import { overviewView } from "./overview.js";
import { panesView } from "./panes.js";
import { initialState, isAtEnd, runAt, stopOf, traceAt } from "./state.js";
import { predictView } from "./predict/view.js";
import { speaker } from "./speech.js";
import { stageView } from "./stage.js";
import { createStore, whenChanged } from "./store.js";
import { inputsOf } from "./trace.js";
import { transportView } from "./transport.js";
import { wordsView } from "./words.js";

let instances = 0;

const NOTEBOOK_SCROLL_MS = 300; // until a notebook that moves on to the next cell has scrolled

/**
 * Scrolls the player of the cell that was just run into view: when a notebook moves on to the next cell,
 * the player may end up above or below the visible part.
 * @param {HTMLElement} root
 */
function showAfterRun(root) {
  const cell = root.closest(".jp-Notebook .jp-Cell");
  const area = root.closest(".jp-WindowedPanel-outer") ?? root.closest(".jp-Notebook");
  if (!area || !cell?.nextElementSibling?.matches(".jp-mod-active")) return;
  const own = root.getBoundingClientRect();
  const seen = area.getBoundingClientRect();
  const isAbove = own.top < seen.top || own.height > seen.height;
  if (isAbove || own.bottom > seen.bottom)
    root.scrollIntoView({ block: isAbove ? "start" : "nearest" });
}

/**
 * Puts a player into `element`, and returns its actions. Options that aren't given are taken from the payload.
 * @param {HTMLElement} element
 * @param {Payload & Given} payload
 * @param {Given & Host & {css?: string}} given
 *
 * @typedef {Partial<Pick<State, "mode"|"direction"|"controls"|"custom"|"scale">>} Chosen
 * @typedef {Chosen & {step?: number, details?: boolean, predict?: boolean, score?: Score}} Given
 */
export function mount(element, payload, given = {}) {
  const options = { ...payload, ...given };
  if (options.css && !document.querySelector("style[data-adl-player]"))
    document.head.append(html("style", { "data-adl-player": "" }, options.css));
  const prefix = `adl-${++instances}-${Math.random().toString(36).slice(2, 7)}`;
  const say = speaker(payload.words);
  const { mode, direction, controls, custom, scale, step, predict: isPredicting, score } = options;
  const store = createStore(
    initialState(payload, {
      mode: mode ?? "reverse",
      direction: direction ?? "",
      controls: controls ?? [],
      custom: custom ?? [],
      scale: scale ?? "",
      canFetch: Boolean(options.onStep),
      details: detailsAsKept(options.details),
      step,
      predict: isPredicting,
      score,
    }),
  );
  const focus = () => root.focus({ preventScroll: true });
  const actions = actionsOf(store, {
    focus,
    comeIntoView() {
      if (root.closest(".reveal")) return;
      root.scrollIntoView({ block: "nearest", behavior: calm() ? "instant" : "smooth" });
    },
    onPredict: (on) => options.onPredict?.(on),
  });

  const inputs = inputsView(
    say,
    (changed) => {
      actions.touch(changed.index);
      options.onInputs?.(changed);
    },
    options.onResult,
    options.onSeeds,
  );
  const modes = modesView(
    prefix,
    say,
    (mode, direction) => {
      actions.choose(mode, direction);
      options.onMode?.(mode, direction);
    },
    options.onCustom,
  );
  const words = wordsView();
  const arrays = arraysView(actions, say);
  const predict = predictView(store, actions, say);
  const details = detailsView(store, say, modes.element);
  const overview = overviewView(actions, say);
  const transport = transportView(actions, focus, say);
  const panes = panesView(store, actions, prefix, transport.begin);
  const stage = stageView(
    { transport, details, inputs, words, predict, overview, arrays, panes },
    say,
  );
  const { root } = stage;
  const views = [stage, panes, words, details, modes, inputs, predict, arrays, overview, transport];

  /** Lays out the parts, and keeps the step in view. */
  function arrange(state = store.get()) {
    if (stage.arrange(state)) panes.follow(state);
  }
  const arrangeIfNeeded = whenChanged(neededForLayout, (state) => {
    arrange(state);
    panes.restorePlaces();
  });
  const follow = whenChanged(
    (state) => [state.arrivals],
    (state) => panes.follow(state, state.isRunning),
  );

  element.replaceChildren(root);
  store.subscribe((state) => {
    for (const view of views) view.render(state);
    follow(state); // after all views have rendered, so that the browser lays out once
    arrangeIfNeeded(state);
  });
  store.subscribe(hostListener(options));

  /** Whether no step is left in the direction of a page key; then the key changes the slide. @param {string} key */
  function hasNothingLeft(key) {
    if (key === "PageUp") return stopOf(store.get()) < 0;
    return key === "PageDown" && isAtEnd(store.get());
  }
  listenTo(
    root,
    {
      back: () => actions.advance(-1),
      forward: () => actions.advance(1),
      first: () => actions.go(-1),
      last: () => actions.go(Infinity),
      toggle: () => actions.toggle(),
    },
    hasNothingLeft,
  );
  const giveClickerBack = takeClicker(root);
  const arrival = setTimeout(() => showAfterRun(root), NOTEBOOK_SCROLL_MS);
  const onResize = () => arrange();
  const observer = new ResizeObserver(onResize);
  observer.observe(root);
  addEventListener("resize", onResize);

  // For pages, films and tests.
  return {
    ...actions,
    root: Object.assign(root, {
      adlRender: actions.render,
      adlDurations() {
        const trace = traceAt(store.get());
        const steps = trace.steps.slice(inputsOf(trace));
        return steps.map((step) => {
          const line = trace.lines[step.line];
          return { motion: durationOf(step, line), rest: restOf(step, line) };
        });
      },
    }),
    destroy() {
      clearTimeout(arrival);
      actions.pause();
      giveClickerBack();
      observer.disconnect();
      removeEventListener("resize", onResize);
      root.remove();
    },
  };
}

/** The dependencies of the layout. @param {State} state */
const neededForLayout = (state) => [
  runAt(state),
  state.controls,
  state.custom,
  state.scale,
  state.entries?.line,
  state.details.open,
  state.details.names,
  state.details.source,
  state.prediction.on,
  state.prediction.isRefused,
];
