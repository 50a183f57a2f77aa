// How a lab stands on the page: ipywidgets' views, with the names and the patience that they lack.

import { announce } from "../live.js";

const PATIENCE = 2000; // milliseconds until the page says that nobody answers
const QUIET = 700; // a moving slider is not read aloud; where it comes to rest is
const AWAY = 10_000; // what JupyterLab has taken off the page for longer is thrown away, or drawn again when it returns
const NOBODY =
  "The kernel does not answer. If it is busy, wait; if it is gone, run the cell again.";

// An output does not say when it is thrown away, and ipywidgets keeps a view until it is removed. An element is told.
const PLACE = "autodiff-lab-place";
if (!customElements.get(PLACE)) {
  customElements.define(
    PLACE,
    class extends HTMLElement {
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
    },
  );
}

const find = (model, reference) =>
  model.widget_manager.get_model(reference.replace("IPY_MODEL_", ""));

const tell = (widget, ...types) => types.forEach((type) => widget.processMessage({ type }));

/** Shows the view of a widget, as Lumino's `Widget.attach` does. Returns how to remove it. */
function attach(model, reference, place) {
  let gone = false;
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

function set(node, name, value) {
  if (node && value !== undefined && node.getAttribute(name) !== String(value))
    node.setAttribute(name, value);
}

/** Colours the track of a slider as far as its knob. @param {HTMLElement} slider @param {Element | null} handle */
function colourTrack(slider, handle) {
  const [now, low, high] = ["now", "min", "max"].map((end) =>
    Number(handle?.getAttribute(`aria-value${end}`)),
  );
  const done = `${((100 * (now - low)) / (high - low || 1)).toFixed(1)}%`;
  if (slider.style.getPropertyValue("--done") !== done) slider.style.setProperty("--done", done);
}

/** Says to a screen reader, and to JupyterLab, what ipywidgets leaves unsaid. */
function complete(root) {
  for (const control of root.querySelectorAll("button, input, select, [tabindex]")) {
    // JupyterLab takes arrow keys and letters from whatever does not say this of itself.
    set(control, "data-lm-suppress-shortcuts", true);
  }
  for (const slider of root.querySelectorAll(".widget-slider")) {
    const handle = slider.querySelector("[role=slider]");
    colourTrack(slider, handle);
    set(handle, "aria-label", slider.querySelector(".widget-label")?.textContent);
    set(handle, "aria-valuetext", slider.parentNode.querySelector(".adl-lab-value")?.textContent);
  }
  for (const choice of root.querySelectorAll(".widget-toggle-buttons")) {
    set(choice, "role", "group");
    set(choice, "aria-label", choice.querySelector(".widget-label")?.textContent);
  }
  for (const button of root.querySelectorAll(".widget-toggle-button")) {
    set(button, "aria-pressed", button.classList.contains("mod-active"));
  }
  for (const play of root.querySelectorAll(".widget-play")) {
    set(
      play.querySelector("button"),
      "aria-label",
      play.querySelector(".fa-pause") ? "Pause" : play.title,
    );
  }
  for (const button of root.querySelectorAll("button")) {
    set(button, "aria-disabled", button.closest(".adl-lab-off") !== null);
  }
}

/** Whether anybody answers: asked with each touch and each tick; `late` is told when it is not so, and when it is again. */
export function listen(model, late) {
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
        clock = 0; // who asks again may be heard: the message may have been lost with a kernel
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

function line(place, name, value) {
  const node = document.createElement("p");
  node.className = name;
  node.setAttribute("aria-live", value);
  place.append(node);
  return node;
}

function fill(root, model) {
  const status = line(root, "adl-lab-error", "polite");
  status.setAttribute("role", "status");
  const spoken = line(root, "adl-lab-spoken", "polite");
  let isLate = false;
  let plays = [];
  const explain = () => (status.textContent = isLate ? NOBODY : model.get("error"));
  const kernel = listen(model, (late) => {
    isLate = late;
    explain();
    if (late) for (const play of plays) play.pause();
  });
  Promise.all(model.get("plays").map((reference) => find(model, reference))).then((found) => {
    plays = found;
    for (const play of plays) play.on("change:value", kernel.ask);
  });
  let quiet = 0;
  const notice = () => {
    complete(root);
    const said = root.querySelector(".adl-lab-sentence")?.textContent ?? "";
    if (said === spoken.said) return;
    spoken.said = said;
    clearTimeout(quiet);
    quiet = setTimeout(() => (spoken.textContent = said), QUIET);
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

function render({ model, el }) {
  const root = document.createElement(PLACE);
  root.className = "adl-lab";
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", model.get("title"));
  for (const [name, colour] of Object.entries(model.get("colours")))
    root.style.setProperty(name, colour);
  root.fill = () => fill(root, model);
  el.append(root);
  return () => root.close();
}

export default { initialize: ({ model }) => announce(model, render), render };
