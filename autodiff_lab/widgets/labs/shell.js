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

const ANSWER_TIMEOUT_MS = 2000; // after this the page reports that the kernel doesn't answer
const SPEECH_DELAY_MS = 700; // a screen reader reads the sentence after this long without a change, so not during a drag
const CLOSE_DELAY_MS = 10_000; // a lab that is off the page for this long is closed; if it returns, it is drawn anew
const NO_ANSWER =
  "The kernel does not answer. If it is busy, wait; if it is gone, run the cell again.";

// JupyterLab sends no event when it deletes an output, and ipywidgets keeps the output's view until somebody removes it.
// But the browser calls a method of a custom element when the element leaves the page.
const PLACE = "autodiff-lab-place";
/** The element of a lab, which closes the lab once it has left the page for good. */
class LabPlace extends HTMLElement {
  /** Fills the element, and returns a function that empties it. @type {() => () => void} */
  fill = () => () => {};
  /** @type {(() => void)|null} */
  leave = null;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  closing = undefined;

  connectedCallback() {
    clearTimeout(this.closing);
    this.leave ??= this.fill();
  }
  disconnectedCallback() {
    this.closing = setTimeout(() => this.close(), CLOSE_DELAY_MS);
  }
  close() {
    clearTimeout(this.closing);
    this.leave?.();
    this.leave = null;
  }
}
if (!customElements.get(PLACE)) customElements.define(PLACE, LabPlace);

/** Finds another model. @param {Model} model @param {string} reference to the other model, such as "IPY_MODEL_1a2b" */
const find = (model, reference) =>
  model.widget_manager.get_model(reference.replace("IPY_MODEL_", ""));

/** @param {LuminoWidget} widget @param {string} type */
const tell = (widget, type) => widget.processMessage({ type });

/**
 * Shows the view of a widget, as Lumino's `Widget.attach` does, and returns a function that removes it.
 * @param {Model} model @param {string} reference @param {HTMLElement} place
 */
function attach(model, reference, place) {
  let isRemoved = false;
  /** @type {WidgetView|null} */
  let view = null;
  const show = async () => {
    view = await model.widget_manager.create_view(await find(model, reference));
    if (isRemoved) return view.remove();
    tell(view.luminoWidget, "before-attach");
    place.prepend(view.el);
    tell(view.luminoWidget, "after-attach");
  };
  show();
  return () => {
    isRemoved = true;
    if (!view?.el.parentNode) return;
    tell(view.luminoWidget, "before-detach");
    view.el.remove();
    tell(view.luminoWidget, "after-detach");
    view.remove();
  };
}

/**
 * Sets an attribute, unless it has that value already: the page is observed, and each change is another event.
 * @param {Element|null|undefined} node @param {string} name @param {string|boolean|null|undefined} value
 */
function set(node, name, value) {
  if (!node || value === undefined) return;
  if (node.getAttribute(name) === String(value)) return;
  node.setAttribute(name, String(value));
}

/** Colours the track of a slider up to its knob. @param {HTMLElement} slider @param {Element | null} handle */
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
 * Checks that the kernel answers, whenever `ask` is called.
 * @param {Pick<Model, "on"|"off"|"send">} model
 * @param {(isLate: boolean) => void} late is called with true if no answer comes in time, and with false for each answer
 */
export function listen(model, late) {
  /** @type {ReturnType<typeof setTimeout>|0} */
  let timer = 0; // of the open question; 0 if there is none
  const heard = () => {
    clearTimeout(timer);
    timer = 0;
    late(false);
  };
  model.on("msg:custom", heard);
  return {
    ask() {
      if (timer) return;
      timer = setTimeout(() => {
        timer = 0; // so that the next touch asks again: this message may have been lost with the old kernel
        late(true);
      }, ANSWER_TIMEOUT_MS);
      try {
        model.send({});
      } catch {
        // Without a connection to the kernel no answer comes, and the timer reports that.
      }
    },
    leave() {
      clearTimeout(timer);
      model.off("msg:custom", heard);
    },
  };
}

/** Adds a line of text that screen readers watch. @param {HTMLElement} place @param {string} name of a class @param {string} value of `aria-live` */
function addLine(place, name, value) {
  const node = document.createElement("p");
  node.className = name;
  node.setAttribute("aria-live", value);
  place.append(node);
  return node;
}

/** Fills the element of a lab, and returns a function that empties it. @param {HTMLElement} root @param {Model} model */
function fill(root, model) {
  const status = addLine(root, "adl-lab-error", "polite");
  status.setAttribute("role", "status");
  const spoken = addLine(root, "adl-lab-spoken", "polite");
  let isLate = false;
  /** @type {PlayModel[]} */
  let plays = [];
  const explain = () => (status.textContent = isLate ? NO_ANSWER : model.get("error"));
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
  let speaking; // the timer after which the sentence is read aloud
  const update = () => {
    complete(root);
    const now = root.querySelector(".adl-lab-sentence")?.textContent ?? "";
    if (now === said) return;
    said = now;
    clearTimeout(speaking);
    speaking = setTimeout(() => {
      spoken.textContent = now;
    }, SPEECH_DELAY_MS);
  };
  const observer = new MutationObserver(update);
  observer.observe(root, {
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
    observer.disconnect();
    clearTimeout(speaking);
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
