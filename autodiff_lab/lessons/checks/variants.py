"""Variants of an exercise, for every lesson: the example of the text, and other numbers for each learner's seed.

An exercise whose answer is a number need not ask everybody for the same number. Its data are drawn from a few good
choices; a seed (a learner's name) decides which, always in the same way. What is expected and what the known mistakes
lead to are computed from the data, so that every instance is checked and explained as well as the one in the text.
"""

import inspect
import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from autodiff_lab.lessons.checks.compare import agrees, describe

Seed = str | int | None


@dataclass(frozen=True)
class Misconception:
    """A known wrong answer to a variant of an exercise: what a learner writes, what it leads to, and its hint."""

    # What a learner with this idea in mind writes into the cell (source text; the tests run it).
    written: str
    # What the check then observes. A dictionary need only hold the entries that give the idea away.
    seen: Any
    # Says where this answer comes from, without giving the right one away.
    hint: str


class Given(tuple[Any, ...]):
    """The data that a variant of an exercise gives: printed as text, unpacked like a tuple, or read by name.

    >>> given = Given(x1=2.0, x2=5.0)
    >>> given
    x1 = 2, x2 = 5
    >>> x1, x2 = given
    >>> x2, given.x1
    (5.0, 2.0)
    """

    names: tuple[str, ...]

    def __new__(cls, **data: Any) -> Self:
        """Keep the values as the tuple, and the names beside it."""
        given = super().__new__(cls, data.values())
        given.names = tuple(data)
        return given

    def __getattr__(self, name: str) -> Any:
        if name in self.names:
            return self[self.names.index(name)]
        raise AttributeError(
            f"this exercise gives {', '.join(self.names) or 'nothing'}, and no {name}"
        )

    def __repr__(self) -> str:
        shown = (x if isinstance(x, str) else describe(x) for x in self)
        return (
            ", ".join(f"{name} = {x}" for name, x in zip(self.names, shown, strict=True))
            or "nothing"
        )


@dataclass
class Instance:
    """A variant of an exercise for one learner: its data, right answer, reference solution and known mistakes.

    Parameters
    ----------
    expected : object
        The right answer, as plain data.
    misconceptions : tuple of Misconception
        The wrong answers with a hint of their own; the first that fits is shown.
    reference : str
        Source text of one good answer; the right answer itself, written out, if there is none.
    given : Given
        The data of this instance.
    mistakes : mapping
        Instead of `misconceptions`, in a lesson: by name what each mistake leads to. The hint of that name stands in
        ``exercises.toml``. Where two lead to the same with these data, the later one is explained; one that leads to
        the right answer is none.
    words : mapping
        What those hints may name besides the data: ``{row}``.

    Examples
    --------
    >>> double = Instance(4, (Misconception("answer = 3", 3, "You added one."),))
    >>> double.reference, double.is_sound(1e-6)
    ('answer = 4', True)
    """

    expected: Any
    misconceptions: tuple[Misconception, ...] = ()
    reference: str = ""
    given: Given = field(default_factory=Given)
    mistakes: Mapping[str, Any] = field(default_factory=dict)
    words: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.reference = self.reference or f"answer = {self.expected!r}"

    def is_sound(self, tolerance: float) -> bool:
        """Whether in this variant no known mistake leads to the right answer, nor two mistakes to the same answer."""
        seen = [wrong.seen for wrong in self.misconceptions]
        pairs = [(one, self.expected) for one in seen] + list(itertools.combinations(seen, 2))
        return not any(agrees(a, b, tolerance) or agrees(b, a, tolerance) for a, b in pairs)


Make = Callable[..., Instance]
Draws = Mapping[str, Sequence[Any]]


def default_data(make: Make) -> dict[str, Any]:
    """The data of the variant that stands in the text: the defaults of `make`."""
    return {
        name: parameter.default for name, parameter in inspect.signature(make).parameters.items()
    }


def _make_instance(make: Make, data: Mapping[str, Any]) -> Instance:
    """Make the instance with these data."""
    return replace(make(**data), given=Given(**data))


def draw_instance(make: Make, draws: Draws, seed: str, tolerance: float) -> Instance | None:
    """Draw the variant of an exercise for a seed: the first sound one of 50; None if there is none.

    >>> def double(x=2.0):
    ...     return Instance(2 * x)
    >>> once, again = (draw_instance(double, {"x": (3.0, 4.0, 5.0)}, "Ada", 1e-6) for _ in range(2))
    >>> once == again
    True
    """
    choice = random.Random(seed)  # a text as a seed gives the same draws in every version
    for _ in range(50):
        instance = _make_instance(
            make, {name: choice.choice(values) for name, values in draws.items()}
        )
        if instance.is_sound(tolerance):
            return instance
    return None


def every_draw(make: Make, draws: Draws) -> Iterator[Instance]:
    """Yield all variants that an exercise can have, for the tests."""
    for values in itertools.product(*draws.values()):
        yield _make_instance(make, dict(zip(draws, values, strict=True)))


def normalize_seed(seed: Seed) -> str | None:
    """Normalize the seed that chooses a learner's variants: "Ada " is "ada", and None is the example of the text."""
    if seed is None:
        return None
    return " ".join(
        "".join(char if char.isprintable() else " " for char in str(seed)).split()
    ).casefold()[:80]
