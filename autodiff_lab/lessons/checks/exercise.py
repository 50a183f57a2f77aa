"""An exercise: a question, its correct answer, the wrong answers that are recognised, hints and replies.

An exercise never raises, whatever the answer is. The notebook must run from top to bottom with nothing
answered, and a learner with a broken answer needs a sentence, not a traceback through code they didn't write.
"""

import dis
import inspect
import textwrap
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from itertools import compress
from typing import Any

from autodiff_lab.lessons.checks import compare, progress_file, variants
from autodiff_lab.lessons.checks.compare import Refused, agrees, describe, plain
from autodiff_lab.lessons.checks.run_code import Crashed, nested_code, note_learner_files
from autodiff_lab.lessons.checks.variants import Given, Instance, Misconception, Seed

MARKS = {"passed": "✓", "not attempted": "…", "not yet": "✗", "hint": "→", "solution": "→"}


@dataclass(frozen=True)
class Reply:
    """The reply of an exercise to an answer: its status, and the text that the learner reads below the cell."""

    # One of ``passed``, ``not attempted``, ``not yet``, ``hint``, ``solution``.
    status: str
    text: str
    # What the check observed, if it looked at a whole answer.
    observed: tuple[Any, ...] = field(default=(), repr=False, compare=False)

    @property
    def passed(self) -> bool:
        """Whether the answer to the exercise was right."""
        return self.status == "passed"

    def __repr__(self) -> str:
        if self.status == "solution":  # code keeps its own line breaks
            return self.text
        return textwrap.fill(f"{MARKS[self.status]} {self.text}", width=88, subsequent_indent="  ")


@dataclass
class Exercise:
    """One exercise of one notebook. Call it with an answer: it checks the answer and returns a `Reply`.

    Parameters
    ----------
    name : str
        The name in the notebook, ``"ex_2"``; in a lesson's package, also the name of the variable.
    expects : str
        The form of an answer in words: "a pair of whole numbers, (before, after)".
    expected : object
        What `observe` must return. Numbers agree within `tolerance`; spaces in text are ignored.
    reference : str
        Source text of one good answer, which can replace the open question in the notebook's cell. By
        default it is `expected`, written out.
    misconceptions : tuple of Misconception
        The wrong answers that have their own hint; the first that fits is shown.
    hints : tuple of str
        From weak to strong: each call of `hint` shows the next.
    praise : str
        What the right answer shows. Somebody who has just succeeded reads it: say something new.
    tolerance : float
        The relative error that is still right. Six digits, unless learners read the number off a figure.
    observe : callable
        Turns the answers into plain data to compare; a dictionary holds several cases. An exercise that
        asks for code runs it here. The parameters are the names of the answers in the notebook.
    is_whole : bool
        Whether the answers make sense only together. Otherwise some of them may be missing: the check
        then judges the others, and runs them with good answers in place of the missing ones.
    takes : tuple of str
        Names of the answers, if they differ from the parameters of `observe`.
    lesson : str
        The slug of the lesson: ``"tape"``. Empty for an exercise that belongs to no lesson.
    cases : str
        Explains the numbers of a case: "These are the slopes in x and in y."
    make, draws : callable, mapping
        For an exercise whose numbers differ between learners, instead of `expected`, `reference` and
        `misconceptions`. ``make(**data)`` returns the `Instance` for these data; its defaults are the
        example in the text. `draws` lists, for each name, the values that a seed chooses from.

    Examples
    --------
    >>> count = Exercise(
    ...     "ex_99_1",
    ...     expects="a whole number",
    ...     expected=5,
    ...     misconceptions=(Misconception("answer = 7", 7, "The two inputs are not operations."),),
    ...     praise="One line for each operation.",
    ... )
    >>> count(...)
    … Exercise 99.1 is not attempted yet: replace the three dots by your answer and run the
      cell again. If you are stuck, run check.ex_99_1.hint().
    >>> count(7)
    ✗ Exercise 99.1, not yet: The two inputs are not operations.
    >>> count("five")
    ✗ Exercise 99.1, not yet: I expect a whole number, and you gave the text 'five'.
    >>> count(5)
    ✓ Exercise 99.1 passed. One line for each operation.

    With different numbers for each learner:

    >>> def slope(x=3.0):
    ...     return Instance(2 * x, (Misconception(f"answer = {x * x}", x * x, "That is the value."),))
    >>> square = Exercise("ex_99_2", expects="a number", praise="Well.", make=slope, draws={"x": (4.0, 5.0, 6.0)})
    >>> square.given(), square.given("Ada")
    (x = 3, x = 4)
    >>> square(6)
    ✓ Exercise 99.2 passed. Well.
    >>> square(6, seed="Ada")
    ✗ Exercise 99.2, not yet: That is right for the example of the text, x = 3. Yours is x = 4.
    """

    name: str = ""
    _: KW_ONLY
    expects: str
    praise: str
    expected: Any = None
    reference: str = ""
    takes: tuple[str, ...] = ()
    misconceptions: tuple[Misconception, ...] = ()
    hints: tuple[str, ...] = ()
    observe: Callable[..., Any] = plain
    tolerance: float = compare.SIX_DIGITS
    is_whole: bool = False
    lesson: str = ""
    cases: str = ""
    make: Callable[..., Instance] | None = None
    draws: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    attempts: int = field(default=0, init=False)
    passed: bool = field(default=False, init=False)
    hints_given: int = field(default=0, init=False)

    @property
    def title(self) -> str:
        """The title of the exercise as a reader sees it: ``"Exercise 2"``."""
        return "Exercise " + self.name.removeprefix("ex_").replace("_", ".")

    @property
    def key(self) -> str:
        """The name of the exercise in the whole course: ``"tape.ex_2"``."""
        return f"{self.lesson}.{self.name}" if self.lesson else self.name

    @property
    def call(self) -> str:
        """The code with which a notebook checks an answer to the exercise: ``"check.ex_2(ops_div)"``."""
        return f"check.{self.name}({', '.join(self.takes)})"

    def __post_init__(self) -> None:
        self.takes = self.takes or tuple(inspect.signature(self.observe).parameters)
        example = Instance(self.expected, self.misconceptions, self.reference)
        if self.make is not None:
            example = self.make()
        self.expected = example.expected
        self.reference = example.reference
        self.misconceptions = example.misconceptions

    @property
    def is_varied(self) -> bool:
        """Whether the exercise's numbers depend on the seed."""
        return self.make is not None

    def instance(self, seed: Seed = None) -> Instance:
        """Return the variant of the exercise for this seed, by default the one set with ``check.seed``.

        If there is no seed, it is the example in the text.
        """
        return self.draw(self.choose_seed(seed))

    def choose_seed(self, seed: Seed = None) -> str | None:
        """Choose the seed for the exercise: the one given here, in normal form, or else the one of ``check.seed``."""
        if seed is not None:
            return variants.normalize_seed(seed)
        return progress_file.current_seed() if self.is_varied else None

    def draw(self, seed: str | None) -> Instance:
        """Draw the variant of the exercise for a seed; without a seed, return the example in the text."""
        if self.make is None or seed is None:
            return self._in_the_text()
        drawn = variants.draw_instance(self.make, self.draws, f"{self.key}/{seed}", self.tolerance)
        return drawn or self._in_the_text()

    def _in_the_text(self) -> Instance:
        data = variants.default_data(self.make) if self.make else {}
        return Instance(self.expected, self.misconceptions, self.reference, Given(**data))

    def given(self, seed: Seed = None) -> Given:
        """The numbers that the exercise gives a learner: ``x1, x2 = check.ex_4.given()``."""
        return self.instance(seed).given

    def __call__(self, *answers: Any, seed: Seed = None) -> Reply:
        """Check an answer to the exercise and reply something useful; never raise."""
        try:
            reply = self._judge(answers, self.instance(seed))
        except KeyboardInterrupt:
            raise
        except BaseException as problem:
            # An odd object may raise when it is compared; the learner still gets a sentence.
            reply = self._not_yet(
                f"The check could not look at this answer ({type(problem).__name__}). {self._form()}"
            )
        if reply.status != "not attempted":
            self.attempts += 1
        self.passed = self.passed or reply.passed
        progress_file.note(self.key, reply.status)
        return reply

    def lend(self, *answers: Any) -> Any:
        """Return the learner's answers if they pass, otherwise good ones, so that the notebook can go on.

        The answers keep their order; a single one is not put into a tuple.
        """
        try:
            own = self._judge(answers, self.instance()).passed
        except Exception:
            own = False
        lent = answers if own else self.good_answers(_notebook_names(answers))
        if not own:
            print(f"{', '.join(self.takes)}: lent by the check, until yours pass")
        return lent if len(lent) > 1 else lent[0]

    def good_answers(self, names: dict[str, Any], reference: str = "") -> tuple[Any, ...]:
        """Run the exercise's reference solution and return its answers.

        If `names` isn't empty, the functions among them use it as their globals.
        """
        scope = {**names}
        exec(reference or self.reference, scope)
        answers: list[Any] = []
        for name in self.takes:
            answer = scope[name]
            if isinstance(answer, types.FunctionType):
                answer = types.FunctionType(
                    answer.__code__, names or scope, answer.__name__, answer.__defaults__
                )
            answers.append(answer)
        return tuple(answers)

    def begin_again(self) -> None:
        """Forget the attempts at the exercise and the hints it has given."""
        self.attempts = 0
        self.passed = False
        self.hints_given = 0

    def _judge(self, answers: tuple[Any, ...], asked: Instance) -> Reply:
        if len(answers) != len(self.takes):
            return self._not_yet(
                f"Write {self.call}: I was given {len(answers)} things, not {len(self.takes)}."
            )
        missing = tuple(map(is_unfinished, answers))
        if all(missing) or (any(missing) and self.is_whole):
            return Reply("not attempted", self._open())
        if any(missing):
            return self._judge_in_part(answers, missing, asked)
        return self._judge_all(answers, asked)

    def _judge_in_part(
        self, answers: tuple[Any, ...], missing: tuple[bool, ...], asked: Instance
    ) -> Reply:
        """Judge the answers that are there, with good answers in place of the missing ones."""
        try:
            good = self.good_answers(_notebook_names(answers), asked.reference)
        except Exception:  # the reference needs a name that only the learner's notebook can define
            return Reply("not attempted", self._open())
        completed = []
        for own, lent, is_missing in zip(answers, good, missing, strict=True):
            completed.append(lent if is_missing else own)
        reply = self._judge_all(tuple(completed), asked)
        if reply.passed:
            written = compress(self.takes, (not is_missing for is_missing in missing))
            verdict = _list_names(written, "right; ")
        else:
            verdict = reply.text.removeprefix(self._not_yet("").text) + " "
        return self._not_yet(
            verdict + _list_names(compress(self.takes, missing), "not written yet.")
        )

    def _judge_all(self, answers: tuple[Any, ...], asked: Instance) -> Reply:
        with note_learner_files(answers):
            try:
                seen = self.observe(*answers)
            except Refused as refused:
                seen = refused
        return replace(self.judge_observation(seen, asked), observed=(seen,))

    def judge_observation(self, seen: Any, asked: Instance) -> Reply:
        """Judge what the exercise has observed of an answer; the learner's code is not run again."""
        if agrees(seen, asked.expected, self.tolerance):
            return Reply("passed", f"{self.title} passed. {self.praise}")
        for misconception in asked.misconceptions:
            if agrees(seen, misconception.seen, self.tolerance):
                return self._not_yet(misconception.hint)
        text = self._in_the_text()
        if asked.given != text.given and agrees(seen, text.expected, self.tolerance):
            return self._not_yet(
                f"That is right for the example of the text, {text.given}. Yours is {asked.given}."
            )
        return self._not_yet(self._explain(seen, asked))

    def _explain(self, seen: Any, asked: Instance) -> str:
        """Write a useful reply to a wrong answer that isn't a known misconception, or is one with too few digits."""
        expected = asked.expected
        if isinstance(seen, Refused):
            return f"{seen.reason} {self._form()}"
        if isinstance(seen, Crashed):
            return seen.sentence()
        if isinstance(expected, dict) and isinstance(seen, dict):
            return compare.disagreement(seen, expected, self.cases, self.tolerance)
        if compare.is_rounded(seen, expected):
            return f"Very close, but not the same number. Give at least {compare.digits_within(self.tolerance)} digits."
        for misconception in asked.misconceptions:
            if compare.is_shortened(seen, misconception.seen):
                return misconception.hint
        if compare.has_form_of(seen, expected):
            where = compare.first_difference(seen, expected, self.tolerance)
            return f"You gave {describe(seen)}. {where} For a hint, run check.{self.name}.hint()."
        return f"I expect {self.expects}, and you gave {describe(seen)}."

    def _form(self) -> str:
        return f"I expect {self.expects}: {self.call}."

    def _open(self) -> str:
        return (
            f"{self.title} is not attempted yet: replace the three dots by your answer and run the cell "
            f"again. If you are stuck, run check.{self.name}.hint()."
        )

    def _not_yet(self, text: str) -> Reply:
        return Reply("not yet", f"{self.title}, not yet: {text}")

    def hint(self) -> Reply:
        """Give the next hint for the exercise, a little stronger than the one before."""
        if self.hints_given >= len(self.hints):
            end = "That was the last hint." if self.hints else "There is no hint for this one."
            way_on = f"After an attempt, check.{self.name}.solution() shows an answer."
            return Reply("hint", f"{self.title}: {end} {way_on}")
        self.hints_given += 1
        count = f"hint {self.hints_given} of {len(self.hints)}"
        return Reply("hint", f"{self.title}, {count}: {self.hints[self.hints_given - 1]}")

    def solution(self, seed: Seed = None) -> Reply:
        """Show a good answer to the exercise, if there was an attempt."""
        if not self.attempts:
            return Reply(
                "hint", f"{self.title}: try it first; a wrong answer is enough. Then ask again."
            )
        worked = self.instance(seed).reference.strip()
        return Reply("solution", f"# {self.title}, one good answer\n{worked}\n\n{self.call}")


def is_unfinished(answer: Any) -> bool:
    """Whether an answer to an exercise is unfinished: the three dots are still in its code or data."""
    if answer is ...:
        return True
    if isinstance(answer, list | tuple | set):
        return any(is_unfinished(part) for part in answer)
    if isinstance(answer, dict):
        return any(is_unfinished(part) for part in (*answer.keys(), *answer.values()))
    if isinstance(answer, types.FunctionType):
        return _has_empty_body(answer.__code__) or any(
            ... in code.co_consts for code in nested_code(answer.__code__)
        )
    return False


def _has_empty_body(code: types.CodeType) -> bool:
    """Whether a function's body is only ``...`` (or ``pass``), with or without a docstring."""
    without_effect = {"RESUME", "NOP", "COPY_FREE_VARS"}
    instructions = [one for one in dis.get_instructions(code) if one.opname not in without_effect]
    if len(instructions) > 2:
        return False
    # All that remains is to return None; in Python 3.12 and 3.13 that is one instruction.
    return instructions[0].argval is None and instructions[-1].opname.startswith("RETURN")


def _notebook_names(answers: tuple[Any, ...]) -> dict[str, Any]:
    """Return the globals of the notebook in which a learner's functions are written."""
    for answer in answers:
        if isinstance(answer, types.FunctionType):
            return answer.__globals__
    return {}


def _list_names(names: Iterable[str], what: str) -> str:
    """Write a sentence about several names: "a, b and c are right"."""
    *first, last = names
    if not first:
        return f"{last} is {what}"
    return f"{', '.join(first)} and {last} are {what}"
