"""A question of the quiz in a trace, the wrong answers it recognises, and the hints for them."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from autodiff_lab.trace.model.number import Number

QuestionKind = Literal["value", "partial", "adjoint", "tangent"]


class Mistake(NamedTuple):
    """A wrong answer that a quiz question recognises, and the `kind` of mistake that leads to it."""

    kind: str
    value: float


class Hint(NamedTuple):
    """The hint that a quiz gives for a kind of mistake."""

    kind: str
    text: str


@dataclass(frozen=True)
class Question:
    """A quiz question before a step is shown: predict a value, a local partial, an adjoint or a tangent."""

    kind: QuestionKind
    ask: str
    answer: Number
    mistakes: tuple[Mistake, ...] = ()
