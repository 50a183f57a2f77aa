"""The exercises of notebook 11 about matrices: the product, the trace, the inverse, the length of a tape, attention."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_lab.lessons.checks import Crashed, Exercise, plain
from autodiff_lab.lessons.lesson_11 import sandbox
from autodiff_lab.lessons.lesson_11.sandbox import HEADS, INVERSES, PRODUCTS, A, B, softmax_rows
from autodiff_lab.lessons.lesson_11.variants import lines_on_tapes, trace_of_square

# 4. the product


def _matmul(left: str = "g @ B.value.T", right: str = "A.value.T @ g", value: str = "A.value @ B.value") -> str:
    return f"""\
def matmul(A, B):
    return Array(
        {value},
        (A, lambda g: {left}),
        (B, lambda g: {right}),
    )"""


_G = np.ones((2, 2))
_SQUARE, _WIDE = (tuple(f"{case}, the adjoint of {name}" for name in "AB") for case in PRODUCTS)


def _square(left: Any, right: Any) -> dict[str, Any]:
    return {_SQUARE[0]: plain(left), _SQUARE[1]: plain(right)}


ex_11_4 = Exercise(
    expects="a function matmul(A, B) that returns an Array with two links",
    expected=sandbox.expected_products(),
    observe=sandbox.multiply_matrices,
    cases="Brackets within brackets are rows.",
    reference=_matmul(),
    misconceptions={
        _matmul("g * B.value", "g * A.value"): (
            _square(_G * B, _G * A),
            "That is the rule of *, entry by entry. In a matrix product an entry of A meets a whole row of B.",
        ),
        _matmul("g @ B.value", "A.value @ g"): (
            _square(_G @ B, A @ _G),
            "The order is right, and B and A are not transposed. Try it with the shapes (2, 3) @ (3, 4): which "
            "product of g and B has the shape of A?",
        ),
        _matmul("B.value.T @ g", "g @ A.value.T"): (
            _square(B.T @ _G, _G @ A.T),
            "Transposed, but multiplied from the wrong side. B stood on the right of A, and stays on the right of g; "
            "A stays on the left.",
        ),
        _matmul("A.value.T @ g", "g @ B.value.T"): (
            _square(A.T @ _G, _G @ B.T),
            "Both pullbacks are there, and each is at the wrong operand. What A gets back depends on B.",
        ),
        _matmul(value="A.value * B.value"): (
            {_WIDE[0]: Crashed("ValueError", "could not be broadcast")},
            "The value is A.value * B.value, entry by entry. The product of matrices is written @.",
        ),
    },
    hints=(
        "Shapes first. With A (2, 3) and B (3, 4), g is (2, 4). The adjoint of A is (2, 3).",
        "There is one way to make (2, 3) out of g and B, or Bᵀ. The same for (3, 4), out of g and A, or Aᵀ.",
        "In the text: every entry of A in row i meets row k of B, and its adjoint collects g · B along that row.",
    ),
    praise="Two products back for one product forward. That is why a sweep costs about twice what the run costs.",
)

# 5. the trace

ex_11_5 = Exercise(
    expects="two rows of two numbers, [[…, …], […, …]]",
    make=trace_of_square,
    draws={
        "a": (
            ((1.0, 2.0), (3.0, 5.0)),
            ((2.0, -1.0), (4.0, 3.0)),
            ((3.0, 1.0), (-2.0, 0.5)),
            ((0.5, 4.0), (1.0, 2.0)),
            ((-1.0, 2.0), (5.0, 3.0)),
            ((4.0, 3.0), (1.5, -2.0)),
        )
    },
    hints=(
        "G, the adjoint of the product, is the identity: the trace adds the diagonal and looks at nothing else.",
        "A stands in both places of A @ A. From the left place it gets G Aᵀ, from the right place Aᵀ G.",
        "With G = I both are the same matrix.",
    ),
    praise="For numbers x · x gives 2x. The 2 stays, and the transpose is what remains of the order.",
)

# 6. the inverse


def _inverse(pullback: str = "-Y.T @ g @ Y.T") -> str:
    return f"""\
def inverse(A):
    Y = np.linalg.inv(A.value)
    return Array(Y, (A, lambda g: {pullback}))"""


_INVERSE, _LARGER = INVERSES
_Y = np.linalg.inv(A)
_ONES = np.ones((2, 2))

ex_11_6 = Exercise(
    expects="a function inverse(A) that returns an Array with one link",
    expected=sandbox.expected_inverses(),
    observe=sandbox.invert_matrices,
    cases="Brackets within brackets are rows.",
    reference=_inverse(),
    misconceptions={
        _inverse("-Y @ g @ Y"): (
            {_INVERSE: plain(-_Y @ _ONES @ _Y)},
            "That is the differential, with g instead of dA. On the way back each factor is transposed.",
        ),
        _inverse("Y.T @ g @ Y.T"): (
            {_INVERSE: plain(_Y.T @ _ONES @ _Y.T)},
            "A sign is missing. If a number grows, what happens to its inverse?",
        ),
        _inverse("-g / A.value ** 2"): (
            {_INVERSE: plain(-_ONES / A**2)},
            "That is the rule for 1 / x, entry by entry. An entry of an inverse depends on all entries of the matrix.",
        ),
        _inverse("-A.value.T @ g @ A.value.T"): (
            {_INVERSE: plain(-A.T @ _ONES @ A.T)},
            "In the differential stands the inverse, twice: −Y dA Y. You took A.",
        ),
        _inverse("-g @ Y.T @ Y.T"): (
            {_INVERSE: plain(-_ONES @ _Y.T @ _Y.T)},
            "Both factors are on the right. In −Y dA Y there is one on each side, and they stay where they are.",
        ),
    },
    hints=(
        "The text has dY = −Y dA Y. A pullback takes what is left and right of dA to the other side: transposed.",
        "If dY = L dA R, then the adjoint of A is Lᵀ G Rᵀ. What are L and R here?",
        "L is −Y and R is Y.",
    ),
    praise="No inverse is computed on the way back: the one from the way forward is used twice.",
)

# 7. lines on a tape

ex_11_7 = Exercise(
    expects="a pair of whole numbers, (operations on numbers, operations on arrays)",
    make=lines_on_tapes,
    draws={"m": (2, 3, 5), "k": (2, 3, 4), "n": (3, 4, 5)},
    hints=(
        "One entry of A @ B is k products and the additions between them. How many entries are there?",
        "Then each entry is squared, and the squares are added up. For arrays: how many lines has the program?",
        "One entry takes 2k − 1 operations. There are m · n entries, as many squares, and one addition fewer.",
    ),
    praise="The arithmetic is the same. What is saved is the bookkeeping: one line instead of hundreds.",
)

# 8. one attention head

_BACK = {
    "V": "P.T @ G",
    "P": "G @ V.T",
    "S": "P * (to_P - np.sum(P * to_P, axis=1, keepdims=True)) / np.sqrt(Q.shape[1])",
    "Q": "to_S @ K",
    "K": "to_S.T @ Q",
}


def _attention_pullback(**other: str) -> str:
    lines = "\n".join(f"    to_{name} = {code}" for name, code in (_BACK | other).items())
    return f"def attention_pullback(G, Q, K, V, P):\n{lines}\n    return to_Q, to_K, to_V"


def _seen(**other: str) -> dict[str, Any]:
    """What the check sees of this variant in its first case, of the matrices that it changes."""
    case, (q, k, v, g) = next(iter(HEADS.items()))
    names: dict[str, Any] = {"np": np}
    exec(_attention_pullback(**other), names)
    found = names["attention_pullback"](g, q, k, v, softmax_rows(q @ k.T / np.sqrt(q.shape[1])))
    right = sandbox.expected_heads()
    keys = [f"{case}, the adjoint of {name}" for name in "QKV"]
    return {key: plain(x) for key, x in zip(keys, found, strict=True) if plain(x) != right[key]}


def _head(said: str, **other: str) -> dict[str, tuple[dict[str, Any], str]]:
    return {_attention_pullback(**other): (_seen(**other), said)}


_FIRST_HEAD = f"{next(iter(HEADS))}, the adjoint of Q"

ex_11_8 = Exercise(
    expects="a function attention_pullback(G, Q, K, V, P) that returns three arrays, for Q, K and V",
    expected=sandbox.expected_heads(),
    observe=sandbox.pull_heads,
    cases="Brackets within brackets are rows.",
    reference=f"import numpy as np\n\n\n{_attention_pullback()}",
    misconceptions=_head(
        "The weights of a row add up to 1: if one grows, the others shrink. The softmax is not an operation entry by "
        "entry, and the sum over the row is missing.",
        S="P * to_P / np.sqrt(Q.shape[1])",
    )
    | _head(
        "That is the slope p (1 − p) of one weight by its own score. Each weight depends on the other scores of its "
        "row too.",
        S="P * (1 - P) * to_P / np.sqrt(Q.shape[1])",
    )
    | _head(
        "The scores were divided by √d on the way forward. It is a factor, and on the way back it is there again.",
        S="P * (to_P - np.sum(P * to_P, axis=1, keepdims=True))",
    )
    | _head(
        "The sum runs over the columns. A softmax is taken in each row: sum over axis 1.",
        S="P * (to_P - np.sum(P * to_P, axis=0, keepdims=True)) / np.sqrt(Q.shape[1])",
    )
    | _head(
        "The sum runs over the whole table. Each row is a softmax of its own: sum over axis 1, and keep the axis.",
        S="P * (to_P - np.sum(P * to_P)) / np.sqrt(Q.shape[1])",
    )
    | _head(
        "The sum over the row is weighted: p · p̄, not the sum of p̄ alone.",
        S="P * (to_P - np.sum(to_P, axis=1, keepdims=True)) / np.sqrt(Q.shape[1])",
    )
    | {
        _attention_pullback(S="P * (to_P - np.sum(P * to_P, axis=1)) / np.sqrt(Q.shape[1])"): (
            {_FIRST_HEAD: Crashed("ValueError", "could not be broadcast")},
            "The sum over the row has lost its axis, so NumPy aligns it at the wrong place. Keep the axis: keepdims.",
        ),
        _attention_pullback(V="P @ G"): (
            {_FIRST_HEAD: Crashed("ValueError", "matmul")},
            "The shapes of a product do not fit. With 2 queries and 3 keys, P and to_S are (2, 3) and G has 2 rows: "
            "write the shapes beside each line.",
        ),
    },
    hints=(
        "The result is P V: a product, and you know both of its pullbacks. V gets Pᵀ G.",
        "A row of the softmax: s̄ = p ∘ (p̄ − p · p̄), where p · p̄ is one number for the row. Keep its axis.",
        "The scores are Q Kᵀ / √d. With S̄ divided by √d, Q gets S̄ K and K gets S̄ᵀ Q.",
    ),
    praise="Four products back for two forward, and a row sum: the backward pass of an attention head.",
)
