"""The exercise of notebook 16 about best fits: how the best weights move with a parameter of the loss."""

from __future__ import annotations

from autodiff_lab.lessons.checks import Crashed, Exercise
from autodiff_lab.lessons.lesson_16 import sandbox
from autodiff_lab.lessons.lesson_16.sandbox import BENT, RIDGE, given_by


def _slope(
    result: str = "-np.linalg.solve(H, cross)",
    cross: str = "ad.jacobian(ad.grad(loss), argnums=1)(w, lam)",
    H: str = "ad.hessian(loss)(w, lam)",
) -> str:
    return f"""\
def slope_of_best(loss, w, lam):
    H = {H}
    cross = {cross}
    return {result}"""


def _slopes(**wrong: str) -> dict[str, object]:
    return given_by(_slope(**wrong), sandbox.slope_fits, RIDGE, BENT)


ex_16_5 = Exercise(
    expects="a function slope_of_best(loss, w, lam) that returns the derivatives of the best weights",
    expected=sandbox.expected_fits(),
    observe=sandbox.slope_fits,
    cases="w is where the loss is smallest. I compared dw/dλ.",
    reference=_slope(),
    misconceptions={
        _slope("np.linalg.solve(H, cross)"): (
            _slopes(result="np.linalg.solve(H, cross)"),
            "The sign is wrong: H dw + cross dλ = 0, because the gradient stays zero.",
        ),
        _slope("-cross"): (
            _slopes(result="-cross"),
            "That is how the gradient at the old weights changes. How far do the weights have to move to make it "
            "zero again? Solve with H.",
        ),
        _slope("-cross / np.diag(H)"): (
            {BENT: _slopes(result="-cross / np.diag(H)")[BENT]},
            "Right where H is diagonal. In general the weights pull at each other: solve with the whole of H.",
        ),
        _slope("-H @ cross"): (
            _slopes(result="-H @ cross"),
            "You multiplied by H. The equation is H dw = −cross dλ: solve it for dw.",
        ),
        _slope(cross="ad.grad(loss)(w, lam)"): (
            {RIDGE: (0.0, 0.0)},
            "Your slopes are zero, since the gradient is zero at the best weights. `cross` is the derivative of that "
            "gradient with respect to λ.",
        ),
        _slope(cross="ad.grad(loss, argnums=1)(w, lam)"): (
            {RIDGE: Crashed("ValueError", "dimensions")},
            "Your `cross` is one number, the derivative of the loss. Differentiate the gradient ad.grad(loss) with "
            "respect to λ: one number for each weight.",
        ),
    },
    hints=(
        "The equation F(w, λ) = 0 is ad.grad(loss)(w, lam) = 0. F_w is its Jacobian with respect to w: the Hessian.",
        "`cross` is F_λ, the derivative of ad.grad(loss) with respect to its second argument: "
        "ad.jacobian(ad.grad(loss), argnums=1)(w, lam).",
        "dw/dλ = −H⁻¹ cross, and np.linalg.solve(H, cross) needs no inverse.",
    ),
    praise="The rule of a root again, with the gradient as its equation. No step of any optimizer was differentiated.",
)
