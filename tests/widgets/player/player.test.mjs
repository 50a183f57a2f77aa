// The pure half of the player. test_js.py runs this file, with payloads from the real engine: once on the modules
// as they are written, once on the one text that they are joined to.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const files = JSON.parse(process.env.PLAYER_MODULES).map((path) => pathToFileURL(path).href);
const player = Object.assign({}, ...(await Promise.all(files.map((file) => import(file)))));
const given = JSON.parse(await readFile(process.env.PLAYER_CASES, "utf8"));
const all = Object.fromEntries(
  Object.entries(given.payloads).map(([name, payload]) => [name, player.readAll(payload)]),
);
const traces = Object.fromEntries(
  Object.entries(all).map(([name, runs]) => [name, player.chosen(runs, "reverse", "")]),
);
const seed = traces.seed;
const texts = (numbers) => numbers.map((number) => number && number.text);
const written = (trace, s) =>
  player.equationsAt(trace, s).map((pieces) => pieces.map(([, text]) => text).join(""));
const adjoints = (trace, s) => {
  const history = player.adjointHistory(trace);
  return trace.lines.map((_, i) => player.adjointAt(history, i, s));
};

test("before the first step nothing is known", () => {
  assert.deepEqual(adjoints(seed, -1), Array(7).fill(null));
  assert.equal(player.statusText(seed, -1), "5 operations · nothing recorded yet");
  assert.equal(
    player.sentenceAt(seed, -1),
    "Nothing is recorded yet. Step forward to run f(x1, x2) at x1 = 2, x2 = 5.",
  );
  assert.deepEqual(player.equationsAt(seed, -1), []);
});

test("while recording there is no adjoint", () => {
  assert.deepEqual(adjoints(seed, 2), Array(7).fill(null));
  assert.equal(player.statusText(seed, 2), "5 operations · recording 3 of 7");
});

test("adjoints arrive and accumulate during the sweep", () => {
  assert.deepEqual(
    texts(adjoints(seed, 8)),
    [null, null, null, null, "1", null, "1"],
    "one contribution a step",
  );
  const half = adjoints(seed, 10);
  assert.deepEqual(texts(half), [null, "−0.2837", null, null, "1", "−1", "1"]);
  assert.equal(half[1].value, -0.28366218546322625);
  const end = adjoints(seed, 15);
  assert.equal(end[0].value, 5.5);
  assert.equal(end[1].value, 1.7163378145367738);
  assert.equal(player.statusText(seed, 15), "5 operations · sweep 8 of 8");
});

for (const [name, trace] of Object.entries(traces)) {
  test(`every step of ${name} has the adjoints that Python has`, () => {
    for (let s = -1; s < trace.steps.length; s++)
      assert.deepEqual(texts(adjoints(trace, s)), given.adjoints[name][s + 1]);
  });

  test(`every step of ${name}: only touched lines change, so only they need redrawing`, () => {
    const run = player.runOf(trace);
    for (let s = 0; s < trace.steps.length; s++) {
      const [before, after] = [adjoints(trace, s - 1), adjoints(trace, s)];
      const touched = new Set(player.touchedLines(trace, s));
      assert.ok(touched.has(trace.steps[s].line));
      trace.lines.forEach((_, i) => {
        const [shown, then] = [s - 1, s].map((k) => player.markAt(run, i, k));
        assert.ok(
          touched.has(i) ||
            (before[i] === after[i] &&
              ["recorded", "released", "swept"].every((mark) => shown[mark] === then[mark])),
        );
      });
      for (const line of trace.steps[s].freed_lines) assert.ok(touched.has(line));
    }
  });

  test(`every step of ${name} shows Python's sentence and arithmetic`, () => {
    trace.steps.forEach((step, s) => {
      const [announced, told] = given.sentences[name][s];
      assert.equal(player.sentenceAt(trace, s), told);
      assert.equal(player.sentenceAt(trace, s, false), announced || told);
      assert.deepEqual(written(trace, s), given.equations[name][s]);
      for (const pieces of player.equationsAt(trace, s))
        for (const [kind, text] of pieces) assert.ok(kind && text);
    });
  });
}

for (const [name, runs] of Object.entries(all)) {
  test(`${name} forward: every step has Python's tangents, and the lines of the run in reverse`, () => {
    for (const [direction, run] of Object.entries(runs.forward)) {
      assert.deepEqual(run.lines, runs.reverse.lines);
      run.steps.forEach((step, s) => {
        assert.equal(step.phase, "forward");
        assert.equal(step.line, s, "a line is computed at the step of its number");
        run.lines.forEach((_, i) =>
          assert.deepEqual(
            player.tangentsOf(run, i).map((t) => t.text),
            given.tangents[name][direction].at(-1)[i],
          ),
        );
      });
    }
  });

  test(`${name}, both modes: the run forward, then the sweep`, () => {
    for (const direction of Object.keys(runs.forward)) {
      const both = player.chosen(runs, "both", direction);
      assert.equal(both.steps.length, runs.reverse.steps.length);
      both.steps.forEach((step, s) => {
        assert.equal(step.phase === "forward", s < both.lines.length);
        const [forward, reverse] = player.metersAt(both, s);
        assert.deepEqual(reverse[1], given.meters[name][s]);
        assert.deepEqual(
          forward[1],
          runs.forward[direction].steps[Math.min(s, both.lines.length - 1)].meter,
        );
      });
      const agreement = given.agreements[name][direction];
      if (agreement && both.steps.length > both.lines.length)
        assert.equal(written(both, both.steps.length - 1).at(-1), agreement);
      const run = player.runOf(both);
      assert.deepEqual(
        both.lines.map((_, i) => player.markAt(run, i, both.steps.length - 1).recorded),
        both.lines.map(() => true),
      );
    }
  });
}

test("each of several results has its seed, which the sweep adds to", () => {
  const trace = player.chosen(player.readAll(given["all results"]), "reverse", "");
  const run = player.runOf(trace);
  const [y, sine] = trace.seeds.map(({ line }) => line);
  assert.deepEqual(
    trace.steps.map(({ phase, line }) => (phase === "seed" ? line : -1)).filter((i) => i >= 0),
    [y, sine],
  );
  const terms = (line, s) => texts(player.termsAt(run, line, s));
  assert.deepEqual(terms(y, run.first), ["10"]);
  assert.deepEqual(terms(sine, run.first), [], "its seed is still to come");
  assert.deepEqual(terms(sine, run.first + 1), ["1"]);
  assert.deepEqual(terms(y, run.first + 2), ["10", "−0.9111"], "and what the sine sends");
  assert.equal(player.adjointAt(run.history, y, run.first + 2).text, "9.0889");
  const isResult = (i) => player.isResultLine(trace, i);
  assert.deepEqual([0, y, sine].map(isResult), [false, true, true]);
  assert.deepEqual(
    [5, 6].map((i) => player.isResultLine(seed, i)),
    [false, true],
  );
  assert.equal(player.statusText(trace, run.first + 2), "2 operations · sweep 1 of 3");
});

test("the sum at a node, contribution by contribution", () => {
  const run = player.runOf(seed);
  const terms = (line, s) => texts(player.termsAt(run, line, s));
  assert.deepEqual(terms(1, 10), ["−0.2837"]);
  assert.deepEqual(
    [seed.steps[10], seed.steps[14]].map(({ line, sends: [{ slot, parent, term }] }) => [
      line,
      slot,
      parent,
      term,
    ]),
    [
      [5, 0, 1, "(−1) × 0.2837"],
      [3, 1, 1, "1 × 2"],
    ],
  );
  assert.deepEqual(terms(1, 13), ["−0.2837"], "the other is still to come");
  assert.deepEqual(terms(1, 15), ["−0.2837", "2"]);
  assert.equal(player.adjointAt(run.history, 1, 15).text, "1.7163");
  assert.equal(player.spellSum(run, 1, 15), "−0.2837 + 2");
  assert.equal(player.spellSum(run, 1, 13), "", "one contribution is no sum");
  assert.deepEqual(terms(6, 7), ["1"], "the seed");
  assert.deepEqual(terms(1, 4), [], "there is no adjoint while recording");
  const forward = player.chosen(all.seed, "forward", "x2");
  assert.deepEqual(
    forward.steps[6].pushes.map(({ term }) => term),
    ["1 × 2", "(−1) × 0.2837"],
  );
  assert.deepEqual(player.termsAt(player.runOf(forward), 6, 6), [], "nor while the program runs");
});

for (const [name, trace] of Object.entries(traces)) {
  test(`${name}: what is shown at a node adds up to its adjoint`, () => {
    const run = player.runOf(trace);
    const last = trace.steps.length - 1;
    trace.lines.forEach((_, i) => {
      const adjoint = player.adjointAt(run.history, i, last);
      if (!adjoint || adjoint.shape?.length) return;
      const terms = player.termsAt(run, i, last);
      const total = terms.reduce((x, { value }) => x + value, 0);
      assert.ok(Math.abs(total - adjoint.value) <= 1e-12 * Math.max(1, Math.abs(total)));
      assert.equal(terms.length, run.contributions[i].length + (i === trace.result ? 1 : 0));
    });
  });

  test(`${name}: an edge is as thick as what came along it, and nothing came too early`, () => {
    const run = player.runOf(trace);
    trace.steps.forEach((step, s) => {
      if (step.phase !== "sweep") return;
      assert.ok(step.sends.length <= 1, "one contribution a step");
      const [before, shares] = [
        player.sharesAt(run, step.line, s - 1),
        player.sharesAt(run, step.line, s),
      ];
      const sent = trace.steps
        .slice(0, s + 1)
        .filter(({ phase, line }) => phase === "sweep" && line === step.line)
        .flatMap(({ sends }) => sends);
      assert.deepEqual(
        [...before.keys()],
        sent.slice(0, sent.length - step.sends.length).map(({ slot }) => slot),
      );
      assert.deepEqual(
        [...shares.keys()],
        sent.map(({ slot }) => slot),
      );
      for (const share of shares.values()) assert.ok(share >= 0 && share <= 1);
    });
  });
}

test("the sweep lets go of lines, and so does a run forward; together the tape keeps what it has", () => {
  const released = (trace, s) =>
    trace.lines.flatMap((_, i) => (player.markAt(player.runOf(trace), i, s).released ? [i] : []));
  assert.deepEqual(released(seed, 8), [], "the other contribution of the line is still to be sent");
  assert.deepEqual(released(seed, 10), [5, 6]);
  assert.deepEqual(released(seed, 15), [2, 3, 4, 5, 6]);
  assert.deepEqual(released(player.chosen(all.seed, "forward", "x1"), 4), [0, 2, 3]);
  const both = player.chosen(all.seed, "both", "x1");
  assert.deepEqual(released(both, 6), []);
  assert.deepEqual(released(both, 15), [2, 3, 4, 5, 6]);
});

test("a faulty engine: what was overwritten is lost, and the truth stands beside it", () => {
  const show = (fault) =>
    player.chosen(
      { reverse: { ...player.read(given.faulty[fault]), say: seed.say }, forward: {} },
      "reverse",
      "",
    );
  const overwriting = show("overwrite");
  const last = overwriting.steps.length - 1;
  const run = player.runOf(overwriting);
  assert.deepEqual(
    overwriting.steps.flatMap(({ sends }) =>
      sends.filter(({ parent }) => parent === 0).map(({ term }) => term),
    ),
    ["1 × 5", "1 × 0.5"],
  );
  assert.deepEqual(texts(player.termsAt(run, 0, last - 1)), ["5"]);
  assert.deepEqual(texts(player.termsAt(run, 0, last)), ["0.5"], "the first is lost");
  assert.deepEqual(
    [player.adjointAt(run.history, 0, last).value, overwriting.truth[0].value],
    [0.5, 5.5],
  );
  const stale = show("stale");
  assert.equal(player.statusText(stale, stale.steps.length - 1), "5 operations · sweep 16 of 16");
  assert.equal(player.touchedLines(stale, 7).length, stale.lines.length);
});

test("numbers are read as people type them", () => {
  const read = {
    0.5: 0.5,
    " −2 ": -2,
    "1/4": 0.25,
    "-0,2837": -0.2837,
    "1e-3": 1e-3,
    ".5": 0.5,
    "+3": 3,
    inf: Infinity,
    "−∞": -Infinity,
    "-Inf": -Infinity,
  };
  for (const [text, x] of Object.entries(read)) assert.equal(player.readNumber(text), x);
  for (const text of [
    "",
    "cos 5",
    "1/2/3",
    "0x10",
    "1 2 3,4.5",
    "--1",
    "1/0",
    "0/0",
    "1e999",
    "∞/2",
    "nan",
  ])
    assert.ok(Number.isNaN(player.readNumber(text)), text);
});

test("an answer is right, a mistake with a name, or wrong", () => {
  const [partial, adjoint] = seed.steps[10].questions;
  assert.deepEqual([partial.kind, adjoint.kind], ["partial", "adjoint"]);
  for (const text of ["0.2837", "0.28366218546", "0.283662", "0.28366"])
    assert.equal(player.judge(partial, text).verdict, "right", text);
  for (const text of ["0.2836", "0.2838", "0.3", "0.29", "0", "inf", "nan"])
    assert.equal(player.judge(partial, text).verdict, "wrong", text);
  for (const text of ["0.28", "0.284", "+0,284"])
    assert.equal(player.judge(partial, text).verdict, "rounded", text);
  assert.deepEqual(player.judge(partial, "-0.2837"), { verdict: "mistake", kind: "sign" });
  assert.deepEqual(player.judge(partial, "0.5744"), { verdict: "mistake", kind: "output" });
  assert.deepEqual(player.judge(partial, "-0.416"), { verdict: "mistake", kind: "point" });
  assert.deepEqual(player.judge(adjoint, "0.2837"), { verdict: "mistake", kind: "incoming" });
  const fanOut = seed.steps[14].questions.at(-1);
  assert.equal(player.judge(fanOut, "1.7163").verdict, "right");
  assert.deepEqual(player.judge(fanOut, "2"), { verdict: "mistake", kind: "overwrote" });
  assert.equal(player.judge(fanOut, "2.1").verdict, "wrong");
  assert.equal(player.judge(fanOut, "two").verdict, "unreadable");
});

test("what is not finite can be answered, and answers nothing else", () => {
  const asked = (value, text) => ({
    answer: { value, text },
    mistakes: [{ kind: "sign", value: -1 }],
  });
  for (const text of ["inf", "∞", "+Infinity"])
    assert.equal(player.judge(asked("inf", "∞"), text).verdict, "right", text);
  for (const text of ["-inf", "1e300", "nan"])
    assert.equal(player.judge(asked("inf", "∞"), text).verdict, "wrong", text);
  assert.equal(player.judge(asked("-inf", "−∞"), "−∞").verdict, "right");
  assert.equal(player.judge(asked("nan", "nan"), "NaN").verdict, "right");
  for (const text of ["inf", "0"])
    assert.equal(player.judge(asked("nan", "nan"), text).verdict, "wrong", text);
  for (const text of ["1/0", "1e999"])
    assert.equal(player.judge(asked(2, "2"), text).verdict, "unreadable", text);
  assert.deepEqual(player.judge(asked("inf", "∞"), "-1"), { verdict: "mistake", kind: "sign" });
  assert.equal(player.judge(asked(Math.LN2, "0.6931"), "0.693").verdict, "rounded");
});

for (const [name, runs] of Object.entries(all)) {
  test(`${name}: every right answer is taken, as shown and in full; every mistake is known by its name and has a hint`, () => {
    for (const run of [runs.reverse, ...Object.values(runs.forward)])
      for (const { questions } of run.steps)
        for (const question of questions) {
          assert.equal(player.judge(question, question.answer.text).verdict, "right");
          assert.equal(player.judge(question, String(question.answer.value)).verdict, "right");
          for (const { kind, value } of question.mistakes) {
            assert.equal(
              player.judge(question, String(value)).verdict,
              "mistake",
              `${question.ask} ${value}`,
            );
            assert.ok(run.hints.some((hint) => hint.kind === kind));
          }
        }
  });
}

test("a recorded sweep is a stretch of its own", () => {
  const runs = player.readAll(given.second);
  const reverse = player.chosen(runs, "reverse", "");
  const stretches = reverse.lines.map(({ sweep_id }) => sweep_id);
  const inner = stretches.indexOf(1);
  assert.deepEqual(
    stretches,
    stretches.map((_, i) => (i < inner ? 0 : 1)),
  );
  assert.deepEqual(
    player.segmentsOf(reverse).map(([name]) => name),
    ["record", "inner", "seed", "sweep"],
  );
  assert.deepEqual(
    player.segmentsOf(player.chosen(runs, "both", "x")).map(([name]) => name),
    ["forward", "inner", "seed", "sweep"],
  );
  assert.deepEqual(player.segmentsOf(seed), [
    ["record", 5],
    ["seed", 1],
    ["sweep", 8],
  ]);
  assert.ok(seed.lines.every(({ sweep_id }) => sweep_id === 0));
});

test("thickness is proportional to the contribution", () => {
  assert.deepEqual([...player.sharesAt(player.runOf(seed), 3, 13)], [[0, 1]]);
  const shares = player.sharesAt(player.runOf(seed), 3, 15);
  assert.deepEqual(
    [...shares],
    [
      [0, 1],
      [1, 0.4],
    ],
  ); // 5 and 2, and 5 is the largest of the run
});

test("a mode that the run does not have gives way to reverse", () => {
  const bare = { reverse: all.seed.reverse, forward: {} };
  assert.equal(player.chosen(bare, "forward", "x1").mode, "reverse");
  assert.equal(player.chosen(bare, "both", "").mode, "reverse");
  assert.equal(player.chosen(all.seed, "forward", "x2").mode, "forward");
});

test("where we are, in words", () => {
  const forward = player.chosen(all.seed, "forward", "x1");
  assert.equal(player.statusText(forward, -1), "5 operations · nothing computed yet");
  assert.equal(player.statusText(forward, 2), "5 operations · forward 3 of 7");
  assert.equal(
    player.statusText(player.chosen(all.seed, "both", "x1"), 15),
    "5 operations · sweep 8 of 8",
  );
});

test("not reached is shown in another way than 0", () => {
  const kinds = (s) => player.equationsAt(seed, s)[0].map(([kind]) => kind);
  assert.ok(kinds(10).includes("missing"));
  assert.ok(!kinds(14).includes("missing"));
});

test("every kind of piece that Python writes has a name here", () => {
  for (const [letter, kind] of Object.entries(player.EQUATION_KINDS)) {
    const trace = { steps: [{ equations: [{ form: letter, pieces: ["text"] }] }] };
    assert.deepEqual(player.equationsAt(trace, 0), [[[kind, "text"]]]);
  }
});

test("a number is written as Python writes it", () => {
  const differing = given.numbers.filter(([x, text]) => player.writeNumber(Number(x)) !== text);
  assert.deepEqual(differing.slice(0, 5), []);
  assert.ok(given.numbers.length > 2000);
  assert.equal(player.writeNumber(NaN), "NaN");
});

test("keys step, unless the focused element needs them itself", () => {
  const pane = { tag: "DIV" };
  assert.equal(player.keyAction({ key: "ArrowRight" }, pane), "forward");
  assert.equal(player.keyAction({ key: "ArrowLeft" }, { tag: "BUTTON" }), "back");
  assert.equal(player.keyAction({ key: "Home" }, pane), "first");
  assert.equal(player.keyAction({ key: "End" }, pane), "last");
  for (const place of [
    pane,
    { tag: "BUTTON" },
    { tag: "SELECT" },
    { tag: "INPUT", type: "range" },
    { tag: "INPUT", type: "text" },
  ])
    assert.equal(player.keyAction({ key: "PageDown" }, place), "forward"); // a clicker steps wherever one is
  assert.equal(player.keyAction({ key: "PageUp" }, pane), "back");
  assert.equal(player.keyAction({ key: "PageDown", ctrlKey: true }, pane), null);
  assert.equal(player.keyAction({ key: " " }, pane), "toggle");
  assert.equal(player.keyAction({ key: " " }, { tag: "BUTTON" }), null);
  assert.equal(player.keyAction({ key: " " }, { tag: "g", role: "button" }), null);
  assert.equal(player.keyAction({ key: " " }, { tag: "INPUT", type: "range" }), "toggle");
  assert.equal(player.keyAction({ key: " " }, { tag: "INPUT", type: "radio" }), null);
  assert.equal(player.keyAction({ key: "End" }, { tag: "INPUT", type: "number" }), null);
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
  const send = player.throttle((value) => sent.push(value), 60, {
    now: () => time,
    later: (f, ms) => waiting.push([time + ms, f]),
  });
  for (const [now, value] of [
    [0, 1],
    [10, 2],
    [20, 3],
    [59, 4],
  ]) {
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
  assert.deepEqual(
    [-5, -1, 3, 99, Infinity].map((s) => player.clampStep(seed, s)),
    [-1, -1, 3, 15, 15],
  );
});

test("words come with the payload, with their slots filled", () => {
  const say = player.speaker({
    "a step": "第 {n} 步，共 {count} 步",
    "thing.one": "one {what}",
    "thing.many": "{n} {what}s",
  });
  assert.equal(say("a step", { n: 3, count: 13 }), "第 3 步，共 13 步");
  assert.equal(player.counted(say, "thing", 1, { what: "line" }), "one line");
  assert.equal(player.counted(say, "thing", 2, { what: "line" }), "2 lines");
});

const arrayRun = (name) =>
  player.runOf(player.chosen(player.readAll(given.arrays[name]), "reverse", ""));
const tablesOf = (name, line) => {
  const run = arrayRun(name);
  const last = run.trace.steps.length - 1;
  return player.tablesAt(run, line, last, player.adjointAt(run.history, line, last));
};

test("a table has every entry, and colours by sign and size", () => {
  const { trace } = arrayRun("rows");
  assert.deepEqual(player.gridOf(trace.lines[0].value).rows, [
    ["0", "1", "2"],
    ["3", "4", "5"],
  ]);
  assert.deepEqual(player.gridOf(trace.lines[1].value).rows, [["1", "−2", "0.5"]]);
  assert.deepEqual(player.sharesOf([["1", "−2", "NaN", "0"]]), [[0.5, -1, 0, 0]]);
  assert.deepEqual(player.sharesOf([["−∞", "2"]]), [[-1, 1]]);
  assert.deepEqual(player.sharesOf([["0", "0"]]), [[0, 0]]);
});

test("broadcasting copies an operand, and its adjoint is the sum of what the copies get", () => {
  const rows = tablesOf("rows", 2);
  assert.deepEqual(
    rows.map(({ kind }) => kind),
    ["value", "adjoint", "copied", "summed", "partial", "partial"],
  );
  const copied = player.copiedTo(rows[2].number, rows[2].to);
  assert.deepEqual(copied.rows, [
    ["1", "−2", "0.5"],
    ["1", "−2", "0.5"],
  ]);
  assert.deepEqual(copied.copies, [
    [false, false, false],
    [true, true, true],
  ]);
  assert.deepEqual(player.gridOf(rows[3].number).rows, [
    ["0", "1", "2"],
    ["3", "4", "5"],
  ]);
  assert.deepEqual(player.gridOf(rows[3].sum).rows, [["3", "5", "7"]]);

  const columns = tablesOf("columns", 2).find(({ kind }) => kind === "copied");
  const beside = player.copiedTo(columns.number, columns.to);
  assert.deepEqual(beside.rows, [
    ["7", "7", "7"],
    ["8", "8", "8"],
  ]);
  assert.deepEqual(beside.copies, [
    [false, true, true],
    [false, true, true],
  ]);

  const scalar = tablesOf("scalar", 2).find(({ kind }) => kind === "copied");
  assert.deepEqual(player.copiedTo(scalar.number, scalar.to).copies, [[false, true, true]]);
});

test("stacked matrices come slice by slice", () => {
  const [value, , copied, summed] = tablesOf("slices", 2);
  assert.equal(player.gridOf(value.number).held, 3);
  assert.deepEqual(player.gridOf(value.number, 1).rows, [
    ["160", "180", "200", "220"],
    ["240", "260", "280", "300"],
  ]);
  assert.deepEqual(
    player.copiedTo(copied.number, copied.to, 2).rows,
    Array(2).fill(Array(4).fill("30")),
  );
  assert.deepEqual(player.copiedTo(copied.number, copied.to, 2).copies[0], [
    false,
    true,
    true,
    true,
  ]);
  assert.deepEqual(player.gridOf(summed.sum, 2).rows, [["156"]]);
});

test("of a large array the first rows and columns are there, and the rest is known", () => {
  const [value] = tablesOf("large", 2);
  const grid = player.gridOf(value.number);
  assert.deepEqual(
    [grid.rows.length, grid.rows[0].length, grid.height, grid.width],
    [12, 12, 20, 30],
  );
  assert.equal(grid.rows[11][11], String((11 * 30 + 11) * 11));
  assert.deepEqual(player.gridOf({ text: "", shape: [2, 2], cells: "7" }).rows, [
    ["7", "7"],
    ["7", "7"],
  ]);
});

test("what a step has not shown yet is not in the tables", () => {
  const run = arrayRun("rows");
  assert.deepEqual(player.tablesAt(run, 2, 1, null), []);
  assert.deepEqual(
    player.tablesAt(run, 2, 2, null).map(({ kind }) => kind),
    ["value", "copied", "partial", "partial"],
  );
});

test("the chapters of a run are visited forth and back, iteration by iteration", () => {
  const { sixty } = traces;
  const { chapters, phase } = player.chaptersOf(sixty);
  assert.equal(phase, "record");
  assert.deepEqual(
    chapters.map(({ title, back }) => [title, back]),
    [
      ["h = 0.5 * x", false],
      ["for _ in range(20):", false],
      ["for _ in range(20):", true],
      ["h = 0.5 * x", true],
    ],
  );
  const [, loop, back] = chapters;
  assert.deepEqual([loop.first, loop.end, loop.turns, loop.each], [3, 63, 20, 3]);
  assert.equal(player.turnAt(loop, 0), 3);
  assert.equal(player.turnAt(loop, 0.5), 33);
  assert.equal(player.turnAt(loop, 1), 60);
  assert.equal(player.turnAt(back, 0), 60);
  assert.equal(player.turnAt(back, 1), 3);
  for (let line = 2; line < sixty.lines.length; line++) {
    assert.equal(sixty.steps[player.stepOfLine(sixty, line, false)].line, line);
    const step = sixty.steps[player.stepOfLine(sixty, line, true)];
    assert.deepEqual([step.phase, step.line], ["sweep", line]);
  }
  assert.deepEqual(player.chaptersOf(seed).chapters, []);
});

// Groups that open

const inGroups = (payload) => {
  const trace = player.chosen(player.readAll(payload), "reverse", "");
  return { trace, ...player.groupsOf(trace, payload.layouts[0], payload.whole) };
};
const graphs = Object.fromEntries(
  Object.entries(given.grouped).map(([name, payloads]) => [name, payloads.map(inGroups)]),
);
const opened = (...groups) => new Map(groups.map(({ id }) => [id, 1]));
const side = (box, at, size) => [box[at] - box[size] / 2, box[at] + box[size] / 2];
const apart = (a, b) =>
  [
    ["x", "w"],
    ["y", "h"],
  ].some(
    ([at, size]) =>
      side(a, at, size)[1] <= side(b, at, size)[0] + 0.01 ||
      side(b, at, size)[1] <= side(a, at, size)[0] + 0.01,
  );

test("a widening keeps the order, and brings nothing closer", () => {
  const map = player.widening([
    [10, 20, 50],
    [15, 30, 30],
    [40, 41, 1],
  ]);
  assert.equal(map(20) - map(10), 50 + (5 * 5 - 25)); // the steeper one wins where both are
  for (let at = -5; at < 60; at += 0.5) assert.ok(map(at + 0.5) - map(at) >= 0.5 - 1e-9);
  assert.ok(map(30) - map(15) >= 30 && map(-3) === -3);
  assert.equal(player.widening([])(7), 7);
});

test("a path is read and written", () => {
  const path = "M1,2C3.5,4 -5,6 7,8 9,1 2,3 4,5L6,7";
  assert.equal(player.pathOf(player.pointsOf(path), true), path);
});

test("each group knows what is around it", () => {
  const { root, all } = graphs.turns[0];
  assert.equal(root.inside.size, 1);
  for (const group of all) {
    assert.ok(group.layout && group.parent.first <= group.first && group.end <= group.parent.end);
    assert.equal(group.parent.inside.get(group.first), group);
    for (const name of Object.keys(group.layout.nodes))
      assert.equal(Boolean(group.child(name)), name[0] === "g");
  }
  const chain = player.holding(root, 14);
  assert.deepEqual(
    chain.map(({ title }) => title),
    ["for _ in range(20):", "iteration 1", "x = np.tanh(x * x + w * x) - x"],
  );
});

test("whatever is open, nothing overlaps, all boxes keep their order, and edges end where their boxes are", () => {
  const { root, all } = graphs.turns[0];
  const chain = player.holding(root, 60);
  for (const groups of [
    [],
    chain.slice(0, 1),
    chain,
    [...chain, ...player.holding(root, 21), ...player.holding(root, 90)],
    all,
  ]) {
    const open = opened(...groups);
    const scene = player.composed(root, open);
    const boxes = [...scene.boxes];
    for (const [key, box] of boxes) {
      const [left, right, top, bottom] = [...side(box, "x", "w"), ...side(box, "y", "h")];
      assert.ok(
        left >= 0 && top >= 0 && right <= scene.width + 0.01 && bottom <= scene.height + 0.01,
      );
      if (box.nest !== root) {
        // it is inside the frame around it
        const frame = scene.boxes.get(box.nest.id);
        assert.ok(
          left >= side(frame, "x", "w")[0] &&
            right <= side(frame, "x", "w")[1] &&
            top >= side(frame, "y", "h")[0] + 20 &&
            bottom <= side(frame, "y", "h")[1],
          key,
        );
      }
      for (const [other, neighbour] of boxes) {
        if (neighbour.nest !== box.nest || other <= key) continue;
        const [a, b] = [box, neighbour].map(({ nest, name }) => nest.layout.nodes[name]);
        if (apart(a, b)) assert.ok(apart(box, neighbour), `${key} ${other}`);
        for (const at of ["x", "y"])
          if (a[at] < b[at])
            assert.ok(
              box[at] < neighbour[at] + 40 || open.size > 1,
              `${key} ${other} keep their order`,
            );
      }
    }
    for (const [key, { name, nest, points }] of scene.edges) {
      const ends = nest.layout.edges[name].ends.map((end) => scene.boxes.get(nest.key(end)));
      [points[0], points.at(-1)].forEach((point, k) => {
        const near = ["x", "y"].every(
          (at, n) =>
            point[at] >= side(ends[k], at, "wh"[n])[0] - 12 &&
            point[at] <= side(ends[k], at, "wh"[n])[1] + 12,
        );
        assert.ok(near, `${key} ends at its box`);
      });
    }
    const shown = new Set(boxes.filter(([key]) => /^n\d/.test(key)).map(([key]) => key));
    if (groups === all) assert.equal(shown.size, graphs.turns[0].trace.lines.length);
  }
});

test("a group that is opening is between closed and open, and shows nothing yet", () => {
  const { root } = graphs.turns[0];
  const [loop] = player.holding(root, 60);
  const width = (share) =>
    player.composed(root, new Map(share ? [[loop.id, share]] : [])).boxes.get(loop.id).w;
  assert.ok(width(0) < width(0.5) && width(0.5) < width(1));
  assert.equal(
    player.composed(root, new Map([[loop.id, 0.5]])).boxes.size,
    player.composed(root, new Map()).boxes.size,
  );
});

test("what holds the step is open, and closes behind it; what the learner opened stays", () => {
  const { root, all } = graphs.turns[0];
  let kept = { opened: new Set(), shut: new Set() };
  let around = [];
  const follow = (line) => {
    around = line === undefined ? [] : player.holding(root, line);
    kept = player.leftBehind(kept, around);
  };
  const open = () => [...player.openGroups(all, around, kept).keys()].sort();
  const toggle = (group) => {
    kept = player.toggledGroup(kept, group, open().includes(group.id), around);
  };
  const ids = (line) => player.holding(root, line).map(({ id }) => id);
  follow(undefined);
  assert.deepEqual(open(), []);
  follow(14);
  assert.deepEqual(open(), ids(14).sort());
  follow(60);
  assert.deepEqual(open(), ids(60).sort());
  const [loop, other] = player.holding(root, 21);
  toggle(other);
  follow(undefined);
  assert.deepEqual(open(), [other.id]);
  toggle(other);
  follow(60);
  toggle(loop); // closed by hand while the step is in it: it stays closed
  assert.ok(!open().includes(loop.id));
  follow(61);
  assert.ok(!open().includes(loop.id));
  follow(0);
  follow(60);
  assert.ok(open().includes(loop.id), "the step has left it, and come again");
  kept = player.allTurned(all, around, true);
  assert.equal(open().length, all.length);
  kept = player.allTurned(all, around, false);
  assert.deepEqual(open(), []);
});

test("a closed group shows how far the run has come in it", () => {
  const { trace, root } = graphs.turns[0];
  const history = player.adjointHistory(trace);
  const at = (group, s) =>
    player.progress(trace, group, s, (line) => player.adjointAt(history, line, s));
  const turn = player.holding(root, 14)[1];
  assert.deepEqual(
    at(turn, -1).rows.map(({ value, adjoint }) => [value, adjoint]),
    [["", null]],
  );
  assert.equal(at(turn, turn.first).recorded, true);
  const line = trace.lines[turn.end - 1];
  assert.equal(at(turn, turn.end - 1).rows[0].value, line.value.short || line.value.text);
  assert.equal(
    at(turn, turn.end - 1).rows[0].adjoint,
    "",
    "nothing has reached it, which is not 0",
  );
  const last = trace.steps.length - 1;
  assert.equal(at(turn, last).rows[0].adjoint, history[turn.end - 1].at(-1).adjoint.text);
  assert.equal(at(turn, last).swept, false);
  assert.equal(at(player.holding(root, 60)[1], last).swept, true);
});

test("a stretch of a long run has the groups of the whole run, and the inside of its own", () => {
  const [start, middle] = graphs.long;
  assert.ok(start.root.layout === given.grouped.long[0].whole);
  for (const { trace, all, root } of [start, middle]) {
    const first = trace.excerpt.parts[0].first;
    for (let i = first; i < trace.lines.length; i++) {
      const line = player.wholeLine(trace, i);
      assert.equal(player.ownLine(trace, line), i);
      const chain = player.holding(root, line);
      assert.ok(
        chain.every(({ layout }) => layout || chain[0].input),
        "down to the operations",
      );
    }
    trace.excerpt.before.forEach((line, k) =>
      assert.deepEqual([player.wholeLine(trace, k), player.ownLine(trace, line)], [line, k]),
    );
    const there = all.filter(({ layout }) => layout);
    assert.ok(there.length < all.length, "the inside of others comes with their stretch");
    const scene = player.composed(root, opened(...there));
    const drawn = [...scene.boxes.keys()].filter((key) => /^n\d/.test(key)).length;
    assert.equal(drawn, trace.lines.slice(first).filter(({ kind }) => kind === "operation").length);
  }
  assert.equal(player.ownLine(middle.trace, 5), null);
});

test("a closed group of a long run shows values of other stretches, and when its adjoint is complete", () => {
  const { trace, all } = graphs.long[1];
  const group = all.find(({ title }) => title === "iterations 301–310");
  const [[line, name, value, adjoint, reached, complete]] = group.outs;
  const history = player.adjointHistory(trace);
  const row = (whole) =>
    player.progress(trace, group, player.ownStep(trace, whole), (i) =>
      player.adjointAt(history, i, player.ownStep(trace, whole)),
    ).rows[0];
  const steps = trace.excerpt.parts.flatMap(({ first, last, at }) => [at, at + last - first]);
  assert.ok(line > steps[1] && reached <= complete && complete < steps[2]);
  assert.deepEqual([row(steps[0]).value, row(steps[0]).adjoint], ["", null]);
  assert.deepEqual(
    [row(steps[2]).name, row(steps[2]).value, row(steps[2]).adjoint],
    [name, value, adjoint],
  );
});

for (const [name, run] of Object.entries(given["in full"])) {
  test(`${name}: the traces are those of Python, in every field`, () => {
    const { reverse, forward } = player.readAll(run.payload);
    // The script adds its words; and equal numbers are written once, so that −0 may be 0.
    const own = (trace) => JSON.parse(JSON.stringify({ ...trace, say: undefined }));
    const told = (trace) => JSON.parse(JSON.stringify(trace));
    assert.deepEqual(own(reverse), told(run.reverse));
    assert.deepEqual(Object.keys(forward), Object.keys(run.forward));
    for (const [direction, trace] of Object.entries(forward)) {
      assert.deepEqual(own({ ...trace, layouts: undefined }), told(run.forward[direction]));
    }
  });
}
