import { judge } from "./answers.js";
import { html, put } from "./dom.js";

const ASKED = { all: "everything", value: "values", partial: "partials", adjoint: "adjoints", tangent: "tangents" };

/**
 * Predict, then reveal: before a step is shown, the learner is asked what it will bring.
 * @param {{reveal(): void, onScore?: (score: object) => void, onToggle?: (on: boolean) => void, focus(): void}} host
 */
export function predictView(host) {
  const toggle = html("button", { type: "button", class: "adl-predict", "aria-pressed": "false", title: "Foresee each step before it is shown" }, "predict");
  const ask = html("span", { class: "adl-question" });
  const input = html("input", { type: "text", inputmode: "text", autocomplete: "off", spellcheck: "false", "aria-label": "your answer" });
  const check = html("button", { type: "submit" }, "check");
  const reveal = html("button", { type: "button" }, "reveal");
  const form = html("form", { class: "adl-answer" }, ask, input, check, reveal);
  const said = html("p", { class: "adl-said", role: "status" });
  const kinds = html("select", { "aria-label": "Ask for" }, ...Object.entries(ASKED).map(([value, text]) => html("option", { value }, text)));
  const points = html("span", { class: "adl-score" });
  const element = html("section", { class: "adl-ask", "aria-label": "predict", hidden: "" }, form, said,
                       html("div", { class: "adl-ask-side" }, html("label", {}, "ask for ", kinds), points));
  let trace = null;
  let on = false;
  let pending = null; // {step, question, tried}
  let answered = new Set();
  let score = { right: 0, asked: 0, mistakes: {} };

  const key = (step, question) => `${step} ${question.kind} ${question.ask}`;
  const next = (step) => trace.steps[step]?.questions.find((question) =>
    (kinds.value === "all" || kinds.value === question.kind) && !answered.has(key(step, question)));

  function say(text, look = "") {
    put(said, text);
    said.dataset.look = look;
  }
  function show() {
    form.classList.toggle("is-idle", !pending);
    for (const control of [input, check, reveal]) control.disabled = !pending;
    put(ask, pending ? pending.question.ask.replace(/\?$/, "") : "Step forward to be asked what comes next.");
    put(points, score.asked ? `${score.right} of ${score.asked} right at once` : "no answers yet");
  }
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
    score = { right: score.right + (right ? 1 : 0), asked: score.asked + 1, mistakes: { ...score.mistakes } };
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
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault(); // JupyterLab keeps forms from being sent by this key
    event.stopPropagation();
    answer();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    answer();
  });
  function answer() {
    if (!pending) return;
    const { verdict, kind } = judge(pending.question, input.value);
    input.select();
    if (verdict === "unreadable") return say("Type a number: 0.5, −2, 1/4.", "wrong");
    count(verdict === "right", kind);
    if (verdict === "right") {
      say(`Right: ${pending.question.ask.replace(/ = \?$/, "")} = ${pending.question.answer.text}.`, "right");
      return done();
    }
    say(kind ? trace.hints.get(kind) : "That is not it. Look at the operation and its operands once more.", "wrong");
    show();
  }
  reveal.addEventListener("click", () => {
    count(false);
    say(`It is ${pending.question.answer.text}: ${pending.question.ask.replace(/ = \?$/, "")} = ${pending.question.answer.text}.`, "shown");
    done();
  });
  toggle.addEventListener("click", () => {
    view.set(!on);
    host.onToggle?.(on);
  });
  kinds.addEventListener("change", () => {
    if (!pending) return;
    pending = null;
    show();
  });

  const view = {
    toggle,
    element,
    get on() { return on; },
    set(wanted) {
      const possible = Boolean(trace?.steps.some(({ questions }) => questions.length));
      on = wanted && possible;
      pending = null;
      answered = new Set();
      toggle.setAttribute("aria-pressed", on);
      element.hidden = !on;
      say("");
      show();
      host.onChange?.(on);
    },
    load(wanted) {
      trace = wanted;
      const possible = trace.steps.some(({ questions }) => questions.length);
      toggle.disabled = !possible;
      toggle.title = possible ? "Foresee each step before it is shown" : "There are no questions about this run: it is too long, faulty, or has no numbers to ask for.";
      for (const option of kinds.options)
        option.hidden = option.value !== "all" && !trace.steps.some(({ questions }) => questions.some(({ kind }) => kind === option.value));
      pending = null;
      answered = new Set();
      if (on) view.set(true);
      show();
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
      say("");
      open(step, question);
      return true;
    },
    /** Somebody moved to another step. */
    leave() {
      if (!pending) return;
      pending = null;
      show();
    },
    score(given) {
      score = given;
      show();
    },
  };
  return view;
}
