// The state of a player and what becomes of it. test_js.py runs this file, with payloads from the real engine.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const files = JSON.parse(process.env.PLAYER_MODULES).map((path) => pathToFileURL(path).href);
const player = Object.assign({}, ...(await Promise.all(files.map((file) => import(file)))));
const given = JSON.parse(await readFile(process.env.PLAYER_CASES, "utf8"));

const begin = (payload = given.payloads.seed, options = {}) =>
  player.initialState(payload, options);
const last = (state) => player.traceAt(state).steps.length - 1;
/** A state must not be written to: not even what is inside of it. */
const frozen = (state) => {
  for (const part of [state, state.details, state.lens, state.groups, state.prediction])
    Object.freeze(part);
  return state;
};

test("a store tells of each change, in order, also of one that a listener makes", () => {
  const store = player.createStore({ n: 0, echo: 0 });
  const heard = [];
  store.subscribe(({ n, echo }) => {
    if (echo !== n) store.update({ echo: n });
  });
  const leave = store.subscribe((state, before) => heard.push([before?.n ?? null, state.n]));
  store.update({ n: 1 });
  store.update((state) => ({ ...state, n: state.n + 1 }));
  assert.deepEqual(store.get(), { n: 2, echo: 2 });
  assert.deepEqual(heard, [
    [null, 0],
    [0, 1],
    [1, 1],
    [1, 2],
    [2, 2],
  ]);
  leave();
  store.update({ n: 3 });
  assert.equal(heard.length, 5);
});

test("a store that a listener fails in goes on", () => {
  const store = player.createStore({ n: 0 });
  store.subscribe(({ n }) => {
    if (n === 1) throw new Error("a listener");
  });
  assert.throws(() => store.update({ n: 1 }));
  store.update({ n: 2 });
  assert.equal(store.get().n, 2);
});

test("a render runs when what it depends on has changed", () => {
  const rendered = [];
  const render = player.whenChanged(
    ({ a, b }) => [a, b],
    ({ a, b }) => rendered.push([a, b]),
  );
  for (const [a, b, c] of [
    [1, 2, 3],
    [1, 2, 4],
    [1, 3, 4],
    [NaN, 3, 4],
    [NaN, 3, 5],
  ])
    render({ a, b, c });
  assert.deepEqual(rendered, [
    [1, 2],
    [1, 3],
    [NaN, 3],
  ]);
});

test("at the start the inputs are there, and the first stop is the first operation", () => {
  const state = begin();
  const { at, shown, landed, step } = player.momentOf(state);
  assert.deepEqual([at, shown, landed, step], [-1, -1, 1, undefined]);
  assert.deepEqual(
    [0, 1, 2, 3].map((line) => player.markOf(player.momentOf(state), line).recorded),
    [true, true, false, false],
  );
  assert.equal(player.stopOf(player.sought(state, 0)), 2, "the first that does something");
  assert.equal(player.stopOf(player.sought(player.sought(state, 5), 1)), -1, "an input");
  assert.equal(player.stopOf(player.sought(state, Infinity)), last(state));
  assert.ok(player.isAtEnd(player.sought(state, Infinity)) && !player.isAtEnd(state));
});

test("one steps to a step with its motion, and comes from elsewhere at once", () => {
  const start = frozen(begin());
  const first = frozen(player.sought(start, 0, true));
  assert.deepEqual([first.progress, first.isRunning], [0, true]);
  assert.equal(player.momentOf(first).landed, first.step - 1);
  const far = player.sought(first, 7, true);
  assert.deepEqual([far.progress, far.isRunning], [1, false]);
  const again = player.sought(far, 6, true);
  assert.deepEqual([again.step, again.isRunning], [6, false], "back is shown at once");
  const same = player.sought(again, 6);
  assert.notEqual(same.arrivals, again.arrivals, "a learner who has scrolled away finds it again");
});

test("a motion lands before it ends, and runs until then", () => {
  let state = player.sought(begin(), 0, true);
  let landed = 0;
  for (let k = 0; k < 20; k++) {
    assert.equal(state.isRunning, state.progress < 1);
    const moment = player.momentOf(state);
    assert.equal(moment.landed, player.hasLanded(moment.step, moment.u) ? state.step : 1);
    landed += Number(moment.landed === state.step && state.isRunning);
    state = player.moved(frozen(state), 0.07);
  }
  assert.ok(landed > 0);
  assert.deepEqual([state.progress, state.isRunning], [1, false]);
  assert.deepEqual(player.finished(player.sought(begin(), 0, true)), player.sought(begin(), 0));
});

test("pausing stops what goes on by itself", () => {
  const moving = { ...player.sought(begin(), 0, true), isPlaying: true };
  const { isPlaying, isRunning, progress } = player.paused(moving);
  assert.deepEqual([isPlaying, isRunning, progress], [false, false, 1]);
});

test("another mode stays at its step; what points at the old run is let go", () => {
  const at = frozen({ ...player.sought(begin(), 4), hover: { line: 4 } });
  const both = player.inMode(at, "both", "x2");
  assert.equal(player.traceAt(both).mode, "both");
  assert.deepEqual([player.stopOf(both), both.hover], [4, null]);
  const end = player.sought(both, Infinity);
  const forward = player.inMode(end, "forward", "x2");
  assert.equal(player.stopOf(forward), last(forward), "it is shorter, so this is its end");
  const none = player.inMode(at, "forward", "no such direction");
  assert.ok(player.directionAt(none) in player.runAt(none).runs.forward);
  assert.equal(player.runAt(both), player.runAt({ ...both, hover: { line: 1 } }), "read once");
});

// Of a long run a stretch is shown, and some others are at hand.

const long = given.grouped.long[0];
const steps = player.stepsOf(player.traceAt(begin(long)));
const isAtHand = (step) => [long, ...long.others].some(({ trace }) => player.hasStep(trace, step));
const wholeRun = Array.from({ length: steps }, (_, step) => step);
const missing = wholeRun.find((step) => !isAtHand(step));
const beside = wholeRun.find((step) => isAtHand(step) && !player.hasStep(long.trace, step));

test("a stretch that is at hand takes the place of the other, and gives it back", () => {
  const start = frozen(begin(long));
  const other = frozen(player.sought(start, beside));
  assert.equal(player.stopOf(other), beside);
  assert.notEqual(player.traceAt(other).excerpt.number, player.traceAt(start).excerpt.number);
  assert.equal(other.payload.others.length, long.others.length);
  const back = player.sought(other, -1);
  assert.deepEqual([player.stopOf(back), back.wanted], [-1, null]);
  assert.equal(player.traceAt(back).excerpt.number, player.traceAt(start).excerpt.number);
});

test("a step of a stretch that is not at hand is wanted, or it is said that it is not here", () => {
  assert.ok(missing > 0);
  const asking = player.sought(frozen(begin(long, { canFetch: true })), missing);
  assert.deepEqual([asking.wanted, player.stopOf(asking), asking.notice], [missing, -1, ""]);
  const later = player.sought(asking, missing + 1);
  assert.equal(later.wanted, missing + 1, "asked for another before the first has come");
  const alone = player.sought(begin(long), missing);
  assert.deepEqual([alone.wanted, player.stopOf(alone)], [null, -1]);
  assert.equal(alone.notice, long.no_others);
  assert.equal(player.sought(alone, 5).notice, "");
});

test("the stretch that comes shows the step that is wanted; an older answer does not end that", () => {
  const middle = given.grouped.long[1];
  const trace = player.read(middle.trace);
  const step = player.wholeStep(trace, trace.excerpt.parts[0].first + 5);
  const asking = player.sought(begin(long, { canFetch: true }), step);
  const here = { ...asking, wanted: step };
  const come = player.loaded(here, { ...middle });
  assert.deepEqual([player.stopOf(come), come.wanted], [step, null]);
  const other = { ...asking, wanted: missing };
  assert.equal(player.loaded(other, { ...long }).wanted, missing);
});

test("what the host is told: the steps that are shown, and once a step that has to be fetched", () => {
  const told = [];
  const store = player.createStore(begin(long, { canFetch: true }));
  store.subscribe(player.hostListener({ onStep: (step) => told.push(step) }));
  const seek = (step) => store.update((state) => player.sought(state, step));
  seek(5);
  seek(missing);
  seek(missing + 1);
  assert.deepEqual(told, [-1, 5, missing]);
  store.update((state) => player.loaded(state, { ...long }));
  assert.equal(told.at(-1), missing + 1, "the answer was to an older question");
  const { length } = told;
  store.update({ hover: { line: 1 } });
  assert.equal(told.length, length);
});

for (const [name, payload] of Object.entries({ ...given.payloads, long }))
  test(`${name}: between two moments only the lines that are told change`, () => {
    const start = begin(payload);
    const { trace } = player.runAt(start);
    const count = Math.min(trace.steps.length, 60);
    const run = player.runAt(start);
    const looks = (moment, line) =>
      JSON.stringify([
        player.markOf(moment, line),
        player.adjointOf(moment, line)?.text,
        [...player.edgeSharesOf(moment, line)],
      ]);
    for (let k = 0; k < 60; k++) {
      const [one, other] = [k * 7, k * 11 + 3].map((n) =>
        player.momentAt(run, n % count, [0.1, 0.97, 1][(n + k) % 3]),
      );
      const changed = new Set(player.changedLines(one, other));
      for (let line = 0; line < trace.lines.length; line++)
        if (!changed.has(line)) assert.equal(looks(one, line), looks(other, line), `line ${line}`);
    }
  });

test("predicting: the first answer counts, and after the last question none is open", () => {
  const state = begin(given.payloads.seed, { predict: true });
  const { trace } = player.runAt(state);
  let prediction = player.asked(state.prediction, trace, 10);
  const [partial, adjoint] = trace.steps[10].questions;
  assert.equal(prediction.pending.question, partial);
  prediction = player.answered(prediction, trace, "-0.2837");
  prediction = player.answered(prediction, trace, "five");
  assert.equal(prediction.said.look, "wrong");
  prediction = player.answered(prediction, trace, partial.answer.text);
  assert.deepEqual(prediction.score, { right: 0, asked: 1, mistakes: { sign: 1 } });
  assert.equal(prediction.pending.question, adjoint);
  prediction = player.revealed(prediction, trace);
  assert.deepEqual(prediction.score, { right: 0, asked: 2, mistakes: { sign: 1 } });
  assert.deepEqual([prediction.pending, prediction.said.look], [null, "shown"]);
  assert.equal(player.asked(prediction, trace, 10), null, "it has been asked");
  const anew = player.turned(prediction, trace, true);
  assert.equal(player.asked(anew, trace, 10).pending.question, partial);
  const picky = { ...anew, kind: "adjoint" };
  assert.equal(player.asked(picky, trace, 10).pending.question, adjoint);
  assert.equal(player.left(player.asked(anew, trace, 10)).pending, null);
  assert.equal(player.asked(player.turned(anew, trace, false), trace, 10), null);
});

test("a run without questions says so, where somebody asks for them", () => {
  const { trace } = player.runAt(begin());
  const silent = { ...trace, steps: trace.steps.map((step) => ({ ...step, questions: [] })) };
  const refused = player.turned(player.noPrediction(), silent, true);
  assert.deepEqual([refused.on, refused.isRefused], [false, true]);
  assert.equal(refused.said.text, trace.say("no questions"));
  assert.equal(player.turned(refused, silent, false).isRefused, false);
});

test("entries are those of an array; a number leaves what is open", () => {
  const state = begin(given.arrays.rows);
  const { lines } = player.traceAt(state);
  const number = lines.findIndex(({ value }) => !value.shape.length);
  const open = player.entriesShown(state, 0);
  assert.deepEqual(open.entries, { line: 0, slice: 0 });
  assert.deepEqual(player.entriesShown(open, number).entries, open.entries);
  const turned = { ...open, entries: { line: 0, slice: 2 } };
  assert.equal(player.entriesShown(turned, 0).entries.slice, 2);
  assert.equal(player.entriesShown(turned, 1).entries.slice, 0);
});

test("while playing nothing stands still: a run that takes the place of the one that moved rests, and goes on", () => {
  const timers = [];
  const given = ["window", "clearTimeout", "requestAnimationFrame", "cancelAnimationFrame"];
  const kept = Object.fromEntries(given.map((name) => [name, globalThis[name]]));
  Object.assign(globalThis, {
    window: { setTimeout: (go, wait) => timers.push({ go, wait }) },
    clearTimeout: () => {},
    requestAnimationFrame: () => 1,
    cancelAnimationFrame: () => {},
  });
  try {
    const store = player.createStore({ ...begin(), isPlaying: true });
    const goOn = () => {
      store.update((state) => player.sought(state, player.nextStop(state), true));
      return true;
    };
    const clock = player.clockOf(store, { goOn, pause: () => store.update(player.paused) });
    store.subscribe(clock.render);
    clock.beat();
    assert.ok(store.get().isRunning);
    const before = store.get().step;
    timers.length = 0;
    store.update((state) => player.loaded(state, { ...state.payload }));
    assert.deepEqual([store.get().isRunning, store.get().isPlaying], [false, true]);
    assert.equal(timers.length, 1, "the next step follows after a rest");
    timers[0].go();
    assert.equal(store.get().step, before + 1);
  } finally {
    Object.assign(globalThis, kept);
  }
});

/** The seed function at (2, 5), whose first slider a hand has moved; Python's answer is there. */
function moved(name, { step = Infinity, ...given_ } = {}) {
  const controls = ["x1", "x2"].map((one) => ({ name: one, min: 0, max: 10, step: 0.1, value: 2 }));
  const there = player.sought({ ...begin(), controls, ...given_ }, step);
  return player.loaded(player.touched(there, 0), given.moved[name]);
}

test("a moved slider: what has moved, and what the adjoint said of it", () => {
  assert.deepEqual(player.changeAt(moved("x1")), {
    moved: "Δx1 = +0.1 → Δy = +0.549",
    forecast: "the adjoint said 5.5 × 0.1 = 0.55",
  });
  assert.deepEqual(player.changeAt(moved("x1 back")), {
    moved: "Δx1 = −0.1 → Δy = −0.551",
    forecast: "the adjoint said 5.5 × (−0.1) = −0.55",
  });
});

test("the adjoint has said nothing before it is there", () => {
  for (const step of [-1, 7, 13])
    assert.equal(player.changeAt(moved("x1", { step })).forecast, "", `${step}`);
});

test("where another input has moved too, or nothing, or with an error, nothing is said of a change", () => {
  assert.equal(player.changeAt(moved("both")), null);
  assert.equal(player.changeAt({ ...moved("x1"), error: "ValueError" }), null);
  const still = moved("x1");
  assert.equal(player.changeAt({ ...still, felt: null }), null);
  assert.equal(player.changeAt({ ...still, felt: { ...still.felt, before: still.payload } }), null);
});

test("old values are those from before the hand began, until it rests for long or takes another slider", () => {
  const first = moved("x1");
  const old = [...player.ghostsAt(first)];
  assert.deepEqual(old, [
    [0, "2"],
    [2, "0.6931"],
    [3, "10"],
    [4, "10.6931"],
    [6, "11.6521"],
  ]);
  const further = player.loaded(player.touched(first, 0), given.moved["x1 back"]);
  assert.deepEqual([...player.ghostsAt(further)], old, "the hand is still at it");
  assert.equal(
    player.touched(player.rested(first, { isFaint: true }), 0).felt.before,
    first.payload,
  );
  assert.equal(player.touched(first, 1).felt.before, first.payload);
  assert.equal(player.sought(first, 3).felt, null, "a step takes its place");
  assert.equal(player.ghostsAt(player.sought(first, 3)).size, 0);
});
