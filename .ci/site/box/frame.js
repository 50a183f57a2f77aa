/**
 * The frame in which a visitor's function runs and plays. It is sandboxed, with an opaque origin: it has no storage and
 * no cookies, and it can't reach the network, open windows or dialogs, or draw outside its border.
 *
 * The page gives it a port. Through this port the frame receives `{files}`, `{run}`, `{look}` and `{begin}`, and sends
 * `{ready}`, `{played}`, `{wrong}`, `{failed}`, `{busy}` and `{height}`, all of which the page checks.
 */
"use strict";
{
  const text = (/** @type {ArrayBuffer} */ bytes) => new TextDecoder().decode(bytes);
  const place = document.getElementById("place");
  const address = (/** @type {BlobPart} */ script) =>
    URL.createObjectURL(new Blob([script], { type: "text/javascript" }));

  /** @type {MessagePort} */
  let page;
  /** @type {Worker} */
  let worker;
  /** @type {{default: {render(at: {model: object, el: Element}): () => void}}} */
  let player;
  /** @type {ReturnType<typeof modelOf>|undefined} */
  let model;
  let leave = () => {};

  /** A stand-in for anywidget's model, which exchanges changes with the worker. @param {Record<string, any>} state */
  function modelOf(state) {
    /** @type {Map<string, Set<() => void>>} */
    const listeners = new Map();
    /** @type {Record<string, unknown>} */
    let changes = {};
    return {
      get: (/** @type {string} */ name) => state[name],
      set(/** @type {string|Record<string, unknown>} */ name, /** @type {unknown} */ value) {
        const news = typeof name === "string" ? { [name]: value } : name;
        Object.assign(state, news);
        Object.assign(changes, news);
      },
      save_changes() {
        page.postMessage({ busy: true });
        worker.postMessage({ change: JSON.stringify(changes) });
        changes = {};
      },
      send() {},
      on(/** @type {string} */ event, /** @type {() => void} */ listener) {
        listeners.set(event, (listeners.get(event) ?? new Set()).add(listener));
      },
      off(/** @type {string} */ event, /** @type {() => void} */ listener) {
        listeners.get(event)?.delete(listener);
      },
      /** Takes over traits that Python has changed. @param {Record<string, unknown>} news */
      take(news) {
        Object.assign(state, news);
        for (const name of Object.keys(news)) {
          for (const listener of listeners.get(`change:${name}`) ?? []) listener();
        }
      },
    };
  }

  /** Handles an answer of `session.py`: a new player, a change of the player, or an error. @param {string} json */
  function takeAnswer(json) {
    const { state, title, line, text } = JSON.parse(json);
    const isChange = state && title === undefined;
    if (isChange && model) {
      model.take(state);
      page.postMessage({ busy: false });
      return;
    }
    if (!state) return page.postMessage({ wrong: { line, text } });
    leave();
    model = modelOf(state);
    leave = player.default.render({ model, el: place });
    page.postMessage({ played: { title, line, text } });
    page.postMessage({ height: place.offsetHeight });
  }

  /** Starts to play, because the visitor pressed Run; unless they prefer reduced motion. */
  function begin() {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const root = place.querySelector(".adl-player");
    const button = place.querySelector(".adl-begin");
    if (!(button instanceof HTMLElement)) return;
    // Pressing the button would also move the focus away from the visitor's program, and scroll the page.
    Object.assign(root, { focus() {}, scrollIntoView() {} });
    button.click();
    delete root.focus;
    delete root.scrollIntoView;
  }

  /** @param {Record<string, ArrayBuffer>} files */
  async function start(files) {
    const style = document.createElement("style");
    style.textContent = text(files["player.css"]);
    document.head.append(style);
    worker = new Worker(address(files["worker.js"]));
    worker.onerror = (event) => page.postMessage({ failed: event.message });
    const loaded = import(address(files["player.js"]));
    const ready = new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => {
        if (data.ready) resolve(data.ready);
        if (data.failed) reject(data.failed);
      };
    });
    const forWorker = Object.entries(files).filter(([name]) => !name.startsWith("player."));
    const bytes = Object.fromEntries(forWorker);
    worker.postMessage({ files: bytes }, Object.values(bytes));
    try {
      [player] = await Promise.all([loaded, ready]);
    } catch (error) {
      return page.postMessage({ failed: String(error) });
    }
    worker.onmessage = ({ data }) => {
      if (data.failed) page.postMessage({ failed: data.failed });
      else takeAnswer(data.answer);
    };
    page.postMessage({ ready: true });
  }

  /** The height that the page has for the player, in pixels. The frame's own height follows the player's. */
  let room = 600;
  const fit = () => {
    const around = innerHeight - room || 0.1; // not 0, which the player would take for a missing value
    document.documentElement.style.setProperty("--adl-around", `${around}`);
  };

  /** @param {{theme: string, room: number}} look */
  function takeLook(look) {
    document.documentElement.dataset.theme = look.theme;
    room = look.room;
    fit();
    dispatchEvent(new Event("resize"));
    page.postMessage({ height: place.offsetHeight });
  }
  addEventListener("resize", fit, true);

  /** @param {MessageEvent} event */
  function listen({ data }) {
    if (data.files) start(data.files);
    if (data.look) takeLook(data.look);
    if (data.begin) begin();
    if (data.run !== undefined) worker.postMessage({ run: data.run });
  }

  addEventListener("message", function takePort(event) {
    if (event.source !== parent || !event.ports.length) return;
    removeEventListener("message", takePort);
    [page] = event.ports;
    page.onmessage = listen;
    new ResizeObserver(() => page.postMessage({ height: place.offsetHeight })).observe(place);
  });
}
