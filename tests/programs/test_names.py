"""What a learner names and counts with gets into a source as names and numbers, never as text of its own."""

from __future__ import annotations

import ast
import enum
import inspect
import keyword
import subprocess
import sys
import unicodedata
from collections import namedtuple
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from autodiff_lab import value_and_grad
from autodiff_lab.programs import program

RAN: list[str] = []
"""What has run that must not."""

EVIL = "__import__('tests.programs.test_names', fromlist=['RAN']).RAN.append('ran')"


class Two(enum.IntEnum):
    TWO = 2


class Colour(enum.StrEnum):
    RED = "red"


class Whole(int):
    def __repr__(self) -> str:
        return EVIL

    __str__ = __repr__


class Unhashable(int):
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return True


class Real(float):
    def __repr__(self) -> str:
        return EVIL

    __str__ = __repr__


class Word(str):
    def __repr__(self) -> str:
        return EVIL

    __hash__ = str.__hash__


class Thing:
    def __repr__(self) -> str:
        return EVIL


Pair = namedtuple("Pair", "a b")
Math = namedtuple("math", "a b")
Spaced = type("a b", (Pair,), {})
Other = type("Pair", (Pair,), {})


@pytest.fixture(autouse=True)
def _nothing_has_run() -> Any:
    RAN.clear()
    yield
    assert RAN == []


def agree(f: Any, *args: Any, argnums: Any = 0) -> Any:
    """The program's value and gradient, which are the engine's; the source is Python."""
    compiled = program(f, *args, argnums=argnums)
    ast.parse(compiled.source)
    expected, found = value_and_grad(f, argnums)(*args), compiled(*args)
    for a, b in zip(_leaves(found), _leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)
    return compiled


def _leaves(x: Any) -> Any:
    if isinstance(x, dict):
        return [leaf for k in x for leaf in _leaves(x[k])]
    return [leaf for entry in x for leaf in _leaves(entry)] if isinstance(x, (tuple, list)) else [x]


def test_keys_that_are_one_name_to_python() -> None:
    def f(p: Any) -> Any:
        return p["µ"] ** 2 + 4 * p["μ"] + p["ﬁ"] * p["fi"] + p["x²"] * p["x2"]

    agree(f, {"µ": 3.0, "μ": 5.0, "ﬁ": 7.0, "fi": 11.0, "x²": 2.0, "x2": 13.0})


def test_numbers_are_written_as_numbers() -> None:
    for number in (Two.TWO, Whole(2), Unhashable(2), Real(2.0), np.float32(2.5), np.int8(3), True):
        agree(
            lambda x, number=number: x**number + number * x + np.where(x > number, number, x), 1.7
        )
        agree(lambda x, number=number: np.sum(x**number * number), np.array([1.5, 2.5]))
    agree(
        lambda x: x[Two.TWO] * np.sum(x[Whole(0) : Two.TWO]) + np.sum(x, axis=Whole(0)),
        np.array([1.0, 2.0, 4.0]),
    )
    agree(lambda x: np.einsum(Word("i,i->"), x, x), np.array([1.0, 2.0]))


@pytest.mark.parametrize("kind", [Pair, Math, Spaced, Other])
def test_containers_of_any_name(kind: Any) -> None:
    compiled = agree(lambda p: p.a * p.b + 1 / p.a, kind(2.0, 3.0))
    assert type(compiled(kind(2.0, 3.0))[1]) is kind
    both = program(lambda a, p: (Pair(a, kind(a * a, p)), Other(p, p)), 2.0, 3.0, mode="value")(
        2.0, 3.0
    )
    assert [type(both[0]), type(both[0].b), type(both[1])] == [Pair, kind, Other]


KEYS = [
    Two.TWO,
    Colour.RED,
    Word("w"),
    Whole(5),
    Thing(),
    1.5,
    -1,
    None,
    ("a", 1),
    b"b",
    "math.sin(x)",
    "a.b",
    "ndarray",
]
KEYS += [
    "is float64",
    "x] + 1 #",
    "'''",
    '"',
    "\\",
    "{name}",
    "BranchChanged(",
    "math.foo(",
    "\n",
    "",
    " ",
    "\0",
    "π",
    "½",
]


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.one_of(st.sampled_from(KEYS), st.text(max_size=4), st.integers(), st.booleans()),
        min_size=1,
        max_size=5,
    )
)
@example(KEYS)
def test_keys(keys: list[Any]) -> None:
    p = {key: 1.0 + 0.5 * k for k, key in enumerate(keys)}

    def f(p: Any) -> Any:
        return sum((k + 1) * x**2 for k, x in enumerate(p.values())) * next(iter(p.values()))

    compiled = agree(f, p)
    again = {key: x + 1.0 for key, x in p.items()}
    assert compiled(again)[0] == pytest.approx(f(again))
    assert list(compiled(again)[1]) == list(p)
    agree(lambda p: f(p["inner"][0]), {"inner": [p, 2.0]})


NAMES = [
    "x",
    "_dispatch",
    "_switch_version",
    "_main",
    "_run_in_numpy",
    "np",
    "math",
    "float",
    "ndarray",
    "float64",
    "µ",
    "ﬁ",
    "fi",
]
NAMES += [
    "v1",
    "t1",
    "c1",
    "x_bar",
    "key",
    "BranchChanged",
    "type",
    "np_sin",
    "match",
    "f",
    "ª",
    "𝐱",
    "ℌ",
]


def identifiers() -> Any:
    letters = st.text(
        st.characters(categories=["L", "Nl", "Nd", "Mn", "Pc"]), min_size=1, max_size=3
    )
    return letters.filter(
        lambda name: (
            name.isidentifier() and not keyword.iskeyword(unicodedata.normalize("NFKC", name))
        )
    )


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.one_of(st.sampled_from(NAMES), identifiers()), min_size=2, max_size=4, unique=True),
    st.text(max_size=6),
)
@example(NAMES[:4], EVIL)
@example(NAMES[4:8], '"""\nimport os')
def test_names(names: list[str], title: str) -> None:
    def f(*xs: Any) -> Any:
        return sum(np.sin(x) * (k + 2) * xs[k - 1] for k, x in enumerate(xs))

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    f.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in names])  # type: ignore[attr-defined]
    f.__name__ = title
    args = [0.5 + k for k in range(len(names))]
    compiled = agree(f, *args, argnums=tuple(range(len(names))))
    assert compiled(*args[::-1])[0] == pytest.approx(f(*args[::-1]))


@settings(max_examples=60, deadline=None)
@given(
    st.one_of(st.floats(-1e3, 1e3), st.integers(-20, 20)),
    st.sampled_from([int, float, Whole, Real, Unhashable, np.float32]),
)
def test_constants(number: float, kind: Any) -> None:
    number = kind(number)
    agree(lambda x: number * x + x / (number * number + 1) - number, 1.5)
    agree(lambda x: np.sum(np.maximum(x, number) * (x - number)), np.array([1.5, -2.5]))


def test_arrays_around_a_function_keep_their_names_apart() -> None:
    around = {"µ": np.array([1.0, 2.0]), "μ": np.array([3.0, 4.0]), "np": np}
    exec("def f(x): return np.sum(x * globals()['µ'] + x * x * globals()['\u03bc'])", around)
    agree(around["f"], np.array([0.5, 1.5]))


def test_a_source_holds_no_text_of_the_learners() -> None:
    def f(p: Any) -> Any:
        return p["ndarray"] * np.sum(p["is float64"]) * p["µ"] + p["μ"]

    f.__name__ = f'"""\n{EVIL}\n"""\\'
    compiled = agree(f, {"ndarray": 2.0, "is float64": np.array([1.0, 2.0]), "µ": 3.0, "μ": 4.0})
    assert EVIL not in str(compiled)
    assert EVIL not in str(agree(lambda p: p[Colour.RED] * 2, {Colour.RED: 1.0}))


def test_functions_of_scipy_are_not_called_numpys():
    """The names are read off the table when a program is first written: SciPy's rows may stand in it by then."""
    pytest.importorskip("scipy")
    code = """
import numpy as np, scipy.special as special
import autodiff_lab as ad
slope = ad.grad(special.erf)(0.5)
value, found = ad.program(lambda x: special.erf(x) * 2, 0.5)(0.5)
assert abs(found - 2 * slope) < 1e-12 and abs(value - 2 * special.erf(0.5)) < 1e-12
from autodiff_lab.systems.wengert import FUNCTIONS
assert "erf" not in FUNCTIONS and "sin" in FUNCTIONS
"""
    subprocess.run([sys.executable, "-c", code], check=True)
