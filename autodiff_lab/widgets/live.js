/**
 * How an output of a notebook finds its live widget.
 *
 * The output is a figure in HTML, with a key. Where a kernel has the widget of that key, the widget takes the figure's
 * place: at once, or as soon as it comes. Where none has it, the figure stays, or what can stand in for the widget.
 */

// Each output and each widget brings a module of its own; what they have in common is kept with the page.
const shared = (globalThis.autodiffLab ??= { live: new Map(), places: new Map() });

/**
 * Tells the outputs of this page of a live widget; called as the widget's `initialize`.
 * @returns {() => void} to be called when the widget is closed
 */
export function announce(model, render) {
  const key = model.get("key");
  const widget = { model, render };
  shared.live.set(key, widget);
  for (const place of shared.places.get(key) ?? []) place.deref()?.adlTake(widget);
  return () => shared.live.get(key) === widget && shared.live.delete(key);
}

/**
 * Puts what is live into the place of a figure.
 * @param {HTMLElement} figure
 * @param {string} key of the live widget; empty where there never is a kernel
 * @param {() => Promise<(place: HTMLElement) => () => void>} [standIn] fetches what fills the place while nobody has the
 *   widget, and returns how to remove it; without it the figure stays
 */
export async function settle(figure, key, standIn) {
  const place = document.createElement("div");
  figure.replaceWith(place);
  place.append(figure);
  let taken = null;
  let leave = () => {};
  place.adlTake = (widget) => {
    if (widget.model === taken?.model) return;
    const focused = place.contains(document.activeElement);
    leave();
    taken = widget;
    unstyled(place);
    place.replaceChildren(document.createElement("div"));
    leave = widget.render({ model: heardIn(place, widget.model), el: place.firstChild });
    if (focused) place.querySelector("[tabindex='0']")?.focus({ preventScroll: true });
  };
  if (key) {
    shared.places.set(key, [...(shared.places.get(key) ?? []), new WeakRef(place)]);
    if (shared.live.has(key)) return place.adlTake(shared.live.get(key));
  }
  const fill = await standIn?.();
  if (!fill || taken) return;
  unstyled(place);
  leave = fill(place);
}

/** Jupyter dresses tables and code in HTML for prose. A widget has a dress of its own. */
const unstyled = (place) => place.parentElement?.classList.remove("jp-RenderedHTMLCommon");

/**
 * The model, as heard in one place. Nobody says when an output is thrown away, and a model outlives many: so the place
 * alone keeps what listens, and what listens goes with the place.
 */
function heardIn(place, model) {
  const calls = (place.adlCalls = new Map()); // by their listeners
  return {
    ...model,
    on(event, listener) {
      calls.set(listener, weakly(model, event, listener));
      model.on(event, calls.get(listener));
    },
    off: (event, listener) => model.off(event, calls.get(listener)),
  };
}

function weakly(model, event, listener) {
  const there = new WeakRef(listener);
  const call = (...news) => (there.deref() ? there.deref()(...news) : model.off(event, call));
  return call;
}
