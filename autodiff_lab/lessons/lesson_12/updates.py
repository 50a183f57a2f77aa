"""The exercises of notebook 12 about steps: parameters that stay leaves, a network by hand, the first step of Adam."""

from __future__ import annotations

from autodiff_lab.lessons.checks import Crashed, Exercise
from autodiff_lab.lessons.lesson_12.sandbox import CELLS, LOSSES, expected_w2_gradients, find_w2_gradients, run_updates
from autodiff_lab.lessons.lesson_12.variants import first_step_instance

# 5. the growing tape


def _update(
    b: str = "b[i].value -= rate * b[i].sensitivity", w: str = "w[i][j].value -= rate * w[i][j].sensitivity"
) -> str:
    return f"""\
def update(w, b, rate):
    for i in range(3):
        {b}
        for j in range(4):
            {w}"""


def _by(scope_source: str) -> dict[str, tuple[float, ...]]:
    scope: dict[str, object] = {}
    exec(scope_source, scope)
    return run_updates(scope["update"])


_RIGHT = _by(_update())
_AS_WRITTEN = _update("b[i] -= rate * b[i].sensitivity", "w[i][j] -= rate * w[i][j].sensitivity")
_HALF = _update(w="w[i][j] -= rate * w[i][j].sensitivity")
_UPHILL = _update("b[i].value += rate * b[i].sensitivity", "w[i][j].value += rate * w[i][j].sensitivity")
_COMPUTED = _update("b[i].value - rate * b[i].sensitivity", "w[i][j].value - rate * w[i][j].sensitivity")

ex_12_5 = Exercise(
    expects="a function update(w, b, rate) that changes the parameters and returns nothing",
    expected=_RIGHT,
    observe=run_updates,
    cases="There are four epochs, on four flowers.",
    reference=_update(),
    misconceptions={
        _AS_WRITTEN: (
            {CELLS: _by(_AS_WRITTEN)[CELLS]},
            "The losses are right, and the tape grows by 15 cells each time. x -= amount makes a new cell for the "
            "name; its operand is the old one.",
        ),
        _HALF: (
            {CELLS: _by(_HALF)[CELLS]},
            "The biases are mended: the tape grows by 12 cells now, not by 15. The weights still make new cells.",
        ),
        _UPHILL: (
            {LOSSES: _by(_UPHILL)[LOSSES]},
            "The tape keeps its length, and the loss rises. The gradient points uphill.",
        ),
        _COMPUTED: (
            {LOSSES: _by(_COMPUTED)[LOSSES]},
            "The new value is computed and put nowhere: the loss stays at ln 3.",
        ),
        _update("b[i] = b[i].value - rate * b[i].sensitivity"): (
            Crashed("AttributeError"),
            "b[i] is a plain number now. It has no sensitivity when the next epoch asks for it.",
        ),
        _update("b[i].value -= b[i].sensitivity", "w[i][j].value -= w[i][j].sensitivity"): (
            {CELLS: _RIGHT[CELLS]},
            "The tape keeps its length, but the losses are not the same. Does every parameter move, and by the rate "
            "times its derivative?",
        ),
    },
    hints=(
        "A cell has a value and a sensitivity, both plain numbers. Which of them has to change?",
        "Plain numbers can be changed in place: cell.value -= … records nothing.",
        "For the biases: b[i].value -= rate * b[i].sensitivity. The same for w[i][j]. A new var(…) would do as well.",
    ),
    praise="The parameters stay leaves: a step is not a part of the program that is differentiated.",
)

# 6. a gradient by hand


def _w2(formula: str = "z.T @ (2 * (y - t) / len(t))") -> str:
    return f"""\
def w2_gradient(z, y, t):
    return {formula}"""


def _times(factor: float, rows: tuple[tuple[float, ...], ...]) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(factor * x for x in row) for row in rows)


_W2 = expected_w2_gradients()
_XOR = _W2["XOR"]

ex_12_6 = Exercise(
    expects="a function w2_gradient(z, y, t) that returns an array of shape (3, 1)",
    expected=_W2,
    observe=find_w2_gradients,
    cases="One bracket for each row of W2.",
    reference=_w2(),
    misconceptions={
        _w2("z.T @ (y - t) / len(t)"): (
            {"XOR": _times(0.5, _XOR)},
            "Half of it. The derivative of a square brings a 2 with it.",
        ),
        _w2("2 * z.T @ (y - t)"): (
            {"XOR": _times(4, _XOR)},
            "Four times too large: the loss is a mean over the points, not their sum.",
        ),
        _w2("z.T @ (2 * (t - y) / len(t))"): (
            {"XOR": _times(-1, _XOR)},
            "The sign is turned round: the error is what came out minus what was wanted.",
        ),
        _w2("z @ (2 * (y - t) / len(t))"): (
            {"XOR": Crashed("ValueError")},
            "z has one row for each point, W2 one row for each hidden unit. The points are to be summed: transpose z.",
        ),
        _w2("(z * (2 * (y - t) / len(t))).sum(axis=0)"): (
            {"XOR": tuple(row[0] for row in _XOR)},
            "The three numbers are right. A gradient has the shape of what it belongs to, and W2 is a column.",
        ),
    },
    hints=(
        "The output is y = z W2 + b2, and the loss is the mean of (y − t)². What is the adjoint of y?",
        "It is 2(y − t)/n, one for each point. From there to W2 it is the matrix product's rule of notebook 11.",
        "The rule: zᵀ times the adjoint of y. Shapes: (3, n) times (n, 1) is (3, 1).",
    ),
    praise="Its points are summed by the matrix product itself: one weight, many points, one sum.",
)

# 7. the first step of Adam

ex_12_7 = Exercise(
    expects="a number, how far the parameter goes down",
    make=first_step_instance,
    draws={"rate": (0.01, 0.02, 0.1), "gradient": (0.0005, 0.02, 3.0)},
    tolerance=1e-4,
    hints=(
        "In the first step m is 0.1 g and v is 0.001 g². What are m̂ and v̂?",
        "m̂ = m / (1 − 0.9) = g, and v̂ = v / (1 − 0.999) = g².",
        "The step is rate · g / (√g² + ε), and ε hardly counts.",
    ),
    praise="The size of the gradient has cancelled: each parameter begins with a step as long as the learning rate.",
)
