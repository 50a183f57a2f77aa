/**
 * Connects the outputs of a notebook with their live widgets.
 *
 * An output is a figure in HTML, with a key. If a kernel has a widget with that key, the widget replaces the figure, at
 * once or as soon as it exists. Otherwise the figure stays, or is replaced by something that works without a kernel.
 */

/**
 * The part of anywidget's model that is used here.
 * @typedef {object} Model
 * @property {(name: string) => any} get returns a trait; its type is checked in Python
 * @property {{(name: string, value: unknown): void, (news: Record<string, unknown>): void}} set
 * @property {() => void} save_changes
 * @property {(content: unknown) => void} send
 * @property {(event: string, listener: Listener) => void} on
 * @property {(event: string, listener: Listener|undefined) => void} off
 * @property {WidgetManager} widget_manager
 */
/** @typedef {(...news: any[]) => void} Listener of a model; its arguments depend on the event */
/**
 * The part of Jupyter's widget manager that is used here.
 * @typedef {object} WidgetManager
 * @property {(id: string) => Promise<Model>} get_model
 * @property {(model: Model) => Promise<WidgetView>} create_view
 */
/**
 * @typedef {{el: HTMLElement, luminoWidget: LuminoWidget, remove(): void}} WidgetView
 * @typedef {{processMessage(message: {type: string}): void}} LuminoWidget
 */
/** @typedef {(at: {model: Model, el: HTMLElement}) => () => void} Render puts a widget on the page, and returns a function that removes it */
/** @typedef {{model: Model, render: Render}} LiveWidget */
/**
 * The element of an output, which a live widget can take over.
 * @typedef {HTMLElement & {adlTake?: (widget: LiveWidget) => void, adlCalls?: Map<Listener, Listener>}} Place
 */
/** @typedef {{live: Map<string, LiveWidget>, places: Map<string, WeakRef<Place>[]>}} Shared */

// Each output and each widget loads its own copy of this module, so the shared data is kept on the page's global object.
const page = /** @type {typeof globalThis & {autodiffLab?: Shared}} */ (globalThis);
const shared = (page.autodiffLab ??= { live: new Map(), places: new Map() });

/**
 * Offers a live widget to the outputs of this page. A widget calls it in its `initialize`.
 * @param {Model} model @param {Render} render
 * @returns {() => void} a function to call when the widget is closed
 */
export function announce(model, render) {
  const key = model.get("key");
  const widget = { model, render };
  shared.live.set(key, widget);
  for (const place of shared.places.get(key) ?? []) place.deref()?.adlTake?.(widget);
  return () => {
    if (shared.live.get(key) === widget) shared.live.delete(key);
  };
}

/**
 * Replaces a figure by its live widget, as soon as there is one.
 * @param {HTMLElement} figure
 * @param {string} key of the live widget; empty on a page that never has a kernel
 * @param {() => Promise<(place: HTMLElement) => () => void>} [standIn] loads a function that fills the place until the
 *   widget exists, and returns a function that removes it; without a `standIn` the figure stays
 */
export async function settle(figure, key, standIn) {
  /** @type {Place} */
  const place = document.createElement("div");
  figure.replaceWith(place);
  place.append(figure);
  /** @type {LiveWidget|null} */
  let taken = null;
  let leave = () => {};
  /** @param {LiveWidget} widget */
  const take = (widget) => {
    if (widget.model === taken?.model) return;
    const hadFocus = place.contains(document.activeElement);
    leave();
    taken = widget;
    unstyled(place);
    const el = document.createElement("div");
    place.replaceChildren(el);
    leave = widget.render({ model: heardIn(place, widget.model), el });
    /** @type {HTMLElement|null} */
    const first = place.querySelector("[tabindex='0']");
    if (hadFocus) first?.focus({ preventScroll: true });
  };
  place.adlTake = take;
  if (key) {
    const others = shared.places.get(key) ?? [];
    shared.places.set(key, [...others, new WeakRef(place)]);
    const widget = shared.live.get(key);
    if (widget) return take(widget);
  }
  const fill = await standIn?.();
  if (!fill || taken) return;
  unstyled(place);
  leave = fill(place);
}

/** Removes Jupyter's styles for tables and code in prose, because a widget has its own. @param {Place} place */
const unstyled = (place) => place.parentElement?.classList.remove("jp-RenderedHTMLCommon");

/**
 * The model, with listeners that live only as long as the place. JupyterLab sends no event when it deletes an output, and
 * a model outlives many outputs. So only the place holds the listeners strongly, and they are garbage-collected with it.
 * @param {Place} place @param {Model} model @returns {Model}
 */
function heardIn(place, model) {
  /** @type {Map<Listener, Listener>} */
  const calls = new Map(); // each listener's weak version
  place.adlCalls = calls;
  return {
    ...model,
    on(event, listener) {
      const call = weakly(model, event, listener);
      calls.set(listener, call);
      model.on(event, call);
    },
    off: (event, listener) => model.off(event, listener && calls.get(listener)),
  };
}

/**
 * A listener that holds the function it calls only weakly, and removes itself once that is collected.
 * @param {Model} model @param {string} event @param {Listener} listener @returns {Listener}
 */
function weakly(model, event, listener) {
  const there = new WeakRef(listener);
  /** @type {Listener} */
  const call = (...news) => {
    const listener = there.deref();
    if (listener) listener(...news);
    else model.off(event, call);
  };
  return call;
}
