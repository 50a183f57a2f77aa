/**
 * A lab on the page: the views of ipywidgets, with the labels for screen readers that they lack, and a message when the
 * kernel does not answer.
 *
 * @typedef {import("../live.js").LuminoWidget} LuminoWidget
 * @typedef {import("../live.js").Model} Model
 * @typedef {import("../live.js").Render} Render
 * @typedef {import("../live.js").WidgetView} WidgetView
 */

import { announce } from "../live.js";

/** @typedef {Model & {pause(): void}} PlayModel of a Play widget */

const PATIENCE = 2000; // milliseconds until the page says that the kernel does not answer
const QUIET = 700; // milliseconds without a change until the sentence is read aloud: not while a slider moves
const AWAY = 10_000; // milliseconds off the page until a lab is closed; if it comes back later, it is drawn anew
const NOBODY =
  "The kernel does not answer. If it is busy, wait; if it is gone, run the cell again.";

// JupyterLab deletes an output without telling anybody, and ipywidgets keeps its view until it is removed. But a custom
// element is told when it leaves the page.
const PLACE = "autodiff-lab-place";
/** An element that is told when it has left the page for good. */
class LabPlace extends HTMLElement {
  /** Fills it, and returns how to empty it. @type {() => () => void} */
  fill = () => () => {};
  /** @type {(() => void)|null} */
  leave = null;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  clock = undefined;

  connectedCallback() {
    clearTimeout(this.clock);
    this.leave ??= this.fill();
  }
  disconnectedCallback() {
    this.clock = setTimeout(() => this.close(), AWAY);
  }
  close() {
    clearTimeout(this.clock);
    this.leave?.();
    this.leave = null;
  }
}
if (!customElements.get(PLACE)) customElements.define(PLACE, LabPlace);

/** @param {Model} model @param {string} reference to another */
const find = (model, reference) =>
  model.widget_manager.get_model(reference.replace("IPY_MODEL_", ""));

/** @param {LuminoWidget} widget @param {string} type */
const tell = (widget, type) => widget.processMessage({ type });

/** Shows the view of a widget, as Lumino's `Widget.attach` does. Returns how to remove it. @param {Model} model @param {string} reference @param {HTMLElement} place */
function attach(model, reference, place) {
  let gone = false;
  /** @type {WidgetView|null} */
  let view = null;
  const show = async () => {
    view = await model.widget_manager.create_view(await find(model, reference));
    if (gone) return view.remove();
    tell(view.luminoWidget, "before-attach");
    place.prepend(view.el);
    tell(view.luminoWidget, "after-attach");
  };
  show();
  return () => {
    gone = true;
    if (!view?.el.parentNode) return;
    tell(view.luminoWidget, "before-detach");
    view.el.remove();
    tell(view.luminoWidget, "after-detach");
    view.remove();
  };
}

/** @param {Element|null|undefined} node @param {string} name @param {string|boolean|null|undefined} value */
function set(node, name, value) {
  if (node && value !== undefined && node.getAttribute(name) !== String(value))
    node.setAttribute(name, String(value));
}

/** Colours the track of a slider as far as its knob. @param {HTMLElement} slider @param {Element | null} handle */
function colourTrack(slider, handle) {
  const [now, low, high] = ["now", "min", "max"].map((end) =>
    Number(handle?.getAttribute(`aria-value${end}`)),
  );
  const done = `${((100 * (now - low)) / (high - low || 1)).toFixed(1)}%`;
  if (slider.style.getPropertyValue("--done") !== done) slider.style.setProperty("--done", done);
}

/** Adds the attributes that a screen reader and JupyterLab need, and that ipywidgets leaves out. @param {HTMLElement} root */
function complete(root) {
  for (const control of root.querySelectorAll("button, input, select, [tabindex]")) {
    // Without this attribute, JupyterLab takes arrow keys and letters as its own shortcuts.
    set(control, "data-lm-suppress-shortcuts", true);
  }
  /** @type {NodeListOf<HTMLElement>} */
  const sliders = root.querySelectorAll(".widget-slider");
  for (const slider of sliders) {
    const handle = slider.querySelector("[role=slider]");
    const label = slider.querySelector(".widget-label");
    const value = slider.parentElement?.querySelector(".adl-lab-value");
    colourTrack(slider, handle);
    set(handle, "aria-label", label?.textContent);
    set(handle, "aria-valuetext", value?.textContent);
  }
  for (const choice of root.querySelectorAll(".widget-toggle-buttons")) {
    set(choice, "role", "group");
    set(choice, "aria-label", choice.querySelector(".widget-label")?.textContent);
  }
  for (const button of root.querySelectorAll(".widget-toggle-button")) {
    set(button, "aria-pressed", button.classList.contains("mod-active"));
  }
  /** @type {NodeListOf<HTMLElement>} */
  const plays = root.querySelectorAll(".widget-play");
  for (const play of plays) {
    const isPlaying = play.querySelector(".fa-pause") !== null;
    set(play.querySelector("button"), "aria-label", isPlaying ? "Pause" : play.title);
  }
  for (const button of root.querySelectorAll("button")) {
    set(button, "aria-disabled", button.closest(".adl-lab-off") !== null);
  }
}

/**
 * Checks that the kernel answers: `ask` is called with each touch and each tick. `late` is called when no answer has come
 * in time, and again when one comes.
 * @param {Pick<Model, "on"|"off"|"send">} model @param {(isLate: boolean) => void} late
 */
export function listen(model, late) {
  /** @type {ReturnType<typeof setTimeout>|0} */
  let clock = 0;
  const heard = () => {
    clearTimeout(clock);
    clock = 0;
    late(false);
  };
  model.on("msg:custom", heard);
  return {
    ask() {
      if (clock) return;
      clock = setTimeout(() => {
        clock = 0; // so that the next touch asks again: this message may have been lost with the old kernel
        late(true);
      }, PATIENCE);
      try {
        model.send({});
      } catch {
        // There is no way to the kernel, which will soon be noticed.
      }
    },
    leave() {
      clearTimeout(clock);
      model.off("msg:custom", heard);
    },
  };
}

/** @param {HTMLElement} place @param {string} name of a class @param {string} value of `aria-live` */
function line(place, name, value) {
  const node = document.createElement("p");
  node.className = name;
  node.setAttribute("aria-live", value);
  place.append(node);
  return node;
}

/** @param {HTMLElement} root @param {Model} model */
function fill(root, model) {
  const status = line(root, "adl-lab-error", "polite");
  status.setAttribute("role", "status");
  const spoken = line(root, "adl-lab-spoken", "polite");
  let isLate = false;
  /** @type {PlayModel[]} */
  let plays = [];
  const explain = () => (status.textContent = isLate ? NOBODY : model.get("error"));
  const kernel = listen(model, (late) => {
    isLate = late;
    explain();
    if (late) for (const play of plays) play.pause();
  });
  /** @type {string[]} */
  const references = model.get("plays");
  Promise.all(references.map((reference) => find(model, reference))).then((found) => {
    plays = /** @type {PlayModel[]} */ (found);
    for (const play of plays) play.on("change:value", kernel.ask);
  });
  let said = "";
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let quiet;
  const notice = () => {
    complete(root);
    const now = root.querySelector(".adl-lab-sentence")?.textContent ?? "";
    if (now === said) return;
    said = now;
    clearTimeout(quiet);
    quiet = setTimeout(() => {
      spoken.textContent = now;
    }, QUIET);
  };
  const eye = new MutationObserver(notice);
  eye.observe(root, {
    subtree: true,
    childList: true,
    attributeFilter: ["class", "aria-valuenow", "aria-valuetext"],
  });
  const touches = ["pointerdown", "keydown"];
  for (const touch of touches) root.addEventListener(touch, kernel.ask, true);
  model.on("change:error", explain);
  explain();
  const detach = attach(model, model.get("child"), root);
  return () => {
    eye.disconnect();
    clearTimeout(quiet);
    kernel.leave();
    model.off("change:error", explain);
    for (const touch of touches) root.removeEventListener(touch, kernel.ask, true);
    for (const play of plays) {
      play.off("change:value", kernel.ask);
      play.pause();
    }
    detach();
    root.replaceChildren();
  };
}

/** @type {Render} */
function render({ model, el }) {
  const root = /** @type {LabPlace} */ (document.createElement(PLACE));
  root.className = "adl-lab";
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", model.get("title"));
  /** @type {Record<string, string>} */
  const colours = model.get("colours");
  for (const [name, colour] of Object.entries(colours)) root.style.setProperty(name, colour);
  root.fill = () => fill(root, model);
  el.append(root);
  return () => root.close();
}

/** @param {{model: Model}} at */
const initialize = ({ model }) => announce(model, render);

export default { initialize, render };
