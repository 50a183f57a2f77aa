"""The exercises of notebook 09 about passes: how many, one matrix in two ways, and what a seed of ones gives."""

from __future__ import annotations

from typing import Any

from autodiff_lab.lessons.checks import Crashed, Exercise, in_small_letters
from autodiff_lab.lessons.lesson_09 import sandbox
from autodiff_lab.lessons.lesson_09.sandbox import DIFFERENCES, MADE_OF, PULLS, PUSHES, READY_MADE, RUNS_OF_F
from autodiff_lab.lessons.lesson_09.variants import SIZES, cheaper_instance, summed_instance

# 1. the cheaper mode


ex_09_1 = Exercise(
    expects='five words, each "forward", "reverse" or "either"',
    observe=lambda answer: in_small_letters(answer, "forward", "reverse", "either"),
    make=cheaper_instance,
    draws={"pairs": SIZES},
    hints=(
        "One forward pass moves one input. One reverse pass begins at one result.",
        "So the whole matrix takes n passes forward, or m passes in reverse. Take the smaller number.",
    ),
    praise="min(n, m) passes, and each costs about as much as the program. Nothing else went into it.",
)

# 2. the whole matrix


def _two(
    forward: str = "np.stack([ad.jvp(f, (x,), (e,))[1] for e in np.eye(len(x))], axis=1)",
    before: str = "value, pullback = ad.vjp(f, x)",
    reverse: str = "np.stack([pullback(e)[0] for e in np.eye(len(value))])",
) -> str:
    return f"""\
def my_jacfwd(f, x):
    return {forward}


def my_jacrev(f, x):
    {before}
    return {reverse}"""


_EXPECTED = sandbox.expected_jacobians()
_COLUMNS, _ROWS = "one input, three results, by columns", "one input, three results, by rows"
_WIDE = "three inputs, one result, by columns"
_COLUMNS_MADE_OF, _ROWS_MADE_OF = MADE_OF
_BY_DIFFERENCES = "np.stack([(f(x + 1e-5 * e) - f(x - 1e-5 * e)) / 2e-5 for e in np.eye(len(x))], axis=1)"


def _turned(rows: Any) -> Any:
    return tuple(zip(*rows, strict=True))


ex_09_2 = Exercise(
    expects="two functions of f and x, each of which returns an array with a row for each result",
    expected=_EXPECTED,
    observe=sandbox.find_jacobians,
    cases="Brackets within brackets are rows: one for each result, with a column for each input.",
    reference=_two(),
    misconceptions={
        _two(forward="np.stack([ad.jvp(f, (x,), (e,))[1] for e in np.eye(len(x))])"): (
            {_COLUMNS: _turned(_EXPECTED[_COLUMNS]), _WIDE: _turned(_EXPECTED[_WIDE])},
            "my_jacfwd gives the matrix on its side: each push brings a column, and you have put it down as a row. "
            "np.stack(…, axis=1) puts columns beside each other.",
        ),
        _two(reverse="np.stack([pullback(e)[0] for e in np.eye(len(value))], axis=1)"): (
            {_COLUMNS: _EXPECTED[_COLUMNS], _ROWS: _turned(_EXPECTED[_ROWS])},
            "my_jacrev gives the matrix on its side: each pull brings a row, and you have put it down as a column.",
        ),
        _two(forward="np.stack([ad.jvp(f, (x,), (e,))[0] for e in np.eye(len(x))], axis=1)"): (
            {_COLUMNS: ((4.0,), (0.9092974268256817,), (6.0,))},
            "my_jacfwd has collected the values of f. jvp returns a pair, (value, tangent): the column is the second.",
        ),
        _two(before="value = f(x)", reverse="np.stack([ad.vjp(f, x)[1](e)[0] for e in np.eye(len(value))])"): (
            {_ROWS: _EXPECTED[_ROWS], _ROWS_MADE_OF: PULLS, RUNS_OF_F: 4.0},
            "Both matrices are right. But f was run and recorded again for each row, and once more for its value. "
            "Call vjp once, and pull all rows from that record.",
        ),
        _two(before="", reverse="np.stack([ad.jvp(f, (x,), (e,))[1] for e in np.eye(len(x))], axis=1)"): (
            {_ROWS: _EXPECTED[_ROWS], _ROWS_MADE_OF: PUSHES},
            "Both matrices are right, and both came by columns: my_jacrev pushes, once for each input. By rows means "
            "one record, and a pull for each result.",
        ),
        _two(
            before="m, pullback = f(x).size, ad.vjp(f, x)[1]", reverse="np.stack([pullback(e)[0] for e in np.eye(m)])"
        ): (
            {_ROWS: _EXPECTED[_ROWS], _ROWS_MADE_OF: PULLS, RUNS_OF_F: 2.0},
            "Both matrices are right, and all rows are pulled from one record. But f was run twice: once for that "
            "record, and once by itself. vjp hands you the value of f beside the pullback, and the value has the size.",
        ),
        _two(forward=_BY_DIFFERENCES): (
            {_COLUMNS_MADE_OF: DIFFERENCES},
            "my_jacfwd runs f with plain numbers only, so what it returns are quotients of differences, right to some "
            "of their digits. A push, ad.jvp(f, (x,), (e,)), gives the column itself.",
        ),
        _two(before="", reverse=_BY_DIFFERENCES): (
            {_ROWS_MADE_OF: DIFFERENCES},
            "my_jacrev runs f with plain numbers only, so what it returns are quotients of differences, and columns. "
            "Record f with ad.vjp, and pull.",
        ),
        _two(forward="ad.jacfwd(f)(x)"): (
            {_COLUMNS_MADE_OF: READY_MADE},
            "my_jacfwd calls the package's own. That is the function to be written here: make it of pushes, ad.jvp.",
        ),
        _two(before="", reverse="ad.jacrev(f)(x)"): (
            {_ROWS_MADE_OF: READY_MADE},
            "my_jacrev calls the package's own. That is the function to be written here: make it of pulls, ad.vjp.",
        ),
        _two(forward="np.stack([ad.vjp(f, x)[1](e)[0] for e in np.eye(len(f(x)))])"): (
            {_COLUMNS: _EXPECTED[_COLUMNS], _COLUMNS_MADE_OF: PULLS},
            "my_jacfwd is right, and it pulls: these are rows. By columns means a push for each input.",
        ),
        _two(reverse="np.stack([pullback(e)[0] for e in np.eye(len(x))])"): (
            {_COLUMNS: _EXPECTED[_COLUMNS], _ROWS: Crashed("ShapeError")},
            "my_jacrev makes one seed for each input. A pull takes one adjoint for each result: np.eye(len(value)).",
        ),
        _two(reverse="np.stack([pullback(e) for e in np.eye(len(value))])"): (
            {_COLUMNS: _EXPECTED[_COLUMNS], _ROWS: tuple((row,) for row in _EXPECTED[_ROWS])},
            "In my_jacrev there is one pair of brackets too many: pullback returns a tuple, one gradient for each "
            "argument of f. The row is its first.",
        ),
        _two(reverse="pullback(np.ones(len(value)))[0]"): (
            {_COLUMNS: _EXPECTED[_COLUMNS], _ROWS: (6.5838531634528576,)},
            "my_jacrev pulls once, with ones: that is the sum of the rows. Each row needs a pull of its own.",
        ),
    },
    hints=(
        "The rows of np.eye(k) are the basis vectors e₁ … e_k. Which k does a push need, and which a pull?",
        "ad.jvp(f, (x,), (e,)) returns (value, column). value, pullback = ad.vjp(f, x), and then pullback(e)[0] is a "
        "row.",
        "np.stack(rows) puts rows below each other, np.stack(columns, axis=1) puts columns beside each other.",
    ),
    praise="Two loops over basis vectors, and the matrix is the same. In reverse f was run once: rows are pulled from "
    "one record.",
)

# 3. a seed of ones

ex_09_3 = Exercise(
    expects="two pairs of numbers, such as ((1, 2), (3, 4))",
    make=summed_instance,
    draws={"a": (2.0, 3.0, 4.0, 5.0), "b": (2.0, 3.0, 5.0, 6.0)},
    hints=(
        "pullback(w) is w₁ times the first row plus w₂ times the second.",
        "Write the two rows of the Jacobian below each other. With w = (1, 1) they are added, column by column.",
        "For the second question one of the two weights has to be 0.",
    ),
    praise="The rows cannot be found in their sum. The seed chooses the combination, before the sweep.",
)
