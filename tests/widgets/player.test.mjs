// The pure half of player.js. test_player_js.py runs this file, with payloads from the real engine.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

// As the exported page does it: the module is a data: URL, so it needs no package.json to be a module.
const player = await import("data:text/javascript;charset=utf-8," + encodeURIComponent(await readFile(process.env.PLAYER_JS, "utf8")));
const given = JSON.parse(await readFile(process.env.PLAYER_CASES, "utf8"));
const traces = Object.fromEntries(Object.entries(given.payloads).map(([name, payload]) => [name, payload.trace]));
const seed = traces.seed;
const texts = (numbers) => numbers.map((number) => number && number.text);
const written = (trace, s) => player.equationTokens(trace, s).map((tokens) => tokens.map((token) => token.text).join("").trim());

test("before the first step nothing is known", () => {
  const state = player.stateAt(seed, -1);
  assert.deepEqual(state.values, Array(7).fill(null));
  assert.deepEqual(state.adjoints, Array(7).fill(null));
  assert.deepEqual([state.phase, state.line], ["start", null]);
  assert.equal(player.statusText(seed, -1), "5 operations · nothing recorded yet");
  assert.equal(player.sentenceAt(seed, -1), "Nothing is recorded yet. Step forward to run f(x1, x2) at x1 = 2, x2 = 5.");
  assert.deepEqual(player.equationTokens(seed, -1), []);
});

test("values appear while recording, and no adjoint", () => {
  const state = player.stateAt(seed, 2);
  assert.deepEqual(texts(state.values), ["2", "5", "0.6931", null, null, null, null]);
  assert.deepEqual(texts(state.adjoints), Array(7).fill(null));
  assert.equal(player.statusText(seed, 2), "5 operations · recording 3 of 7");
});

test("adjoints arrive and accumulate during the sweep", () => {
  const half = player.stateAt(seed, 9);
  assert.deepEqual(texts(half.adjoints), [null, "−0.2837", null, null, "1", "−1", "1"]);
  assert.equal(half.adjoints[1].value, -0.28366218546322625);
  const end = player.stateAt(seed, 12);
  assert.equal(end.adjoints[0].value, 5.5);
  assert.equal(end.adjoints[1].value, 1.7163378145367738);
  assert.equal(player.statusText(seed, 12), "5 operations · sweep 5 of 5");
});

for (const [name, trace] of Object.entries(traces)) {
  test(`every step of ${name}: the fold, the history and Python agree`, () => {
    const history = player.adjointHistory(trace);
    for (let s = -1; s < trace.steps.length; s++) {
      const folded = texts(player.stateAt(trace, s).adjoints);
      assert.deepEqual(texts(trace.lines.map((_, i) => player.adjointAt(history, i, s))), folded);
      assert.deepEqual(folded, given.adjoints[name][s + 1]);
    }
  });

  test(`every step of ${name}: only touched lines change, so only they need redrawing`, () => {
    for (let s = 0; s < trace.steps.length; s++) {
      const [before, after] = [player.stateAt(trace, s - 1), player.stateAt(trace, s)];
      const touched = new Set(player.touchedLines(trace, s));
      trace.lines.forEach((_, i) => {
        if (before.values[i] !== after.values[i] || before.adjoints[i] !== after.adjoints[i]) assert.ok(touched.has(i));
      });
    }
  });

  test(`every step of ${name} has arithmetic that ends in the new number`, () => {
    trace.steps.forEach((step, s) => {
      const equations = player.equationTokens(trace, s);
      assert.ok(equations.length >= 1);
      step.sends.forEach((send, k) => assert.equal(equations[k].at(-1).text, send.after.text));
      if (step.phase === "record") assert.equal(equations[0].at(-1).text, trace.lines[step.line].value.text);
    });
  });
}

test("the arithmetic of the seed function", () => {
  assert.deepEqual(written(seed, 0), ["v₋₁ = x1 = 2"]);
  assert.deepEqual(written(seed, 2), ["v₁ = log v₋₁ = log 2 = 0.6931"]);
  assert.deepEqual(written(seed, 3), ["v₂ = v₋₁ · v₀ = 2 · 5 = 10"]);
  assert.deepEqual(written(seed, 6), ["v₅ = v₃ − v₄ = 10.6931 − (−0.9589) = 11.6521"]);
  assert.deepEqual(written(seed, 9), ["v̄₀ = not reached + v̄₄ · ∂v₄/∂v₀ = (−1) × cos v₀ = (−1) × 0.2837 = −0.2837"]);
  assert.deepEqual(written(seed, 11)[1], "v̄₀ = −0.2837 + v̄₂ · ∂v₂/∂v₀ = −0.2837 + 1 × v₋₁ = −0.2837 + 1 × 2 = 1.7163");
  assert.deepEqual(written(seed, 12), [
    "v̄₋₁ = 5 + v̄₁ · ∂v₁/∂v₋₁ = 5 + 1 × (1 / v₋₁) = 5 + 1 × 0.5 = 5.5",
    "∂f/∂x1 = 5.5   ∂f/∂x2 = 1.7163",
  ]);
});

test("not reached is written in another way than 0", () => {
  assert.equal(written(traces.constant, 2).at(-1), "∂constant/∂x1 = 0 (never reached)   ∂constant/∂x2 = 0 (never reached)");
  const kinds = (s) => player.equationTokens(seed, s)[0].map((token) => token.kind);
  assert.ok(kinds(9).includes("missing"));
  assert.ok(!kinds(12).includes("missing"));
});

test("arrays: a linear map is written as such, an elementwise product with names", () => {
  const at = traces.arrays.steps.findIndex((step) => step.phase === "sweep");
  assert.match(written(traces.arrays, at)[0], /^v̄₄ = not reached \+ .*v̄₅.* = \[0\.3333 0\.3333 0\.3333\]$/);
  assert.match(written(traces.arrays, at + 3)[0], /= v̄₂ × \(1 − v₂ · v₂\) = \[/);
});

test("numbers and expressions are spelled as in Python", () => {
  for (const [x, text] of given.numbers) assert.equal(player.number(x), text);
  for (const [expression, labels, text] of given.expressions) assert.equal(player.readable(expression, labels), text);
  for (const [name, slots] of Object.entries(given.edges)) {
    const labels = player.labelsOf(traces[name]);
    const found = traces[name].lines.flatMap((line) => line.operands.map((operand) => player.edgeText(operand, labels)));
    assert.deepEqual(found, slots);
  }
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
