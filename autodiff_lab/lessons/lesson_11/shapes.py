"""The exercises of notebook 11 about shapes: adding back what was copied, copying back what was added, picking."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_lab.lessons.checks import Crashed, Exercise, plain
from autodiff_lab.lessons.lesson_11.sandbox import SHAPES, expected_sums, name_case, sum_back_shapes
from autodiff_lab.lessons.lesson_11.variants import gathered, mean_and_variance

# 1. adding back


def _unbroadcast(ahead: bool = True, stretched: bool = True, keep: bool = True, by: str = "sum") -> str:
    lines = ["def unbroadcast(g, shape):"]
    if ahead:
        lines += ["    while g.ndim > len(shape):", f"        g = g.{by}(axis=0)"]
    if stretched:
        lines += [
            "    for axis, length in enumerate(shape):"
            if keep
            else "    for axis, length in list(enumerate(shape))[::-1]:",
            "        if length == 1:",
            f"            g = g.{by}(axis=axis{', keepdims=True' if keep else ''})",
        ]
    return "\n".join([*lines, "    return g"])


_RIGHT = expected_sums()
_ROW, _COLUMN, _NUMBER, _ONE_ROW, _SAME, _DEEP = (name_case(*case) for case in SHAPES)
_G = (2.0 ** np.arange(6)).reshape(2, 3)


def _seen(**cases: Any) -> dict[str, Any]:
    names = {"row": _ROW, "column": _COLUMN, "one_row": _ONE_ROW, "number": _NUMBER}
    return {names[name]: plain(value) for name, value in cases.items()}


ex_11_1 = Exercise(
    expects="a function unbroadcast(g, shape) that returns an array of that shape",
    expected=_RIGHT,
    observe=sum_back_shapes,
    cases="The numbers that went in are 1, 2, 4, 8, … in rows; brackets within brackets are rows.",
    reference=_unbroadcast(),
    misconceptions={
        _unbroadcast(ahead=False, stretched=False): (
            _seen(row=_G),
            "Nothing is added: what comes out has the shape of the result, not of the operand.",
        ),
        "def unbroadcast(g, shape):\n    return g.sum(axis=0)": (
            _seen(row=_RIGHT[_ROW], column=_G.sum(axis=0)),
            "Right for a row that was copied downwards. A column was copied to the right: which axis is to be added "
            "up depends on the shape.",
        ),
        _unbroadcast(stretched=False): (
            _seen(row=_RIGHT[_ROW], column=_G),
            "The missing axes are right. There is a second way to be copied: an axis of length 1 that was stretched. "
            "Look at (2, 1).",
        ),
        _unbroadcast(keep=False): (
            _seen(row=_RIGHT[_ROW], column=_G.sum(axis=1)),
            "The sums are right, but an axis is lost on the way: (2,) instead of (2, 1). Ask sum for keepdims.",
        ),
        _unbroadcast(by="mean"): (
            _seen(row=_G.mean(axis=0)),
            "You take the mean. Nothing is divided: an entry that is used twice moves the result twice.",
        ),
        "def unbroadcast(g, shape):\n    return np.resize(g, shape)": (
            _seen(row=_G[0]),
            "The shape is right, and all but the first of the contributions are dropped. They have to be added.",
        ),
        "def unbroadcast(g, shape):\n    return np.broadcast_to(g, shape)": (
            {_ROW: Crashed("ValueError")},
            "NumPy can copy a small array into a larger one. Here the large one has to become small: by adding.",
        ),
    },
    hints=(
        "Compare g.shape with shape, aligned at the right, as NumPy does it. Where has g more than the operand had?",
        "Two things can be: g has more axes (they are in front), or shape has a 1 where g has a larger number.",
        "First: while g has more axes than shape, add along axis 0. Then: wherever shape has a 1, add along this axis "
        "with keepdims=True.",
    ),
    praise="One function for every operation there is: it looks at shapes, and at nothing else.",
)

# 2. mean and variance

ex_11_2 = Exercise(
    expects="a list of four numbers, one slope for each entry of x",
    make=mean_and_variance,
    draws={
        "x": (
            (1.0, 2.0, 4.0, 7.0),
            (3.0, 0.0, 1.0, 4.0),
            (2.0, 6.0, 1.0, 3.0),
            (5.0, 1.0, 0.0, 2.0),
            (-1.0, 2.0, 4.0, 3.0),
            (0.0, 8.0, 2.0, 6.0),
        )
    },
    hints=(
        "The mean adds four numbers and divides by 4. What does each of the four get back?",
        "The variance is the mean of the squares of x − m. As a mean it sends 1/4 to each square, and a square "
        "multiplies by 2 (x − m).",
        "m depends on every x too. But what it collects is the sum of all x − m, which is 0.",
    ),
    praise="The path through m is there, and carries nothing: the distances from the mean add up to 0.",
)

# 3. picking

ex_11_3 = Exercise(
    expects="a list of three numbers, one for each entry of x",
    make=gathered,
    draws={
        "index": ((0, 0, 2), (2, 2, 0), (1, 0, 1), (2, 1, 2), (1, 1, 2)),
        "weights": ((1.0, 10.0, 100.0), (100.0, 10.0, 1.0), (10.0, 1.0, 100.0), (10.0, 100.0, 1.0)),
    },
    hints=(
        "Write the loss out, with x₀, x₁ and x₂ in it.",
        "For each of the three, collect what stands beside it. Is there one that does not occur at all?",
        "Go through the weights: weight k is added to the place index[k].",
    ),
    praise="Picking is a kind of copying: what is picked twice is copied, and its contributions are added.",
)
