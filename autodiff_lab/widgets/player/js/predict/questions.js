/**
 * Questions about a step before it is shown, as pure functions: predict, then reveal.
 *
 * @import { Say } from "../speech.js"
 * @import { ShownTrace as Trace } from "../trace.js"
 * @import { Num, Question } from "../trace_types.js"
 */

import { judge } from "./answers.js";

/** @typedef {{right: number, asked: number, mistakes: Record<string, number>}} Score */
/** @typedef {"right"|"wrong"|"shown"|""} Look */
/**
 * @typedef {object} Prediction
 * @property {boolean} on
 * @property {boolean} isRefused whether the learner asked for questions about a run that has none
 * @property {string} kind the kind of questions to ask, or "all"
 * @property {{step: number, question: Question}|null} pending the question that is open
 * @property {string} picked a number that the learner has picked on the graph for an answer
 * @property {boolean} isTried whether the open question has been counted
 * @property {ReadonlySet<string>} answered the keys of the questions that are done
 * @property {Score} score
 * @property {{text: string, look: Look}} said
 */

const SILENT = /** @type {const} */ ({ text: "", look: "" });

/** @param {Score} [score] @returns {Prediction} */
export const noPrediction = (score = { right: 0, asked: 0, mistakes: {} }) => ({
  on: false,
  isRefused: false,
  kind: "all",
  pending: null,
  picked: "",
  isTried: false,
  answered: new Set(),
  score,
  said: SILENT,
});

/**
 * Whether a run has questions, of one kind or of any.
 * @param {Trace} trace @param {string} [kind]
 */
export const hasQuestions = (trace, kind = "all") =>
  trace.steps.some(({ questions }) =>
    questions.some((question) => kind === "all" || question.kind === kind),
  );

/**
 * Turns predicting on or off.
 * @param {Prediction} prediction @param {Trace} trace @param {boolean} wanted
 * @returns {Prediction}
 */
export function turned(prediction, trace, wanted) {
  const isPossible = hasQuestions(trace);
  const isRefused = wanted && !isPossible;
  return {
    ...prediction,
    on: wanted && isPossible,
    isRefused,
    pending: null,
    answered: new Set(),
    said: isRefused ? { text: trace.say("no questions"), look: "shown" } : SILENT,
  };
}

/** @param {number} step @param {Question} question */
const keyOf = (step, question) => `${step} ${question.kind} ${question.ask}`;

/**
 * The next question about a step.
 * @param {Prediction} prediction @param {Trace} trace @param {number} step @returns {Question|undefined}
 */
const nextQuestion = ({ kind, answered }, trace, step) =>
  trace.steps[step]?.questions.find(
    (question) =>
      (kind === "all" || kind === question.kind) && !answered.has(keyOf(step, question)),
  );

/**
 * Asks about a step that is to be shown next.
 * @param {Prediction} prediction @param {Trace} trace @param {number} step
 * @returns {Prediction|null} null if there is nothing to ask
 */
export function asked(prediction, trace, step) {
  if (!prediction.on) return null;
  const { pending } = prediction;
  if (pending?.step === step) return { ...prediction, pending: { ...pending } };
  const question = nextQuestion(prediction, trace, step);
  if (!question) return null;
  return { ...prediction, pending: { step, question }, picked: "", isTried: false, said: SILENT };
}

/**
 * The learner picks a box for the answer: its value, or its adjoint if the box is picked again.
 * @param {Prediction} prediction @param {Num} value @param {Num|null} adjoint
 * @returns {Prediction}
 */
export function picked(prediction, value, adjoint) {
  const again = prediction.picked === value.text && adjoint !== null;
  return { ...prediction, picked: again ? adjoint.text : value.text };
}

/**
 * Closes the open question: the learner moved to another step, or chose other questions.
 * @param {Prediction} prediction
 * @returns {Prediction}
 */
export const left = (prediction) =>
  prediction.pending ? { ...prediction, pending: null } : prediction;

/**
 * Counts the first answer to a question in the score; later answers don't count.
 * @param {Prediction} prediction @param {boolean} isRight
 * @param {string} [kind] of a mistake
 * @returns {Prediction}
 */
function counted(prediction, isRight, kind) {
  if (prediction.isTried) return prediction;
  const { right, asked, mistakes } = prediction.score;
  const more = kind ? { [kind]: (mistakes[kind] ?? 0) + 1 } : {};
  return {
    ...prediction,
    isTried: true,
    score: { right: right + Number(isRight), asked: asked + 1, mistakes: { ...mistakes, ...more } },
  };
}

/**
 * Closes the open question and opens the next one about this step, if there is any.
 * @param {Prediction} prediction @param {Trace} trace
 * @returns {Prediction}
 */
function done(prediction, trace) {
  if (!prediction.pending) return prediction;
  const { step, question } = prediction.pending;
  const answered = new Set([...prediction.answered, keyOf(step, question)]);
  const more = nextQuestion({ ...prediction, answered }, trace, step);
  const pending = more ? { step, question: more } : null;
  return { ...prediction, answered, pending, picked: "", isTried: false };
}

/** The words of a question and its answer. @param {Question} question */
const solved = ({ ask, answer }) => ({
  question: ask.replace(/ = \?$/, ""),
  answer: answer.text,
});

/**
 * Judges the answer that the learner typed.
 * @param {Prediction} prediction @param {Trace} trace @param {string} text
 * @returns {Prediction}
 */
export function answered(prediction, trace, text) {
  if (!prediction.pending) return prediction;
  const { say, hints } = trace;
  const { question } = prediction.pending;
  const { verdict, kind } = judge(question, text);
  /** @param {string} text @param {Look} look @param {Prediction} [next] @returns {Prediction} */
  const told = (text, look, next = prediction) => ({ ...next, said: { text, look } });
  if (verdict === "unreadable") return told(say("type a number"), "wrong");
  if (verdict === "rounded") return told(say("more digits"), "shown");
  if (verdict === "right") {
    const next = done(counted(prediction, true), trace);
    return told(say("right answer", solved(question)), "right", next);
  }
  const hint = hints.find((one) => one.kind === kind);
  return told(hint?.text ?? say("wrong answer"), "wrong", counted(prediction, false, kind));
}

/**
 * Shows the answer, which counts as a wrong one.
 * @param {Prediction} prediction @param {Trace} trace
 * @returns {Prediction}
 */
export function revealed(prediction, trace) {
  if (!prediction.pending) return prediction;
  const said = trace.say("revealed", solved(prediction.pending.question));
  return { ...done(counted(prediction, false), trace), said: { text: said, look: "shown" } };
}
