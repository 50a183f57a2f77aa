// The pure half of player.js. test_player_js.py runs this file, with payloads from the real engine.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

// As the exported page does it: the module is a data: URL, so it needs no package.json to be a module.
const player = await import("data:text/javascript;charset=utf-8," + encodeURIComponent(await readFile(process.env.PLAYER_JS, "utf8")));
const given = JSON.parse(await readFile(process.env.PLAYER_CASES, "utf8"));
const traces = Object.fromEntries(Object.entries(given.payloads).map(([name, payload]) => [name, player.read(payload.trace)]));
const seed = traces.seed;
const texts = (numbers) => numbers.map((number) => number && number.text);
const written = (trace, s) => player.equationsAt(trace, s).map((pieces) => pieces.map(([, text]) => text).join(""));
const adjoints = (trace, s) => {
  const history = player.adjointHistory(trace);
  return trace.lines.map((_, i) => player.adjointAt(history, i, s));
};

test("before the first step nothing is known", () => {
  assert.deepEqual(adjoints(seed, -1), Array(7).fill(null));
  assert.equal(player.statusText(seed, -1), "5 operations · nothing recorded yet");
  assert.equal(player.sentenceAt(seed, -1), "Nothing is recorded yet. Step forward to run f(x1, x2) at x1 = 2, x2 = 5.");
  assert.deepEqual(player.equationsAt(seed, -1), []);
});

test("while recording there is no adjoint", () => {
  assert.deepEqual(adjoints(seed, 2), Array(7).fill(null));
  assert.equal(player.statusText(seed, 2), "5 operations · recording 3 of 7");
});

test("adjoints arrive and accumulate during the sweep", () => {
  const half = adjoints(seed, 9);
  assert.deepEqual(texts(half), [null, "−0.2837", null, null, "1", "−1", "1"]);
  assert.equal(half[1].value, -0.28366218546322625);
  const end = adjoints(seed, 12);
  assert.equal(end[0].value, 5.5);
  assert.equal(end[1].value, 1.7163378145367738);
  assert.equal(player.statusText(seed, 12), "5 operations · sweep 5 of 5");
});

for (const [name, trace] of Object.entries(traces)) {
  test(`every step of ${name} has the adjoints that Python has`, () => {
    for (let s = -1; s < trace.steps.length; s++) assert.deepEqual(texts(adjoints(trace, s)), given.adjoints[name][s + 1]);
  });

  test(`every step of ${name}: only touched lines change, so only they need redrawing`, () => {
    for (let s = 0; s < trace.steps.length; s++) {
      const [before, after] = [adjoints(trace, s - 1), adjoints(trace, s)];
      const touched = new Set(player.touchedLines(trace, s));
      assert.ok(touched.has(trace.steps[s].line));
      trace.lines.forEach((_, i) => assert.ok(before[i] === after[i] || touched.has(i)));
    }
  });

  test(`every step of ${name} shows Python's sentence and arithmetic`, () => {
    trace.steps.forEach((step, s) => {
      assert.equal(player.sentenceAt(trace, s), given.sentences[name][s]);
      assert.deepEqual(written(trace, s), given.equations[name][s]);
      for (const pieces of player.equationsAt(trace, s)) for (const [kind, text] of pieces) assert.ok(kind && text);
    });
  });
}

test("not reached is shown in another way than 0", () => {
  const kinds = (s) => player.equationsAt(seed, s)[0].map(([kind]) => kind);
  assert.ok(kinds(9).includes("missing"));
  assert.ok(!kinds(12).includes("missing"));
});

test("every kind of piece that Python writes has a name here", () => {
  for (const [letter, kind] of Object.entries(given.kinds)) {
    const trace = { steps: [{ equations: [[letter, ["text"]]] }] };
    assert.deepEqual(player.equationsAt(trace, 0), [[[kind, "text"]]]);
  }
});

test("beside a moving slider stands where it is", () => {
  assert.deepEqual([2, -0.5, 0.7031471805599453, 1e-7].map(player.atSlider), ["2", "−0.5", "0.703147", "1e−7"]);
});

test("keys step, unless the focused element needs them itself", () => {
  const pane = { tag: "DIV" };
  assert.equal(player.keyAction({ key: "ArrowRight" }, pane), "forward");
  assert.equal(player.keyAction({ key: "ArrowLeft" }, { tag: "BUTTON" }), "back");
  assert.equal(player.keyAction({ key: "Home" }, pane), "first");
  assert.equal(player.keyAction({ key: "End" }, pane), "last");
  assert.equal(player.keyAction({ key: " " }, pane), "toggle");
  assert.equal(player.keyAction({ key: " " }, { tag: "BUTTON" }), null);
  assert.equal(player.keyAction({ key: " " }, { tag: "g", role: "button" }), null);
  assert.equal(player.keyAction({ key: " " }, { tag: "INPUT" }), "toggle");
  assert.equal(player.keyAction({ key: "ArrowRight" }, { tag: "INPUT" }), null);
  assert.equal(player.keyAction({ key: "End" }, { tag: "SELECT" }), null);
  assert.equal(player.keyAction({ key: "a" }, pane), null);
  for (const held of ["ctrlKey", "altKey", "metaKey", "shiftKey"])
    assert.equal(player.keyAction({ key: "ArrowRight", [held]: true }, pane), null);
});

test("a throttled slider sends rarely, and always its last value", () => {
  let time = 0;
  const waiting = [];
  const sent = [];
  const send = player.throttle((value) => sent.push(value), 60, { now: () => time, later: (f, ms) => waiting.push([time + ms, f]) });
  for (const [now, value] of [[0, 1], [10, 2], [20, 3], [59, 4]]) {
    time = now;
    send(value);
  }
  assert.deepEqual(sent, [1]);
  assert.equal(waiting.length, 1);
  time = waiting[0][0];
  waiting[0][1]();
  assert.deepEqual(sent, [1, 4]);
});

test("a step is clamped to what there is", () => {
  assert.deepEqual([-5, -1, 3, 99, Infinity].map((s) => player.clampStep(seed, s)), [-1, -1, 3, 12, 12]);
});
