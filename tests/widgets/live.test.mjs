// The page's half of `live.py`, on a page that is a few lines long: run by test_live.py.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { pathToFileURL } from "node:url";

class Element {
  children = [];
  get firstChild() {
    return this.children[0];
  }
  append(child) {
    this.children.push(child);
  }
  replaceChildren(...children) {
    this.children = children;
  }
  replaceWith(other) {
    this.place = other;
  }
  contains(other) {
    return this === other || this.children.some((child) => child.contains(other));
  }
  querySelector() {
    return this.focusable;
  }
}
globalThis.document = { createElement: () => new Element(), activeElement: null };

const { announce, settle } = await import(pathToFileURL(process.env.LIVE));
const shared = globalThis.autodiffLab;
beforeEach(() => [shared.live, shared.places].forEach((map) => map.clear()));

function model(key = "k") {
  const listeners = new Set();
  return {
    key,
    listeners,
    value: 1,
    get: (name) => (name === "key" ? key : 1),
    on: (event, listener) => listeners.add(listener),
    off: (event, listener) => listeners.delete(listener),
    change: () => [...listeners].forEach((listener) => listener()),
  };
}
/** Renders a word, and counts what it hears. */
function renderer(log) {
  return ({ model, el }) => {
    const hear = () => log.push("heard");
    model.on("change", hear);
    el.heard = hear; // as the elements of a page hold what they call
    el.append(Object.assign(new Element(), { live: model.get("value") }));
    log.push("rendered");
    return () => {
      model.off("change", hear);
      log.push("left");
    };
  };
}
const shown = (figure) => figure.place.firstChild;
const ALONE = new Element();
const standIn = (log) => async () => (place) => {
  place.replaceChildren(ALONE);
  log.push("alone");
  return () => log.push("alone left");
};

test("a widget that is there already is shown at once, and nothing stands in for it", async () => {
  const log = [],
    figure = new Element();
  announce(model(), renderer(log));
  await settle(figure, "k", standIn(log));
  assert.deepEqual(log, ["rendered"]);
  assert.equal(shown(figure).firstChild.live, 1);
});

test("until it comes, something stands in for it", async () => {
  const log = [],
    figure = new Element();
  await settle(figure, "k", standIn(log));
  assert.equal(shown(figure), ALONE);
  announce(model("another"), renderer(log));
  assert.deepEqual(log, ["alone"]);
  announce(model(), renderer(log));
  assert.deepEqual(log, ["alone", "alone left", "rendered"]);
});

test("it may come while what stands in is fetched", async () => {
  const log = [],
    figure = new Element();
  const settled = settle(figure, "k", standIn(log));
  announce(model(), renderer(log));
  await settled;
  assert.deepEqual(log, ["rendered"]);
});

test("with nothing to stand in the figure stays, until the widget comes", async () => {
  const log = [],
    figure = new Element();
  await settle(figure, "k");
  assert.equal(shown(figure), figure);
  announce(model(), renderer(log));
  assert.notEqual(shown(figure), figure);
});

test("a page without a kernel waits for nobody", async () => {
  const log = [],
    figure = new Element();
  announce(model(""), renderer(log));
  await settle(figure, "", standIn(log));
  assert.deepEqual(log, ["alone"]);
  assert.equal(shared.places.size, 0);
});

test("one widget is shown in as many places as there are", async () => {
  const log = [],
    one = new Element(),
    other = new Element();
  await settle(one, "k");
  const live = model();
  announce(live, renderer(log));
  await settle(other, "k");
  assert.deepEqual(log, ["rendered", "rendered"]);
  live.change();
  assert.deepEqual(log.slice(2), ["heard", "heard"]);
});

test("the same widget is not shown again, its successor is", async () => {
  const log = [],
    figure = new Element(),
    first = model(),
    second = model();
  await settle(figure, "k");
  announce(first, renderer(log));
  announce(first, renderer(log));
  assert.deepEqual(log, ["rendered"]);
  announce(second, renderer(log));
  assert.deepEqual(log, ["rendered", "left", "rendered"]);
  assert.equal(first.listeners.size, 0);
});

test("a widget that is closed is not found any more, but its successor is", async () => {
  const log = [],
    figure = new Element();
  const close = announce(model(), renderer(log));
  announce(model(), renderer(log))();
  close();
  await settle(figure, "k");
  assert.deepEqual(log, []);
});

test("who has the focus keeps it", async () => {
  const log = [],
    figure = new Element();
  await settle(figure, "k");
  document.activeElement = figure;
  figure.place.focusable = { focus: () => log.push("focused") };
  announce(model(), renderer(log));
  document.activeElement = null;
  assert.deepEqual(log, ["rendered", "focused"]);
});

test("a place that is thrown away is heard of no more, and the widget lives on", async () => {
  const log = [],
    live = model();
  announce(live, renderer(log));
  let figure = new Element();
  await settle(figure, "k");
  live.change();
  assert.deepEqual(log, ["rendered", "heard"]);
  figure = null;
  // What is held weakly is let go between two turns of the event loop.
  for (let k = 0; k < 10 && live.listeners.size; k++) {
    await new Promise((resolve) => setTimeout(resolve));
    globalThis.gc();
    live.change();
  }
  assert.equal(live.listeners.size, 0);
});
