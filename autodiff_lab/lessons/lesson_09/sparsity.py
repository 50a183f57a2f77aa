"""The exercises of notebook 09 about saving work: columns that share a pass, maps without a matrix, the order."""

from __future__ import annotations

from autodiff_lab.lessons.checks import Crashed, Exercise
from autodiff_lab.lessons.lesson_09.sandbox import ELSEWHERE, PASSES, RIGHT, compress_jacobian, expected_compressed
from autodiff_lab.lessons.lesson_09.variants import chain_instance, square_instance

# 4. three colours


def _coloured(
    colours: str = "3",
    seed: str = "(np.arange(n) % 3 == colour) * 1.0",
    rows: str = "slice(max(j - 1, 0), j + 2)",
    put: str = "J[rows, j] = product[rows]",
) -> str:
    return f"""\
def tridiagonal_jacobian(f, x):
    n = len(x)
    J = np.zeros((n, n))
    for colour in range({colours}):
        seed = {seed}
        product = ad.jvp(f, (x,), (seed,))[1]
        for j in range(colour, n, {colours}):
            rows = {rows}
            {put}
    return J"""


ex_09_4 = Exercise(
    expects="a function tridiagonal_jacobian(f, x) that returns a square array",
    expected=expected_compressed(),
    observe=compress_jacobian,
    reference=_coloured(),
    misconceptions={
        _coloured(rows="slice(None)"): (
            {PASSES: 3.0, RIGHT: 88.0, ELSEWHERE: 792.0},
            "All 88 are right. But every column of a colour has received the whole product. An entry of it belongs to "
            "one column only: to the one that is next to its row.",
        ),
        _coloured(colours="n", seed="np.eye(n)[colour]"): (
            {PASSES: 30.0, RIGHT: 88.0, ELSEWHERE: 0.0},
            "The matrix is right, by 30 passes: one for each column. Columns that have no row in common can go in one "
            "pass.",
        ),
        _coloured(colours="2", seed="(np.arange(n) % 2 == colour) * 1.0"): (
            {PASSES: 2.0},
            "Two colours are too few. Columns j and j + 2 both have an entry in row j + 1, and there they were added.",
        ),
        _coloured(put="J[j, rows] = product[rows]"): (
            {PASSES: 3.0, RIGHT: 30.0, ELSEWHERE: 0.0},
            "The matrix lies on its side. An entry of the product belongs to a row, and J takes the row first.",
        ),
        _coloured(seed="np.ones(n)"): (
            {PASSES: 3.0, RIGHT: 0.0, ELSEWHERE: 0.0},
            "All three passes have the same seed, ones everywhere, so all columns are added. Each pass is to move the "
            "inputs of one colour only.",
        ),
        _coloured(seed="np.eye(n)[colour]"): (
            {PASSES: 3.0, RIGHT: 8.0, ELSEWHERE: 0.0},
            "Each pass moved one input only, so 8 of the 88 entries have come out. A seed is to be 1 at all "
            "columns of its colour: every third one.",
        ),
        _coloured(rows="[j - 1, j, j + 1]"): (
            {PASSES: Crashed("IndexError")},
            "At the edge there is no neighbour: the last column has no row below it. (And row −1 is, for Python, the "
            "last one.)",
        ),
        _coloured(rows="slice(j - 1, j + 2)"): (
            {PASSES: 3.0, RIGHT: 86.0, ELSEWHERE: 0.0},
            "The first column has stayed empty. For j = 0 the slice begins at −1, which is the last row for Python: "
            "begin at 0 there.",
        ),
        "def tridiagonal_jacobian(f, x):\n    return ad.jacfwd(f)(x)": (
            {PASSES: 1.0, RIGHT: 88.0, ELSEWHERE: 0.0},
            "The matrix is right, and f is run once, with 30 tangents at the same time: the products of 30 passes. "
            "Build it from three calls of jvp.",
        ),
    },
    hints=(
        "Which inputs may move at the same time? Those whose columns have no row in common: 0, 3, 6, …",
        "The seed of a colour is 1 at its columns and 0 elsewhere: np.arange(n) % 3 == colour says where.",
        "Column j is not 0 in the rows j − 1, j and j + 1, as far as there are such rows. A slice may end beyond the "
        "last row, and must not begin before the first.",
    ),
    praise="Three passes, for 30 columns or for 30 million.",
)

# 5. the square of a matrix

ex_09_5 = Exercise(
    expects="two rows of two numbers, ((1, 2), (3, 4)), or an array",
    make=square_instance,
    draws={
        "A": (
            ((1.0, 2.0), (0.5, 3.0)),
            ((2.0, 1.0), (4.0, -1.0)),
            ((0.5, 2.0), (1.0, 1.0)),
            ((3.0, -1.0), (2.0, 0.5)),
        ),
        "dA": (
            ((1.0, 0.0), (3.0, -1.0)),
            ((0.0, 2.0), (1.0, 1.0)),
            ((2.0, -1.0), (0.0, 1.0)),
            ((-1.0, 1.0), (2.0, 3.0)),
        ),
    },
    hints=(
        "Multiply (A + t dA)(A + t dA) out, and keep the order of the factors. Which terms have one t?",
        "There are two of them: one has dA on the right, the other has dA on the left.",
        "A dA + dA A. Two products of matrices, and one sum.",
    ),
    praise="The derivative at A is a map that takes a matrix and gives a matrix. It was never written down as a table.",
)

# 6. a chain from both ends

ex_09_6 = Exercise(
    expects="a pair of whole numbers, (forward, reverse)",
    make=chain_instance,
    draws={
        "widths": (
            (200, 30, 10, 1),
            (50, 40, 20, 1),
            (500, 12, 5, 1),
            (300, 20, 8, 1),
            (80, 16, 4, 1),
            (1000, 50, 6, 1),
        )
    },
    hints=(
        "J1 has as many rows as its layer has results and as many columns as it has inputs. Write the three shapes.",
        "(a rows, b columns) times (b rows, c columns) takes a · b · c multiplications.",
        "Forward: first J2 J1, then J3 times that. Reverse: first J3 J2, then that times J1.",
    ),
    praise="From the result's end a single row is carried through: a row times a matrix, again and again.",
)
