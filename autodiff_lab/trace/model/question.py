"""A question of the quiz in a trace, the wrong answers it recognises, and the hints to them."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from autodiff_lab.trace.model.number import Number

QuestionKind = Literal["value", "partial", "adjoint", "tangent"]


class Mistake(NamedTuple):
    """A wrong answer to a quiz question that can be recognised, and what `kind` of mistake leads to it."""

    kind: str
    value: float


class Hint(NamedTuple):
    """The hint that a quiz gives to a kind of mistake."""

    kind: str
    text: str


@dataclass(frozen=True)
class Question:
    """A quiz question before a step is shown, for a ``"value"``, ``"partial"``, ``"adjoint"`` or ``"tangent"``."""

    kind: QuestionKind
    ask: str
    answer: Number
    mistakes: tuple[Mistake, ...] = ()
