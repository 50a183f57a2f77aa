// How a step moves and where the panes of a player stand: pure functions. test_js.py runs this file as it runs
// player.test.mjs.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const files = JSON.parse(process.env.PLAYER_MODULES).map((path) => pathToFileURL(path).href);
const player = Object.assign({}, ...(await Promise.all(files.map((file) => import(file)))));
const given = JSON.parse(await readFile(process.env.PLAYER_CASES, "utf8"));

/** Every run that the tests have, in every mode. @returns {[name: string, trace: object][]} */
const runs = Object.entries({ ...given.payloads, ...given.arrays, second: given.second }).flatMap(
  ([name, payload]) => {
    const all = player.readAll(payload);
    const modes = Object.keys(all.forward).flatMap((direction) =>
      ["forward", "both"].map((mode) => [mode, direction]),
    );
    return [["reverse", ""], ...modes].map(([mode, direction]) => [
      `${name} ${mode} ${direction}`.trim(),
      player.chosen(all, mode, direction),
    ]);
  },
);
const named = (name) => runs.find(([other]) => other === name)[1];
const seed = named("seed reverse");
const stretches = given.grouped.long.map((payload) =>
  player.chosen(player.readAll(payload), "reverse", ""),
);

const MOMENTS = Array.from({ length: 201 }, (_, k) => k / 200);
const inShort = (number) => number.short || number.text;
const inBrackets = (text) => (text.startsWith("−") ? `(${text})` : text);
const textOf = ({ texts }) => texts.map(([, text]) => text).join(" ");
const spoken = (trace, s, u) => player.tokensAt(trace, s, u).map(textOf);
/** The moments of a step at which numbers are on their way, and what is. */
const film = (trace, s) =>
  MOMENTS.map((u) => [u, player.tokensAt(trace, s, u)]).filter(([, tokens]) => tokens.length);

for (const [name, trace] of [
  ...runs,
  ["a long run, its start", stretches[0]],
  ["a long run, in the middle", stretches[1]],
]) {
  test(`${name}: cause comes before effect`, () => {
    trace.steps.forEach((step, s) => {
      assert.deepEqual(player.tokensAt(trace, s, 0), [], "nothing has left yet");
      assert.deepEqual(player.tokensAt(trace, s, 1), [], "at the end nothing is on its way");
      assert.ok(player.hasLanded(step, 1) && !player.hasLanded(step, 0));
      const moments = film(trace, s);
      if (!moments.length) return;
      const [last, arrived] = moments.at(-1);
      assert.ok(
        !player.hasLanded(step, last),
        "what has arrived is written where it belongs, and travels no more",
      );
      for (const { along, drop } of arrived) {
        if (drop !== undefined) assert.ok(drop < 0.01, "the seed is down before the step lands");
        else
          assert.ok(
            step.phase === "sweep" ? along < 0.01 : along > 0.99,
            "a number is there before the step lands",
          );
      }
    });
  });

  test(`${name}: what travels goes one way, without a jump, from where it stands to where it belongs`, () => {
    trace.steps.forEach((step, s) => {
      const before = new Map();
      film(trace, s).forEach(([, tokens]) =>
        tokens.forEach(({ slot, along, drop, kind }) => {
          const at = drop ?? (kind === "adjoint" ? along : 1 - along); // 1 at the start
          assert.ok(at >= 0 && at <= 1);
          const last = before.get(slot) ?? 1;
          assert.ok(at <= last + 1e-9 && last - at < 0.06, `${s} ${slot}: ${last} ${at}`);
          before.set(slot, at);
        }),
      );
    });
  });

  test(`${name}: who travels is who takes part`, () => {
    trace.steps.forEach((step, s) => {
      const { operands } = trace.lines[step.line];
      const slots = new Set(film(trace, s).flatMap(([, tokens]) => tokens.map(({ slot }) => slot)));
      const wanted = {
        record: operands.flatMap(({ line }, slot) => (line === null ? [] : [slot])),
        sweep: step.sends.map(({ slot }) => slot),
      };
      wanted.forward = wanted.record;
      if (step.phase === "seed")
        assert.ok(!step.adjoint || (slots.size === 1 && slots.has(undefined)));
      else assert.deepEqual([...slots].sort(), wanted[step.phase]);
    });
  });

  test(`${name}: the product is shown on the way, and is the contribution; then the sum with what is there`, () => {
    trace.steps.forEach((step, s) => {
      for (const { slot, contribution, before, replaces } of step.sends) {
        const said = film(trace, s).map(([, tokens]) =>
          textOf(tokens.find((token) => token.slot === slot)),
        );
        const label = player.labelsOf(trace, step).get(slot);
        assert.equal(said[0], inShort(step.adjoint), "the adjoint leaves");
        const { partial } = trace.lines[step.line].operands[slot];
        const alone = partial && !partial.shape.length ? inShort(partial) : label; // on the edge after its formula
        const meets = partial ? `${inShort(step.adjoint)} × ${inBrackets(alone)}` : label; // a number, or a map that is no product by entries
        assert.ok(!label || label.endsWith(alone));
        if (label) assert.ok(said.includes(meets), "it meets what stands on the edge");
        const product = label ? inShort(contribution) : inShort(step.adjoint);
        assert.ok(said.includes(product));
        assert.equal(
          said.at(-1),
          before && !replaces ? `${inShort(before)} + ${inBrackets(product)}` : product,
        );
      }
      for (const { slot, contribution } of step.pushes) {
        const said = film(trace, s).map(([, tokens]) =>
          tokens.filter((token) => token.slot === slot).flatMap(({ texts }) => texts),
        );
        const own = trace.lines[step.line].operands[slot];
        assert.ok(
          said.every(([[kind, text]]) => kind === "value" && text === inShort(own.value)),
          "the value goes along",
        );
        const rate = player.tangentsOf(trace, own.line).map(inShort).join(", ");
        assert.deepEqual(said[0].slice(1), [["tangent", rate]]);
        assert.equal(
          said
            .at(-1)
            .slice(1)
            .map(([, text]) => text)
            .join(" "),
          player.labelsOf(trace, step).get(slot) ? inShort(contribution) : rate,
        );
      }
    });
  });

  test(`${name}: what a step changes is that of the step before, until it lands`, () => {
    const run = player.runOf(trace);
    trace.steps.forEach((step, s) => {
      const [coming, landed] = [
        player.markAt(run, step.line, s, s - 1),
        player.markAt(run, step.line, s),
      ];
      assert.ok(
        coming.classes.includes("is-current") && landed.classes.includes("is-current"),
        "it is known who is at work",
      );
      const receiver = step.sends[0]?.parent ?? step.line;
      const [before, after] = [s - 1, s].map((told) =>
        player.adjointAt(run.history, receiver, told),
      );
      if (step.phase === "record" || step.phase === "forward") {
        assert.deepEqual([coming.recorded, landed.recorded], [false, true]);
        assert.deepEqual(
          [coming.classes.includes("is-ahead"), landed.classes.includes("is-ahead")],
          [true, false],
        );
      } else if (step.sends.length) {
        assert.equal(before?.text, step.sends[0].before?.text);
        assert.equal(after.text, step.sends[0].after.text);
      }
      for (const line of step.freed_lines) {
        assert.ok(
          !player.markAt(run, line, s, s - 1).released && player.markAt(run, line, s).released,
        );
      }
    });
  });
}

test("all words are of the step that is shown, and give no result away before it has landed", () => {
  for (const [name, trace] of runs) {
    const run = player.runOf(trace);
    trace.steps.forEach((step, s) => {
      const words = (u) => {
        const moment = player.momentAt(run, s, u);
        return player.sentenceAt(trace, moment.shown, player.isLanded(moment));
      };
      if (player.momentAt(run, s, 1).at < 0) return assert.equal(words(0), trace.opening);
      assert.equal(words(0), step.announcement, name);
      assert.equal(words(1), step.outcome || step.sentence);
      assert.ok(words(0) && (step.phase === "sweep" || words(0) !== words(1)), `${name} ${s}`);
      for (const u of MOMENTS)
        assert.equal(words(u), player.hasLanded(step, u) ? words(1) : words(0));
    });
  }
});

test("a contribution, moment by moment", () => {
  assert.deepEqual(
    [...player.labelsOf(seed, seed.steps[14])],
    [[1, "x1 = 2"]],
    "the local partial stands on its edge, with the formula that it comes from",
  );
  assert.deepEqual(spoken(seed, 14, 0.2), ["1"]);
  assert.deepEqual(spoken(seed, 14, 0.5), ["1 × 2"]);
  assert.deepEqual(spoken(seed, 14, 0.7), ["2"]);
  assert.deepEqual(spoken(seed, 14, 0.9), ["−0.2837 + 2"]);
  assert.deepEqual(spoken(seed, 9, 0.5), ["1 × (−1)"]);
  assert.deepEqual(
    spoken(seed, 10, 0.9),
    ["−0.2837"],
    "the first contribution is added to nothing",
  );
  const half = [0.42, 0.5, 0.6].map((u) => player.tokensAt(seed, 14, u)[0].along);
  assert.deepEqual(
    half,
    [0.5, 0.5, 0.5],
    "it stops where the local partial stands, long enough to be read",
  );
});

test("the seed drops into the box of the result", () => {
  const moments = film(seed, 7);
  assert.ok(moments.every(([, [token]]) => token.kind === "adjoint" && textOf(token) === "1"));
  assert.ok(moments[0][1][0].drop > 0.9 && moments.at(-1)[1][0].drop === 0);
});

test("where an array is broadcast its copies spread on the way, and come together on the way back", () => {
  const trace = named("rows reverse");
  const copied = trace.lines.findIndex(({ operands }) =>
    operands.some(({ is_copied }) => is_copied),
  );
  const at = (k, slot) =>
    film(trace, k)
      .map(([, tokens]) => tokens.find((token) => token.slot === slot)?.spread)
      .filter((spread) => spread !== undefined);
  trace.lines[copied].operands.forEach(({ shapes, is_copied }, slot) => {
    const spreads = at(copied, slot);
    if (!is_copied) return assert.ok(spreads.every((spread) => spread === 0));
    assert.deepEqual([spreads[0], spreads.at(-1)], [0, 1], "one leaves, the copies arrive");
    assert.equal(player.labelsOf(trace, trace.steps[copied]).get(slot), shapes);
  });
  const [send] = trace.steps.flatMap(({ sends }, k) =>
    sends.filter(({ copies }) => copies).map((one) => ({ ...one, k })),
  );
  const back = at(send.k, send.slot);
  assert.deepEqual(
    [back[0], Math.max(...back), back.at(-1)],
    [0, 1, 0],
    "the sum over the copies arrives as one",
  );
});

test("operands that come together stand beside each other in the box", () => {
  const at = (s, u) => player.tokensAt(seed, s, u).map(({ together }) => together);
  assert.deepEqual(at(4, 0.1), [0, 0], "each leaves from its own box");
  assert.deepEqual(at(4, 0.77), [1, 1]);
});

test("the box that a partial comes from is lit until the partial is met", () => {
  const at = (s, u = 0.3) => player.sourcesAt(seed, s, u);
  assert.deepEqual(at(10), [1], "cos x2 comes from x2");
  assert.deepEqual(at(13), [1], "the partial of a product is the other factor");
  assert.deepEqual(at(14), [0]);
  assert.deepEqual(at(15), [0], "1 / x1 comes from x1");
  for (const s of [8, 9, 11, 12]) assert.deepEqual(at(s), [], "1 and −1 come from nowhere");
  for (const u of [0, 0.7, 1]) assert.deepEqual(at(10, u), []);
  assert.deepEqual(at(5), [], "nothing is multiplied while it is recorded");
});

test("the curve of an edge goes through its point, and the tangent touches it there", () => {
  const { curves } = given.payloads.seed;
  assert.deepEqual(Object.keys(curves), [
    "e2_0",
    "e3_0",
    "e3_1",
    "e4_0",
    "e4_1",
    "e5_0",
    "e6_0",
    "e6_1",
  ]);
  const { start, end, y } = curves.e5_0;
  assert.deepEqual([start, end], [2, 8]);
  assert.ok(y.every((value, k) => Math.abs(value - Math.sin(2 + (6 * k) / 16)) < 1e-3));
  assert.equal(curves.e2_0.y[0], null, "log 0 is not finite");
  const shape = player.shapeOf(curves.e5_0, 5, Math.sin(5), Math.cos(5));
  assert.equal(shape.path.split("L").length, 17);
  const [from, to] = shape.tangent;
  const share = (shape.point.x - from.x) / (to.x - from.x);
  assert.ok(Math.abs(from.y + share * (to.y - from.y) - shape.point.y) < 1e-9);
  assert.equal(player.shapeOf({ start: 0, end: 1, y: [null, null] }, 0, 0, 1), null);
  assert.equal(player.shapeOf(curves.e5_0, NaN, 0, 1), null);
});

test("after it has landed a step rests for half a second to 0.8 s", () => {
  for (const phase of ["record", "forward", "seed", "sweep"]) {
    const landing = MOMENTS.find((u) => player.hasLanded({ phase }, u));
    const still = (1 - landing) * player.durationOf({ phase }) + player.restOf({ phase });
    assert.ok(player.restOf({ phase }) > 0 && still >= 500 && still <= 800, `${phase} ${still}`);
  }
});

test("the film of the example from the literature takes less than twenty seconds", () => {
  const steps = seed.steps.slice(player.inputsOf(seed));
  assert.equal(steps.length, 14);
  const beats = steps.map((step) => player.durationOf(step) + player.restOf(step));
  const seconds = beats.reduce((sum, one) => sum + one, 0) / 1000;
  assert.ok(seconds < 20 && seconds > 8, `${seconds}`);
});

// Counting: the inputs are there from the start

for (const [name, trace] of runs)
  test(`${name}: what the scrubber shows is counted from the first step that does something`, () => {
    const inputs = player.inputsOf(trace);
    assert.deepEqual(
      trace.lines.map(({ kind }) => kind === "input"),
      trace.lines.map((_, i) => i < inputs),
    );
    const segments = player.segmentsOf(trace);
    assert.equal(
      segments.reduce((sum, [, length]) => sum + length, 0),
      player.stepsOf(trace) - inputs,
    );
    assert.ok(segments.every(([, length]) => length > 0));
    const run = player.runOf(trace);
    trace.lines.forEach((_, i) =>
      assert.equal(
        player.markAt(run, i, -1, inputs - 1).recorded,
        i < inputs,
        "at the start the inputs are filled in",
      ),
    );
  });

test("a stretch of a long run counts the steps of the whole", () => {
  for (const trace of stretches) {
    assert.equal(player.inputsOf(trace), 2);
    assert.equal(
      player.segmentsOf(trace).reduce((sum, [, length]) => sum + length, 0),
      player.stepsOf(trace) - 2,
    );
    trace.steps.forEach((_, s) => {
      const at = player.wholeStep(trace, s);
      if (at >= 0) assert.equal(player.ownStep(trace, at), s);
    });
  }
  const [start, middle] = stretches;
  assert.deepEqual(
    [player.ownStep(start, -1), player.ownStep(middle, -1)],
    [-1, null],
    "the start is in the first stretch",
  );
  assert.equal(player.stepsOf(start), player.stepsOf(middle));
});

// Which layout is taken

test("a layout fits a room as Python finds, and the same one of several is the best", () => {
  const near = (x, y) => assert.ok(Math.abs(x - y) < 1e-12, `${x} and ${y}`);
  for (const { room, unit, layouts, fits, worth, best } of given.fits) {
    layouts.forEach((layout, k) => {
      const { scale, seen, whole } = player.fitOf(layout, room, unit);
      near(scale, fits[k].scale);
      near(seen, fits[k].seen);
      assert.equal(whole, fits[k].seen === 1);
      near(player.bestOf([layout], room, unit).worth, worth[k]);
    });
    assert.deepEqual(player.bestOf(layouts, room, unit).layout, best);
  }
});

// Where the panes stand

/** How a drawing of some size shows in a room, as the graph tells it. */
const drawing =
  (width, height, unit = 1) =>
  (room) => ({ ...player.bestOf([{ width, height }], room, unit), opens: false });
const SCREENS = {
  "a notebook on a laptop": [930, 620, 1],
  "a laptop": [1280, 720, 1],
  "a projector": [1920, 1080, 1],
  "a projector in lecture size": [1920, 1080, 1.6],
  "a phone": [390, 600, 1],
};
const DRAWINGS = {
  "the seed function": [560, 330],
  "a chain": [1900, 120],
  "a square": [900, 900],
  "a tower": [260, 1500],
  "one box": [90, 60],
  "far too large": [4000, 3000],
};

for (const [screen, [width, height, unit]] of Object.entries(SCREENS))
  for (const [name, [w, h]] of Object.entries(DRAWINGS))
    for (const [source, tape] of [
      [120, 220],
      [700, 2000],
      [22, 40],
    ])
      test(`${name} on ${screen}, ${source} of source: nothing is larger than its room, and the graph is the largest`, () => {
        const best = drawing(w * unit, h * unit, unit);
        const {
          where,
          height: all,
          side,
          lower,
          room,
        } = player.compose({ width, height, unit, source, tape, best });
        assert.equal(where === "column", width < 700);
        assert.ok(room.width > 0 && room.height > 0 && room.width <= width);
        if (where === "column")
          return assert.ok(
            room.height <= Math.max(260, height),
            "the picture of a phone is no higher than the phone",
          );
        assert.ok(all <= height, "no higher than there is room");
        assert.ok(room.height <= all);
        assert.equal(side > 0, where === "beside");
        assert.equal(lower > 0, where === "below");
        assert.ok(
          where === "beside" ? room.width + side <= width : room.height + lower <= all,
          "the panes do not overlap",
        );
        const shown = best(room);
        if (w < 3 * h && shown.whole && shown.height > 0.7 * room.height)
          assert.ok(
            room.width * room.height >= 0.5 * width * all,
            "at least half is the graph's, if it can fill it",
          );
        if (where === "below")
          assert.ok(
            room.height >= Math.min(shown.height, 0.6 * height - 32) - 1,
            "what stands below takes no room that the graph needs",
          );
        if (shown.whole)
          assert.ok(shown.width <= room.width + 1 && shown.height <= room.height + 1);
      });

test("source and tape stand beside a graph that is about as high as wide, and below a long one", () => {
  const at = (width, height, w, h) =>
    player.compose({ width, height, unit: 1, source: 120, tape: 220, best: drawing(w, h) }).where;
  for (const [width, height] of [
    [930, 620],
    [1280, 720],
    [1920, 1080],
  ]) {
    assert.equal(at(width, height, 560, 330), "beside");
    assert.equal(at(width, height, 1900, 120), "below");
  }
  assert.equal(at(390, 600, 560, 330), "column");
});

test("a large array has few cells, each of which stands for a block of its entries", () => {
  assert.deepEqual(player.sidesOf([6, 6]), [6, 6]);
  assert.deepEqual(player.sidesOf([40]), [1, 16]);
  assert.deepEqual(player.sidesOf([128, 64]), [6, 16]);
  assert.deepEqual(player.sidesOf([2, 2, 3]), [4, 3]);
  assert.equal(player.blockOf([40], 0, 0), "[0:2]");
  assert.equal(player.blockOf([40], 0, 15), "[37:40]");
  assert.equal(player.blockOf([128, 64], 5, 1), "[106:128, 4:8]");
});

// A matrix product goes back entry by entry.

/** @param {number[][]} shapes of the operands */
const productOf = (...shapes) => ({
  op: "matmul",
  operands: shapes.map((shape, k) => ({ line: k, value: { shape }, goes_to: [] })),
});

test("an entry of a matrix product's adjoint is made of a row or a column of each", () => {
  const matrices = productOf([2, 3], [3, 4]);
  const [left, right] = [0, 1].map((slot) => player.productParts(matrices, slot));
  assert.deepEqual([left.adjoint.length, right.adjoint.length], [6, 12]);
  assert.deepEqual(left.adjoint[4], [4, 5, 6, 7], "row 1 of the adjoint, for entry [1, 1] of A");
  assert.deepEqual(left.other[4], [4, 5, 6, 7], "row 1 of B");
  assert.deepEqual(right.adjoint[6], [2, 6], "column 2 of the adjoint, for entry [1, 2] of B");
  assert.deepEqual(right.other[6], [1, 4], "column 1 of A");
  const vector = productOf([2, 3], [3]);
  assert.deepEqual(player.productParts(vector, 0).adjoint[5], [1], "an outer product");
  assert.deepEqual(player.productParts(vector, 0).other[5], [2]);
  assert.deepEqual(player.productParts(vector, 1).adjoint[2], [0, 1]);
  assert.deepEqual(player.productParts(vector, 1).other[2], [2, 5]);
  assert.deepEqual(player.productParts(productOf([3], [3]), 0).adjoint[1], [0]);
});

test("what multiplies row by row is no matrix product", () => {
  assert.ok(player.isProduct(productOf([2, 3], [3, 4])));
  assert.ok(player.isProduct(productOf([2, 3], [3])));
  assert.ok(!player.isProduct(productOf([4, 6], [4, 6])));
});

for (const [name, trace] of runs)
  test(`${name}: a matrix product lights what it uses, and its cells go on without a jump`, () => {
    trace.steps.forEach((step, s) => {
      const line = trace.lines[step.line];
      if (step.phase !== "sweep" || !player.isProduct(line) || !step.sends.length) return;
      const [{ slot, contribution }] = step.sends;
      const lit = MOMENTS.map((u) => player.litAt(trace, s, u)).filter(({ size }) => size);
      assert.ok(lit.length > 20);
      const said = ([i, kinds]) =>
        `${i} ${Object.entries(kinds).map(([kind, cells]) => `${kind} ${[...cells]}`)}`;
      const entries = new Set(lit.map((one) => [...one].map(said).join()));
      const count = contribution.shape.reduce((n, m) => n * m, 1);
      if (line.operands.every(({ line: i }) => i !== null)) assert.equal(entries.size, count);
      let before = 0;
      for (const u of MOMENTS) {
        const [token] = player.tokensAt(trace, s, u);
        if (token?.slot !== slot || u > 0.7) continue;
        const count = player.dotsOf(token.cells, 1, 1).length;
        assert.ok(count >= before - line.value.shape.reduce((n, m) => n * m, 1), `${u}`);
        before = count;
      }
      const last = player.tokensAt(trace, s, 0.75)[0];
      assert.equal(
        player.dotsOf(last.cells, 1, 1).length,
        contribution.shape.reduce((n, m) => n * m, 1),
        "in the end the whole product is there, and nothing else",
      );
    });
  });

test("one has time to follow a matrix product", () => {
  const line = productOf([2, 3], [3]);
  assert.ok(
    player.durationOf({ phase: "sweep" }, line) > 1.5 * player.durationOf({ phase: "sweep" }),
  );
  assert.ok(player.restOf({ phase: "sweep" }, line) > 0);
});

for (const [name, trace] of runs.filter(([other]) => / (forward|both) /.test(other)))
  test(`${name}: forward, the cells of a value and of its tangent go together`, () => {
    trace.steps.forEach((step, s) => {
      if (step.phase !== "forward") return;
      for (const text of player.labelsOf(trace, step).values())
        assert.ok(!text.includes("̄"), `${text} says how an adjoint goes back`);
      if (trace.directions.length > 1) return;
      for (const u of [0.2, 0.5, 0.8]) {
        const tokens = player.tokensAt(trace, s, u);
        for (const token of tokens.filter(
          ({ kind, cells, side }) => kind === "value" && cells && side,
        )) {
          const other = tokens.find(({ slot, kind }) => slot === token.slot && kind === "tangent");
          assert.equal(other?.along, token.along);
          assert.notEqual(other.side, token.side);
        }
      }
    });
  });
