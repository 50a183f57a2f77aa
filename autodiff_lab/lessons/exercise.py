"""What an exercise is: a question, its answer, the wrong answers it knows, and its hints.

An exercise never raises, whatever it is given: the notebook must run from top to bottom with nothing answered, and a
learner with a broken answer needs a sentence, not a traceback of somebody else's code.
"""

from __future__ import annotations

import dis
import textwrap
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from autodiff_lab.lessons.comparing import SIX_DIGITS, Refused, agrees, describe, disagreement, plain, rounded
from autodiff_lab.lessons.running import Crashed

__all__ = ["Exercise", "Misconception", "Reply"]

MARKS = {"passed": "✓", "not attempted": "…", "not yet": "✗", "hint": "→", "solution": "→"}


@dataclass(frozen=True)
class Reply:
    """What the learner reads under the cell: plain text, the same for eye, screen reader and test."""

    status: str
    """One of ``passed``, ``not attempted``, ``not yet``, ``hint``, ``solution``."""
    text: str

    @property
    def passed(self) -> bool:
        """Whether the answer was right."""
        return self.status == "passed"

    def __repr__(self) -> str:
        if self.status == "solution":  # code keeps its own line breaks
            return self.text
        return textwrap.fill(f"{MARKS[self.status]} {self.text}", width=88, subsequent_indent="  ")


@dataclass(frozen=True)
class Misconception:
    """A wrong answer that is worth its own explanation."""

    written: str
    """What a learner with this idea in mind writes into the cell (source text; the tests run it)."""
    seen: Any
    """What the check then observes. A dictionary need only hold the entries that give the idea away."""
    hint: str
    """Says where this answer comes from, without giving the right one away."""


@dataclass
class Exercise:
    """One exercise of one notebook.

    Parameters
    ----------
    name : str
        The name in the module and in the notebook, ``"ex_03_2"``.
    takes : tuple of str
        The names of what the notebook hands over: ``("answer",)``, ``("ops_div",)``.
    expects : str
        The form of an answer in words: "a pair of whole numbers, (before, after)".
    expected : object
        What `observe` must find. Numbers agree within `tolerance`, text without regard to spaces.
    reference : str
        Source text of one good answer, to stand in the notebook's cell instead of the unanswered one.
    misconceptions : tuple of Misconception
        The wrong answers with a hint of their own; the first that fits is shown.
    hints : tuple of str
        Graded: each call of `hint` shows the next.
    praise : str
        What the right answer has shown. It is read by somebody who has just succeeded: say something new.
    tolerance : float
        The relative error that is still right. Six digits, unless the number is to be read off a figure.
    observe : callable
        Turns what was handed over into plain data to compare; a dictionary holds several cases.
        An exercise that asks for code runs it here.
    cases : str
        Says what the numbers of a case are: "These are the slopes in x and in y."

    Examples
    --------
    >>> count = Exercise(
    ...     "ex_99_1",
    ...     expects="a whole number",
    ...     expected=5,
    ...     reference="answer = 5",
    ...     misconceptions=(Misconception("answer = 7", 7, "The two inputs are not operations."),),
    ...     praise="One line for each operation.",
    ... )
    >>> count(...)
    … Exercise 99.1 is not attempted yet: put your answer in the place of the three dots and
      run the cell again. If you are stuck, run check.ex_99_1.hint().
    >>> count(7)
    ✗ Exercise 99.1, not yet: The two inputs are not operations.
    >>> count("five")
    ✗ Exercise 99.1, not yet: I expect a whole number, and you gave the text 'five'.
    >>> count(5)
    ✓ Exercise 99.1 passed. One line for each operation.
    """

    name: str
    expects: str
    expected: Any
    reference: str
    praise: str
    takes: tuple[str, ...] = ("answer",)
    misconceptions: tuple[Misconception, ...] = ()
    hints: tuple[str, ...] = ()
    observe: Callable[..., Any] = plain
    tolerance: float = SIX_DIGITS
    cases: str = ""
    attempts: int = field(default=0, init=False)
    passed: bool = field(default=False, init=False)
    hints_given: int = field(default=0, init=False)

    @property
    def title(self) -> str:
        """The number a reader sees: ``"Exercise 03.2"``."""
        return "Exercise " + self.name.removeprefix("ex_").replace("_", ".")

    @property
    def call(self) -> str:
        """How the notebook asks for the check: ``"check.ex_03_2(ops_div)"``."""
        return f"check.{self.name}({', '.join(self.takes)})"

    def __call__(self, *answers: Any) -> Reply:
        """Look at an answer and say something useful about it; never raise."""
        try:
            reply = self._judge(answers)
        except Exception as problem:  # an object that misbehaves when it is looked at; still no traceback
            reply = self._not_yet(f"The check could not look at this answer ({type(problem).__name__}). {self._form()}")
        if reply.status != "not attempted":
            self.attempts += 1
        self.passed = self.passed or reply.passed
        return reply

    def _judge(self, answers: tuple[Any, ...]) -> Reply:
        if len(answers) != len(self.takes):
            return self._not_yet(f"Write {self.call}: I was given {len(answers)} things, not {len(self.takes)}.")
        if any(unfinished(answer) for answer in answers):
            return Reply(
                "not attempted",
                f"{self.title} is not attempted yet: put your answer in the place of the three dots and run the cell "
                f"again. If you are stuck, run check.{self.name}.hint().",
            )
        seen = self.observe(*answers)
        if agrees(seen, self.expected, self.tolerance):
            return Reply("passed", f"{self.title} passed. {self.praise}")
        for misconception in self.misconceptions:
            if agrees(seen, misconception.seen, self.tolerance):
                return self._not_yet(misconception.hint)
        return self._not_yet(self._explain(seen))

    def _explain(self, seen: Any) -> str:
        """Something useful about an answer that nobody foresaw."""
        if isinstance(seen, Refused):
            return f"{seen.reason} {self._form()}"
        if isinstance(seen, Crashed):
            return seen.sentence()
        if isinstance(self.expected, dict):
            return disagreement(seen, self.expected, self.cases)
        if rounded(seen, self.expected):
            return "Very close, but not the same number. Do not round: let the program hand it over."
        return f"I expect {self.expects}, and you gave {describe(seen)}."

    def _form(self) -> str:
        return f"I expect {self.expects}: {self.call}."

    def _not_yet(self, text: str) -> Reply:
        return Reply("not yet", f"{self.title}, not yet: {text}")

    def hint(self) -> Reply:
        """The next hint, a little stronger than the one before."""
        if self.hints_given >= len(self.hints):
            end = "That was the last hint." if self.hints else "There is no hint for this one."
            return Reply("hint", f"{self.title}: {end} After an attempt, check.{self.name}.solution() shows an answer.")
        self.hints_given += 1
        count = f"hint {self.hints_given} of {len(self.hints)}"
        return Reply("hint", f"{self.title}, {count}: {self.hints[self.hints_given - 1]}")

    def solution(self) -> Reply:
        """One good answer, once you have tried."""
        if not self.attempts:
            return Reply("hint", f"{self.title}: try it first; a wrong answer is enough. Then ask again.")
        return Reply("solution", f"# {self.title}, one good answer\n{self.reference.strip()}\n\n{self.call}")


def unfinished(answer: Any) -> bool:
    """Whether there are still three dots where the learner's own words should be."""
    if answer is ...:
        return True
    if isinstance(answer, list | tuple | set):
        return any(unfinished(part) for part in answer)
    if isinstance(answer, dict):
        return any(unfinished(part) for part in (*answer.keys(), *answer.values()))
    if isinstance(answer, types.FunctionType):
        return _says_nothing(answer.__code__) or ... in _constants(answer.__code__)
    return False


def _says_nothing(code: types.CodeType) -> bool:
    """Whether a function's body is only ``...`` (or ``pass``), with or without a docstring."""
    spoken = [step for step in dis.get_instructions(code) if step.opname not in {"RESUME", "NOP", "COPY_FREE_VARS"}]
    return len(spoken) <= 2 and spoken[0].argval is None and spoken[-1].opname.startswith("RETURN")


def _constants(code: types.CodeType) -> Iterator[Any]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _constants(constant)
        else:
            yield constant
