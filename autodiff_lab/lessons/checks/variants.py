"""Variants of an exercise, for every lesson: the example of the text, and other numbers for each learner's seed.

If the answer to an exercise is a number, each learner can get a different one. The data are drawn from a
few good choices; a seed (a learner's name) decides which, always in the same way. The right answer and
the results of the known mistakes are computed from the data, so each variant is checked and explained as
well as the one in the text.
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
    # What the check then observes. A dictionary needs only the entries that reveal the mistake.
    seen: Any
    # Explains where this answer comes from, without giving the right one away.
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
        """Store the values as the tuple's elements, and their names in the attribute `names`."""
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
        parts = []
        for name, value in zip(self.names, self, strict=True):
            shown = value if isinstance(value, str) else describe(value)
            parts.append(f"{name} = {shown}")
        return ", ".join(parts) or "nothing"


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
        Instead of `misconceptions`, in a lesson: the answer that each mistake leads to, by the
        mistake's name. The hint of that name is in ``exercises.toml``. If two mistakes lead to the
        same answer with these data, the later one is explained; one that leads to the right answer
        isn't a mistake.
    words : mapping
        Values that those hints may contain besides the data: ``{row}``.

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
        """Whether the known mistakes of this variant lead to different answers, all of them wrong."""
        seen = [wrong.seen for wrong in self.misconceptions]
        pairs = [(one, self.expected) for one in seen] + list(itertools.combinations(seen, 2))
        return not any(agrees(a, b, tolerance) or agrees(b, a, tolerance) for a, b in pairs)


Make = Callable[..., Instance]
Draws = Mapping[str, Sequence[Any]]


def default_data(make: Make) -> dict[str, Any]:
    """Return the data of the variant in the text: the defaults of `make`."""
    parameters = inspect.signature(make).parameters
    return {name: parameter.default for name, parameter in parameters.items()}


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
    generator = random.Random(seed)  # a string gives the same draws in every version of Python
    for _ in range(50):
        data = {name: generator.choice(values) for name, values in draws.items()}
        instance = _make_instance(make, data)
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
    visible = "".join(char if char.isprintable() else " " for char in str(seed))
    single_spaced = " ".join(visible.split())
    return single_spaced.casefold()[:80]
