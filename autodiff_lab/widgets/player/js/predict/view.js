import { judge } from "./answers.js";
import { html, put } from "../dom.js";

const ASKED = ["all", "value", "partial", "adjoint", "tangent"];

/**
 * Predict, then reveal: before a step is shown, the learner is asked what it will bring.
 * @param {{say: ReturnType<import("../speech.js").speaker>, reveal(): void, onScore?: (score: object) => void, onToggle?: (on: boolean) => void, focus(): void}} host
 */
export function predictView(host) {
  const { say } = host;
  const toggle = html(
    "button",
    {
      type: "button",
      class: "adl-predict",
      "aria-pressed": "false",
      title: say("foresee"),
      onclick: turn,
    },
    say("predict"),
  );
  const ask = html("span", { class: "adl-question" });
  const input = html("input", {
    type: "text",
    inputmode: "text",
    autocomplete: "off",
    spellcheck: "false",
    "aria-label": say("your answer"),
    onkeydown: enter,
  });
  const check = html("button", { type: "submit" }, say("check"));
  const reveal = html("button", { type: "button", onclick: tellAnswer }, say("reveal"));
  const form = html("form", { class: "adl-answer", onsubmit: answer }, ask, input, check, reveal);
  const said = html("p", { class: "adl-said", role: "status" });
  const kinds = html(
    "select",
    { "aria-label": say("ask for menu"), onchange: leave },
    ASKED.map((value) => html("option", { value }, say(`ask ${value}`))),
  );
  const points = html("span", { class: "adl-score" });
  const side = html(
    "div",
    { class: "adl-ask-side" },
    html("label", {}, say("ask for"), kinds),
    points,
  );
  const element = html(
    "div",
    { class: "adl-ask", role: "region", "aria-label": say("predict"), hidden: "" },
    form,
    said,
    side,
  );
  let trace = null;
  let on = false;
  let pending = null; // {step, question, tried}
  let answered = new Set();
  let score = { right: 0, asked: 0, mistakes: {} };

  const key = (step, question) => `${step} ${question.kind} ${question.ask}`;
  const next = (step) =>
    trace.steps[step]?.questions.find(
      (question) =>
        (kinds.value === "all" || kinds.value === question.kind) &&
        !answered.has(key(step, question)),
    );

  function tell(text, look = "") {
    put(said, text);
    said.dataset.look = look;
  }
  function show() {
    form.classList.toggle("is-idle", !pending);
    for (const control of [input, check, reveal]) control.disabled = !pending;
    put(ask, pending ? pending.question.ask.replace(/\?$/, "") : say("step to be asked"));
    put(points, score.asked ? say("score", score) : say("no answers"));
  }
  /** The question that is open, and its answer. */
  const solved = () => ({
    question: pending.question.ask.replace(/ = \?$/, ""),
    answer: pending.question.answer.text,
  });
  function open(step, question) {
    pending = { step, question, tried: false };
    input.value = "";
    show();
    input.setAttribute("aria-label", question.ask);
    input.focus();
  }
  function count(right, kind) {
    if (pending.tried) return;
    pending.tried = true;
    score = {
      right: score.right + (right ? 1 : 0),
      asked: score.asked + 1,
      mistakes: { ...score.mistakes },
    };
    if (kind) score.mistakes[kind] = (score.mistakes[kind] ?? 0) + 1;
    host.onScore?.(score);
  }
  /** On to the next question about this step or, after the last one, to the step itself. */
  function done() {
    const { step, question } = pending;
    answered.add(key(step, question));
    pending = null;
    const more = next(step);
    if (more) return open(step, more);
    show();
    host.reveal();
    host.focus();
  }
  function enter(event) {
    if (event.key !== "Enter") return;
    event.stopPropagation();
    answer(event); // JupyterLab keeps forms from being sent by this key
  }
  function answer(event) {
    event.preventDefault();
    if (!pending) return;
    const { verdict, kind } = judge(pending.question, input.value);
    input.select();
    if (verdict === "unreadable") return tell(say("type a number"), "wrong");
    if (verdict === "rounded") return tell(say("more digits"), "shown");
    count(verdict === "right", kind);
    if (verdict === "right") {
      tell(say("right answer", solved()), "right");
      return done();
    }
    const hint = trace.hints.find((one) => one.kind === kind);
    tell(hint ? hint.text : say("wrong answer"), "wrong");
    show();
  }
  function tellAnswer() {
    count(false);
    tell(say("revealed", solved()), "shown");
    done();
  }
  function turn() {
    view.set(!on);
    host.onToggle?.(on);
  }
  /** Somebody moved to another step, or wants other questions. */
  function leave() {
    if (!pending) return;
    pending = null;
    show();
  }
  const asksFor = (kind) =>
    trace.steps.some(({ questions }) =>
      questions.some((question) => !kind || question.kind === kind),
    );

  const view = {
    toggle,
    element,
    get on() {
      return on;
    },
    set(wanted) {
      const possible = asksFor();
      on = wanted && possible;
      pending = null;
      answered = new Set();
      toggle.setAttribute("aria-pressed", on);
      const refused = wanted && !possible; // somebody asked for questions, so it is said that there are none
      element.hidden = !on && !refused;
      form.hidden = side.hidden = refused;
      tell(refused ? say("no questions") : "", refused ? "shown" : "");
      show();
      host.onChange?.(on);
    },
    load(wanted) {
      trace = wanted;
      const possible = asksFor();
      toggle.disabled = !possible;
      toggle.title = say(possible ? "foresee" : "no questions");
      for (const option of kinds.options)
        option.hidden = option.value !== "all" && !asksFor(option.value);
      if (on) view.set(true);
      else show();
    },
    /** Asks about a step that is to be shown next. @returns {boolean} whether there is something to ask */
    asks(step) {
      if (!on) return false;
      if (pending?.step === step) {
        input.focus();
        return true;
      }
      const question = next(step);
      if (!question) return false;
      tell("");
      open(step, question);
      return true;
    },
    leave,
    score(given) {
      score = given;
      show();
    },
  };
  return view;
}
