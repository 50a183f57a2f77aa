/**
 * How an output of a notebook finds its live widget.
 *
 * The output is a figure in HTML, with a key. If a kernel has a widget with that key, the widget replaces the figure, at
 * once or as soon as it exists. Otherwise the figure stays, or something that works without a kernel replaces it.
 */

/**
 * What of anywidget's model is used here.
 * @typedef {object} Model
 * @property {(name: string) => any} get any: each trait has a type of its own, which Python checks
 * @property {{(name: string, value: unknown): void, (news: Record<string, unknown>): void}} set
 * @property {() => void} save_changes
 * @property {(content: unknown) => void} send
 * @property {(event: string, listener: Listener) => void} on
 * @property {(event: string, listener: Listener|undefined) => void} off
 * @property {WidgetManager} widget_manager
 */
/** @typedef {(...news: any[]) => void} Listener of a model: what it is given depends on the event */
/**
 * What of Jupyter's manager of widgets is used here.
 * @typedef {object} WidgetManager
 * @property {(id: string) => Promise<Model>} get_model
 * @property {(model: Model) => Promise<WidgetView>} create_view
 */
/**
 * @typedef {{el: HTMLElement, luminoWidget: LuminoWidget, remove(): void}} WidgetView
 * @typedef {{processMessage(message: {type: string}): void}} LuminoWidget
 */
/** @typedef {(at: {model: Model, el: HTMLElement}) => () => void} Render puts a widget on the page, and returns how to remove it */
/** @typedef {{model: Model, render: Render}} LiveWidget */
/**
 * Where an output stands, which a live widget can take.
 * @typedef {HTMLElement & {adlTake?: (widget: LiveWidget) => void, adlCalls?: Map<Listener, Listener>}} Place
 */
/** @typedef {{live: Map<string, LiveWidget>, places: Map<string, WeakRef<Place>[]>}} Shared */

// Each output and each widget loads its own copy of this module, so what they share is kept on the page's global object.
const page = /** @type {typeof globalThis & {autodiffLab?: Shared}} */ (globalThis);
const shared = (page.autodiffLab ??= { live: new Map(), places: new Map() });

/**
 * Tells the outputs of this page of a live widget; called as the widget's `initialize`.
 * @param {Model} model @param {Render} render
 * @returns {() => void} to be called when the widget is closed
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
 * Puts what is live into the place of a figure.
 * @param {HTMLElement} figure
 * @param {string} key of the live widget; empty where there never is a kernel
 * @param {() => Promise<(place: HTMLElement) => () => void>} [standIn] fetches what fills the place while nobody has the
 *   widget, and returns how to remove it; without it the figure stays
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
    const focused = place.contains(document.activeElement);
    leave();
    taken = widget;
    unstyled(place);
    const el = document.createElement("div");
    place.replaceChildren(el);
    leave = widget.render({ model: heardIn(place, widget.model), el });
    /** @type {HTMLElement|null} */
    const first = place.querySelector("[tabindex='0']");
    if (focused) first?.focus({ preventScroll: true });
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

/** Takes Jupyter's styles for tables and code in prose away: a widget has its own. @param {Place} place */
const unstyled = (place) => place.parentElement?.classList.remove("jp-RenderedHTMLCommon");

/**
 * The model, with listeners that live only as long as the place. JupyterLab doesn't tell when it deletes an output, and a
 * model outlives many of them. So only the place holds the listeners strongly, and they are collected with it.
 * @param {Place} place @param {Model} model @returns {Model}
 */
function heardIn(place, model) {
  /** @type {Map<Listener, Listener>} */
  const calls = new Map(); // by their listeners
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
