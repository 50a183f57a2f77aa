"""The exercises of notebook 10 about nesting: Hessian times vector in three ways, marks that merge, and tags."""

from __future__ import annotations

from autodiff_lab.lessons.checks import Crashed, Exercise
from autodiff_lab.lessons.lesson_10 import sandbox
from autodiff_lab.lessons.lesson_10.sandbox import NESTED, PRODUCTS, WAYS
from autodiff_lab.lessons.lesson_10.variants import merged

# 1. Hessian times vector, three ways

_RR, _FR, _RF = WAYS
_AT = next(iter(PRODUCTS))
_RIGHT = sandbox.expected_products()


def _ways(
    rr: str = "ad.grad(lambda x: ad.grad(f)(x) @ v)(x)",
    fr: str = "ad.jvp(ad.grad(f), (x,), (v,))[1]",
    rf: str = "ad.grad(lambda x: ad.jvp(f, (x,), (v,))[1])(x)",
) -> str:
    return f"""\
import numpy as np

import autodiff_lab as ad


def reverse_over_reverse(f, x, v):
    return {rr}


def forward_over_reverse(f, x, v):
    return {fr}


def reverse_over_forward(f, x, v):
    return {rf}"""


ex_10_1 = Exercise(
    expects="three functions of (f, x, v) that return the product of the Hessian and v, an array like v",
    expected=_RIGHT,
    observe=sandbox.multiply_hessians,
    reference=_ways(),
    misconceptions={
        _ways(*["ad.hessian(f)(x) @ v"] * 3): (
            {
                sandbox.on(_RR, _AT): _RIGHT[sandbox.on(_RR, _AT)],
                sandbox.inside(_RR): "forward, all directions at once, over reverse",
            },
            "The numbers are right, and you made the whole matrix for them. Here n is 2 or 3; for a million "
            "parameters there is no room for it. Differentiate something that has v in it already.",
        ),
        _ways(rr="ad.grad(lambda x: np.sum(ad.grad(f)(x)))(x)"): (
            {sandbox.on(_RR, _AT): (0.75, 0.041075725336861546)},
            "That is the Hessian times (1, 1). Before you differentiate again, make one number of the gradient, with "
            "the weights v.",
        ),
        _ways(rr="ad.grad(ad.grad(f))(x) @ v"): (
            {sandbox.on(_RR, _AT): Crashed("ShapeError")},
            "grad wants a function with one number as its result, and a gradient is an array. Make a number of it "
            "first: its product with v.",
        ),
        _ways(fr="ad.jvp(ad.grad(f), (x,), (v,))[0]"): (
            {sandbox.on(_RR, _AT): _RIGHT[sandbox.on(_RR, _AT)], sandbox.on(_FR, _AT): (5.5, 1.7163378145367738)},
            "jvp returns a pair, value and tangent. The value of ad.grad(f) is the gradient; its tangent is beside it.",
        ),
        _ways(fr="ad.jvp(ad.grad(f), (x,), (v,))"): (
            {sandbox.on(_FR, _AT): ((5.5, 1.7163378145367738), _RIGHT[sandbox.on(_FR, _AT)])},
            "forward_over_reverse returns the pair of jvp, gradient and product. Take the second.",
        ),
        _ways(rf="ad.jvp(lambda x: ad.jvp(f, (x,), (v,))[1], (x,), (v,))[1]"): (
            {sandbox.on(_RF, _AT): -0.08569709865255382},
            "Twice forward along v gives one number, vᵀHv. For all entries of Hv at once the outer derivative has to "
            "be a gradient.",
        ),
        _ways(rf="ad.jvp(ad.grad(f), (x,), (v,))[1]"): (
            {sandbox.inside(_RR): _RR, sandbox.inside(_RF): _FR},
            "The numbers are right. But in reverse_over_forward f is given a Variable that holds a Dual: the sweep is "
            "inside. “Reverse over forward” has the grad outside.",
        ),
        _ways(rr="ad.jvp(ad.grad(f), (x,), (v,))[1]", rf="ad.jvp(ad.grad(f), (x,), (v,))[1]"): (
            {sandbox.inside(_RR): _FR},
            "The numbers are right, and that is forward over reverse. In reverse over reverse both are grad.",
        ),
    },
    hints=(
        "Hv is the gradient of the number ∇f · v. It is also how fast the gradient ∇f moves when x moves along v.",
        "The word before “over” is the outer derivative: grad for reverse, jvp for forward.",
        "Outer grad: grad(lambda x: a number made of x, f and v)(x). Outer jvp: of the function grad(f), in the "
        "direction v; it returns a pair.",
    ),
    praise="Three ways, one number, and no matrix. A product costs a few times f, however many inputs there are.",
)

# 2. marks that merge

ex_10_2 = Exercise(
    expects="four numbers: slope and machine for the first program, slope and machine for the second",
    make=merged,
    draws={
        "a": (2.0, 3.0, 5.0, 6.0),
        "b": (1.0, 4.0, 7.0),
        "c": (2.0, 3.0, 5.0),
        "d": (1.0, 3.0, 7.0),
    },
    hints=(
        "On paper: the inner derivative of x · y in y is x, so the first program is the slope of x · x.",
        "On the machine x is a + 1ε, and y is b + 1ε. Multiply them out; what stands before ε is all that the inner D "
        "returns, a plain number.",
        "First program: before ε in x * y stands b + a. Then x * (b + a) is differentiated in x. The second program "
        "has one multiplication by y more.",
    ),
    praise="The machine made no mistake in arithmetic. It cannot tell the marks of the two derivatives apart.",
)

# 3. tags


def _tags(
    tag: str = "max(thing.tag for thing in (a, b) if isinstance(thing, Tagged))",
    mine: str = "isinstance(thing, Tagged) and thing.tag == tag",
    new: str = "next(tags)",
    own: str = "isinstance(result, Tagged) and result.tag == tag",
    other: str = "0.0",
) -> str:
    return f"""\
def together(a, b):
    tag = {tag}

    def split(thing):
        if {mine}:
            return thing.value, thing.tangent
        return thing, 0.0

    return tag, split(a), split(b)


def D_tagged(f, x):
    tag = {new}
    result = f(Tagged(x, 1.0, tag))
    if {own}:
        return result.tangent
    return {other}"""


_SUM, _PRODUCT, *_, _ALONE, _OUTSIDE, _, _, _ = NESTED

ex_10_3 = Exercise(
    expects="two functions, together(a, b) and D_tagged(f, x)",
    expected=sandbox.expected_nested(),
    observe=sandbox.run_nested,
    reference=_tags(),
    misconceptions={
        _tags(mine="isinstance(thing, Tagged)"): (
            {_SUM: 2.0, _PRODUCT: 5.0, _OUTSIDE: 0.0},
            "2, as before: split takes every Tagged apart, whatever its tag. Only a number with this tag has a "
            "tangent here.",
        ),
        _tags(new="1"): (
            {_SUM: 2.0, _OUTSIDE: 10.0},
            "2, as before: all derivatives have the same tag. Each call of D_tagged needs a new one.",
        ),
        _tags(tag="min(thing.tag for thing in (a, b) if isinstance(thing, Tagged))"): (
            {_SUM: 0.0},
            "With the lowest tag the number of the outer derivative goes outside, and the inner one does not find its "
            "own. The derivative that began later has to be finished first.",
        ),
        _tags(tag="max(a.tag, b.tag)"): (
            {_SUM: Crashed("AttributeError", "has no attribute 'tag'")},
            "An operand may be a plain number, without a tag. Take the highest tag among the operands that are Tagged.",
        ),
        _tags(own="isinstance(result, Tagged)"): (
            {_SUM: 1.0, _OUTSIDE: 10.0},
            "Nearly all are right. But if the inner function does not use y, its result carries the tag of x, and you "
            "return the derivative with respect to x as if it were the derivative with respect to y.",
        ),
        _tags(other="None"): (
            {_SUM: 1.0, _ALONE: None},
            "The inner derivative of y · y is a number, 6, and 6 does not move with x. Its slope is the number 0, not "
            "None.",
        ),
        _tags(other="result"): (
            {_SUM: 1.0, _ALONE: 6.0},
            "If the result does not carry this tag, it does not move. You returned the result itself "
            "instead of its derivative.",
        ),
    },
    hints=(
        "Three questions. Which derivative does this operation belong to, if the operands carry two tags? What is the "
        "tangent of a number with another tag? And what is the slope of a result with another tag?",
        "Tags are counted upwards, so the inner derivative has the higher one. It is the one to be finished first.",
        "In split and in D_tagged the same condition: it is a Tagged, and its tag is this tag. Everything else is a "
        "constant for this derivative.",
    ),
    praise="Each derivative has its own ε. Large packages have been released without this.",
)
