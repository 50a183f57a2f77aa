/**
 * The state of a run at a step: pure functions of a Trace and a step number, which need no browser.
 *
 * Everything shown is a function of these two, so going back is the same thing as going forward. Every number, formula
 * and sentence of the run comes written from Python (autodiff_lab/figures).
 *
 * @typedef {{text: string, short?: string, shape?: number[], cells?: string}} Num
 * @typedef {{line: number|null, value: Num, partial: Num|null, edge?: string, edge_title?: string, shapes?: string}} Operand
 * @typedef {[source: number, line: number, column: number, endLine: number, endColumn: number]} Span
 * @typedef {[source: number, line: number, n: number, count: number]} Turn
 * @typedef {{kind: "input"|"operation", label: string, symbol: string, shown: string, expression: string,
 *            meaning: string, bar: string, dot: string, stretch: number, operands: Operand[], value: Num, where: Span[], turns: Turn[]}} Line
 * @typedef {{slot: number, parent: number, contribution: Num, after: Num, copies: Num|null, term: string, share: number}} Send
 * @typedef {{slot: number, parent: number, contribution: Num, term: string, share: number}} Push
 * @typedef {[operations: number, products: number, kept: number, bytes: number]} Meter
 * @typedef {[passes: number, operations: number, products: number, kept: number, bytes: number]} Cost
 * @typedef {{phase: "record"|"forward"|"seed"|"sweep", line: number, adjoint: Num|null, sends: Send[], tangents: Num[], pushes: Push[],
 *            sentence: string, equations: [form: string, pieces: string[]][], meter: Meter, released: number[], questions: Question[]}} Step
 * @typedef {{kind: "value"|"partial"|"adjoint"|"tangent", ask: string, answer: Num, mistakes: [kind: string, value: number][]}} Question
 * @typedef {{mode: "reverse"|"forward"|"both", title: string, note: string, opening: string, result: number|null,
 *            result_name: string, sources: {name: string, first_line: number, text: string[], ran?: number[]}[],
 *            fault: string, badge: string, warning: string, truth: (Num|null)[], directions: {name: string, shown: string}[], lines: Line[], steps: Step[], cost: Cost|null}} Trace
 * @typedef {{x: number, y: number, w: number, h: number}} Box
 * @typedef {{width: number, height: number, nodes: Object<string, Box>,
 *            edges: Object<string, {path: string, label: {x: number, y: number}, shapes?: string}>}} Layout
 */

import { counted, speaker } from "./speech.js";

/** How an adjoint that no contribution has reached is shown; a reached 0 is shown as "0". */
export const NOT_REACHED = "·";

/**
 * A trace as Python wrote it: what is left out has its default, and a number is its place in the list of numbers.
 * @param {object} data @param {object} [base] the trace that says what `data` leaves out, and has its first numbers
 * @returns {Trace}
 */
export function read(data, base) {
  const whole = base ? { ...base, ...data, numbers: [...base.numbers.slice(0, data.from), ...data.numbers] } : data;
  const number = (place) => (place === undefined || place === null ? null : whole.numbers[place]);
  return {
    mode: "reverse", note: "", opening: "", result_name: "y", result: null, directions: [], cost: null, fault: "", ...whole,
    excerpt: whole.excerpt ? { said: "", later: "", before: [], ...whole.excerpt, arrived: (whole.excerpt.arrived ?? []).map(number) } : null,
    truth: (whole.truth ?? []).map(number), hints: new Map(whole.hints ?? []),
    lines: whole.lines.map((line) => ({ label: "", where: [], turns: [], stretch: 0, ...line, value: number(line.value),
      operands: (line.operands ?? []).map((operand) => ({ ...operand, value: number(operand.value), partial: number(operand.partial) })) })),
    steps: whole.steps.map((step) => ({ released: [], sentence: "", ...step,
      questions: (step.questions ?? []).map((question) => ({ mistakes: [], ...question, answer: number(question.answer) })),
      adjoint: number(step.adjoint), tangents: (step.tangents ?? []).map(number),
      pushes: (step.pushes ?? []).map((push) => ({ share: 0, ...push, contribution: number(push.contribution) })),
      sends: (step.sends ?? []).map((send) => ({ share: 0, ...send, contribution: number(send.contribution), after: number(send.after), copies: number(send.copies) })) })),
  };
}

/**
 * The traces of a payload: the run in reverse, and forward by direction.
 * @returns {{reverse: Trace, forward: Object<string, Trace>}}
 */
export function readAll(payload) {
  const say = speaker(payload.words);
  const forward = (payload.forward ?? []).map((data) => [data.name, { ...read(data, payload.trace), say }]);
  return { reverse: { ...read(payload.trace), say }, forward: Object.fromEntries(forward) };
}

/** What a mode shows: one run, or the run forward with the sweep behind it. @returns {Trace} */
export function chosen({ reverse, forward }, mode, direction) {
  const pushed = forward[direction];
  if (mode === "reverse" || !pushed) return { ...reverse, costs: [["reverse", reverse.cost]], meters: [reverse.steps] };
  if (mode === "forward") return { ...pushed, costs: [["forward", pushed.cost]], meters: [pushed.steps] };
  const back = reverse.steps.slice(reverse.lines.length);
  const steps = [...pushed.steps.map((step) => ({ ...step, released: [] })), ...back]; // the tape forgets nothing
  const last = steps.at(-1);
  if (pushed.agreement && back.length) steps[steps.length - 1] = { ...last, equations: [...last.equations, pushed.agreement] };
  return { ...pushed, mode: "both", note: reverse.note, steps,
           costs: [["forward", pushed.cost], ["reverse", reverse.cost]], meters: [pushed.steps, reverse.steps] };
}

/**
 * For every line the steps at which its adjoint changes. Built once, it makes any step cheap to show.
 * @param {Trace} trace @returns {{step: number, adjoint: Num}[][]}
 */
export function adjointHistory(trace) {
  const history = trace.lines.map(() => []);
  trace.steps.forEach((step, s) => {
    if (step.phase === "seed" && step.adjoint) history[step.line].push({ step: s, adjoint: step.adjoint });
    else if (step.phase === "seed") trace.excerpt?.arrived.forEach((adjoint, i) => adjoint && history[i].push({ step: s, adjoint }));
    for (const send of step.sends) history[send.parent].push({ step: s, adjoint: send.after });
  });
  return history;
}

/** The adjoint a line holds after step `s`, or null when nothing has reached it yet. */
export function adjointAt(history, line, s) {
  const changes = history[line];
  for (let k = changes.length - 1; k >= 0; k--) if (changes[k].step <= s) return changes[k].adjoint;
  return null;
}

/** The lines a step shows in another way than its neighbours do: itself, its operands, its receivers, what it lets go. */
export function touchedLines(trace, s) {
  const step = trace.steps[s];
  if (!step) return [];
  if (trace.fault && step.phase === "seed") return trace.lines.map((_, i) => i); // the true adjoints appear
  const operands = trace.lines[step.line].operands.map((o) => o.line).filter((line) => line !== null);
  return [step.line, ...operands, ...step.sends.map((send) => send.parent), ...step.released];
}

/** How many steps each phase has. */
export function phaseLengths(trace) {
  if (trace.excerpt) return { record: trace.excerpt.lines, forward: 0, seed: 1, sweep: Math.max(0, trace.excerpt.steps - trace.excerpt.lines - 1) };
  const count = { record: 0, forward: 0, seed: 0, sweep: 0 };
  for (const step of trace.steps) count[step.phase] += 1;
  return count;
}

/** The tape in stretches: what the program did itself, and the sweeps of inner derivatives. @returns {{stretch: number, first: number, last: number}[]} */
export function stretchesOf(trace) {
  const stretches = [];
  trace.lines.forEach(({ stretch }, i) => {
    if (stretches.at(-1)?.stretch === stretch) stretches.at(-1).last = i;
    else stretches.push({ stretch, first: i, last: i });
  });
  return stretches;
}

/** What the scrubber shows: each phase with its length; a recorded sweep is a phase of its own. @returns {[name: string, length: number][]} */
export function segmentsOf(trace) {
  const segments = [];
  if (trace.excerpt) return Object.entries(phaseLengths(trace)).filter(([, length]) => length);
  for (const { phase, line } of trace.steps) {
    const name = (phase === "record" || phase === "forward") && trace.lines[line].stretch ? "inner" : phase;
    if (segments.at(-1)?.[0] === name) segments.at(-1)[1] += 1;
    else segments.push([name, 1]);
  }
  return segments;
}

/**
 * A long run is shown a stretch at a time: an excerpt. Where step `s` of the excerpt stands in the whole run; −1 for the start.
 * Steps that only prepare the others have no place of their own.
 * @param {Trace} trace @param {number} s
 */
export function wholeStep({ excerpt }, s) {
  const part = excerpt?.parts.find(([first, last]) => first <= s && s <= last);
  return !excerpt ? s : part ? part[2] + s - part[0] : -1;
}

/** The step of this excerpt that is step `at` of the whole run; null if it is in another stretch. @param {Trace} trace @param {number} at */
export function ownStep({ excerpt }, at) {
  if (!excerpt) return at;
  if (at < 0) return excerpt.number === 0 ? -1 : null;
  const part = excerpt.parts.find(([first, last, from]) => from <= at && at <= from + last - first);
  return part ? part[0] + at - part[2] : null;
}

/** The line of the whole run that is line `i` of this excerpt; its first lines are from before. @param {Trace} trace @param {number} i */
export function wholeLine({ excerpt }, i) {
  if (!excerpt) return i;
  const [first, , at] = excerpt.parts[0];
  return i < first ? excerpt.before[i] : at + i - first;
}

/** The line of this excerpt that is `line` of the whole run; null if it is not here. @param {Trace} trace @param {number} line */
export function ownLine({ excerpt, lines }, line) {
  if (!excerpt) return line;
  const [first, , at] = excerpt.parts[0];
  const own = line < at ? excerpt.before.indexOf(line) : first + line - at;
  return own >= 0 && own < lines.length ? own : null;
}

/** How many steps the whole run has. @param {Trace} trace */
export const stepsOf = ({ excerpt, steps }) => excerpt?.steps ?? steps.length;

export const clampStep = (trace, s) => Math.max(-1, Math.min(trace.steps.length - 1, Math.trunc(s)));

/** "5 operations · sweep 2 of 5": where we are, in words. */
export function statusText(trace, s) {
  const { say } = trace;
  const count = phaseLengths(trace);
  const operations = trace.excerpt ? trace.cost[1] : trace.lines.filter((line) => line.kind === "operation").length;
  const step = trace.steps[s];
  const at = wholeStep(trace, s);
  let where = say(count.forward ? "nothing computed" : "nothing recorded");
  if (step) {
    const swept = () => (trace.excerpt ? at - count.record : trace.steps.slice(0, s + 1).filter(({ phase }) => phase === "sweep").length);
    where = say(`status ${step.phase}`, { n: step.phase === "sweep" ? swept() : at + 1, count: count[step.phase] });
    const turns = trace.lines[step.line].turns.map(([, , n, count]) => say("turn", { n, count })).join(say("separator"));
    if (turns) where = say("status in turn", { where, turns });
  }
  return say("status", { operations: counted(say, "status operations", operations), where });
}

/** What is said at step `s`, and at the start. */
export const sentenceAt = (trace, s) => (s < 0 ? trace.opening : trace.steps[s].sentence);

const KINDS = { n: "name", p: "plain", v: "value", w: "value-result", a: "adjoint", r: "result", t: "tangent", u: "tangent-result", m: "missing", c: "note", g: "gradient" };

/** The arithmetic of step `s`: a list of [kind, text] for each line of it. The kind decides the colour. */
export const equationsAt = (trace, s) => (trace.steps[s]?.equations ?? []).map(([form, pieces]) => {
  const next = pieces.values();
  return [...form].map((kind) => (KINDS[kind] ? [KINDS[kind], next.next().value] : ["op", ` ${kind} `]));
});

/** What each mode has cost by step `s`; a mode that has ended stays at its end. @returns {[name: string, Meter, Cost][]} */
export const metersAt = (trace, s) => trace.costs.map(([name, cost], k) => {
  const steps = trace.meters[k];
  return [name, s < 0 ? [0, 0, 0, 0] : steps[Math.min(s, steps.length - 1)].meter, cost];
});

/**
 * What is worked out once for a trace, so that any step is cheap to show.
 * @param {Trace} trace
 */
export function runOf(trace) {
  const sweptAt = trace.lines.map(() => Infinity);
  const sentAt = trace.lines.map(() => []);
  const releasedAt = trace.lines.map(() => Infinity);
  trace.steps.forEach((step, k) => {
    if (step.phase === "sweep") {
      sweptAt[step.line] = k;
      sentAt[step.line].push(k);
    }
    for (const line of step.released) releasedAt[line] = k;
  });
  const phases = phaseLengths({ steps: trace.steps });
  return { trace, sweptAt, sentAt, releasedAt, phases, history: adjointHistory(trace), contributions: contributionsOf(trace), first: phases.record + phases.forward };
}

/**
 * For every line what is sent to its adjoint, in order. `edge` is the edge that it comes along, against its arrow.
 * @param {Trace} trace @returns {{step: number, from: number, edge: Edge, text: string, number: Num}[][]}
 * @typedef {{line: number, slot: number, parent: number}} Edge from `parent` to operand `slot` of `line`
 */
export function contributionsOf(trace) {
  const contributions = trace.lines.map(() => []);
  trace.steps.forEach((step, s) => {
    for (const { slot, parent, term, contribution, replaces } of step.sends) {
      if (replaces) for (const one of contributions[parent]) one.lostAt ??= s;
      contributions[parent].push({ step: s, from: step.line, edge: { line: step.line, slot, parent }, text: term, number: contribution });
    }
  });
  return contributions;
}

/**
 * The sum at a line after step `s`: in the sweep its adjoint, while the program runs forward its tangent.
 * @returns {{name: string, parts: {step: number, from: number, edge: Edge, text: string, number: Num}[],
 *            waiting: {step: number, from: number, edge: Edge}[], seed: Num|null, total: Num|null}|null}
 */
export function sumAt({ trace, contributions, history, first }, line, s) {
  const { phase } = trace.steps[s] ?? {};
  if (phase === "forward") {
    const { pushes, tangents } = trace.steps[line];
    if (line > s || tangents.length > 1 || !pushes.length) return null;
    const parts = pushes.map(({ slot, parent, term, contribution }) =>
      ({ step: line, from: parent, edge: { line, slot, parent }, text: term, number: contribution }));
    return { name: trace.lines[line].dot, parts, waiting: [], seed: null, total: tangents[0] };
  }
  if (phase !== "seed" && phase !== "sweep") return null;
  const seed = line === trace.result ? trace.steps[first].adjoint : trace.excerpt?.arrived[line] ?? null;
  const parts = contributions[line].filter((one) => one.step <= s).map((one) => ({ ...one, lost: one.lostAt <= s }));
  return { name: trace.lines[line].bar, seed, parts,
           waiting: contributions[line].filter((one) => one.step > s), total: adjointAt(history, line, s) };
}

/** The lines whose sums step `s` changes. */
export function receivers(trace, s) {
  const step = trace.steps[s];
  if (!step || step.phase === "record") return [];
  return step.phase === "sweep" ? [...new Set(step.sends.map((send) => send.parent))] : [step.line];
}

/** How thick the edges into a line are, by slot: what has come along them by step `s`, beside the largest of the run. */
export function sharesAt({ trace, sentAt, first }, line, s) {
  const at = s < first ? [line] : sentAt[line];
  const parts = at.filter((k) => k <= s).flatMap((k) => (trace.steps[k].phase === "forward" ? trace.steps[k].pushes : trace.steps[k].sends));
  return new Map(parts.map(({ slot, share }) => [slot, share]));
}

/** The tangents of a line, one for each direction; none in reverse mode. A line is computed at the step of its number. */
export const tangentsOf = (trace, line) => trace.steps[line]?.tangents ?? [];

/** What is special about a line at step `s`: whether it is recorded, and its CSS classes. */
export function markAt({ trace, sweptAt, releasedAt, first }, line, s) {
  const step = trace.steps[s];
  const recorded = line < Math.min(s + 1, first);
  const classes = [recorded ? "" : "is-ahead"];
  if (step) {
    const [ahead, color] = { record: [true, "on-value"], forward: [true, "on-tangent"] }[step.phase] ?? [false, "on-adjoint"];
    const partner = ahead ? trace.lines[step.line].operands.some((o) => o.line === line) : step.sends.some((send) => send.parent === line);
    if (step.line === line) classes.push("is-current", color);
    else if (partner) classes.push("is-operand", color);
    else if (s > sweptAt[line]) classes.push("is-swept");
  }
  const released = s >= releasedAt[line];
  if (released) classes.push("is-released");
  return { recorded, released, swept: s >= first, classes: classes.filter(Boolean).join(" ") };
}
