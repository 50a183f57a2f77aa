"""The exercises of notebook 16 about solutions: slopes of roots, forward, reverse, and by turns."""

from __future__ import annotations

import math

from autodiff_lab.lessons.checks import Crashed, Exercise, Instance
from autodiff_lab.lessons.lesson_16 import sandbox
from autodiff_lab.lessons.lesson_16.sandbox import COSINE, LINES, SQUARE, THREE, TWO, adjoint_of, given_by, gradient_of

# 1. a root


def _slope(formula: str = "-along_x / along_z") -> str:
    return f"""\
def root_slope(F, z, x):
    along_z, along_x = ad.grad(F, argnums=(0, 1))(z, x)
    return {formula}"""


def _slopes(formula: str) -> dict[str, object]:
    return given_by(_slope(formula), sandbox.slope_roots, COSINE, SQUARE)


ex_16_1 = Exercise(
    expects="a function root_slope(F, z, x) that returns the derivative dz/dx",
    expected=sandbox.expected_slopes(),
    observe=sandbox.slope_roots,
    cases="Each equation is F(z, x) = 0, at one of its roots.",
    reference=_slope(),
    misconceptions={
        _slope("along_x / along_z"): (
            _slopes("along_x / along_z"),
            "The sign is wrong. The two changes of F cancel: F_z dz + F_x dx = 0, so dz = −F_x dx / F_z.",
        ),
        _slope("-along_z / along_x"): (
            _slopes("-along_z / along_x"),
            "That is dx/dz, upside down. Solve F_z dz + F_x dx = 0 for dz.",
        ),
        _slope("along_x / (1 - along_z)"): (
            _slopes("along_x / (1 - along_z)"),
            "That is the formula for a fixed point z = turn(z, x). Here F(z, x) is zero: start "
            "from F_z dz + F_x dx = 0.",
        ),
        _slope("-along_x"): (
            _slopes("-along_x"),
            "That says how far F is from zero after x has moved. How far does z have to move to make up for it? "
            "Divide by F_z.",
        ),
        _slope("along_x"): (
            _slopes("along_x"),
            "That is the derivative of F with z held fixed. But z moves too, so that F stays zero.",
        ),
    },
    hints=(
        "While x moves by dx, z moves by dz, and F stays at zero. So its whole change is zero.",
        "The change of F is F_z dz + F_x dx. ad.grad(F, argnums=(0, 1))(z, x) gives both partials.",
        "dz/dx = −F_x / F_z.",
    ),
    praise="Nothing in your function knows how the root was found.",
)

# 2. forward


def _push(
    result: str = "np.linalg.solve(np.eye(len(z)) - A, forced)",
    forced: str = "ad.jvp(lambda x: turn(z, x), (x,), (dx,))[1]",
) -> str:
    return f"""\
def push(turn, z, x, dx):
    A = ad.jacobian(turn)(z, x)
    forced = {forced}
    return {result}"""


def _tangents(**wrong: str) -> dict[str, object]:
    return given_by(_push(**wrong), sandbox.push_solutions, THREE, TWO)


_TRANSPOSED = "np.linalg.solve(np.eye(len(z)) - A.T, forced)"
_ALONE = "np.linalg.solve(A, forced)"
_BACK = "ad.vjp(lambda x: turn(z, x), x)[1](dx)[0]"

ex_16_2 = Exercise(
    expects="a function push(turn, z, x, dx) that returns the tangent dz",
    expected=sandbox.expected_tangents(),
    observe=sandbox.push_solutions,
    tolerance=1e-9,
    cases="These are tangents of solutions.",
    reference=_push(),
    misconceptions={
        _push("forced"): (
            _tangents(result="forced"),
            "That is B dx: what one turn does with the change of x while z is held fixed. But z moves too, and its "
            "change goes through the turn again: dz = A dz + B dx.",
        ),
        _push(_TRANSPOSED): (
            _tangents(result=_TRANSPOSED),
            "The transposed matrix belongs to the way back. Forward, (I − A) dz = B dx.",
        ),
        _push(_ALONE): (
            _tangents(result=_ALONE),
            "From dz = A dz + B dx take A dz to the left: the matrix of the system is I − A, not A.",
        ),
        _push("forced + A @ forced"): (
            _tangents(result="forced + A @ forced"),
            "These are two turns. The change goes round again and again; all turns together are one linear system.",
        ),
        _push("np.linalg.solve(np.eye(len(z)) + A, forced)"): (
            _tangents(result="np.linalg.solve(np.eye(len(z)) + A, forced)"),
            "A sign is wrong. From dz = A dz + B dx follows dz − A dz = B dx.",
        ),
        _push(forced="A @ dx"): (
            {THREE: given_by(_push(forced="A @ dx"), sandbox.push_solutions, THREE)[THREE]},
            "A is the Jacobian with respect to z. The change dx of the parameter goes through B, the Jacobian with "
            "respect to x.",
        ),
    },
    hints=(
        "A small change of x changes z twice: directly, by B dx, and through z itself, by A dz.",
        "B dx is one forward pass through the turn with z held fixed: ad.jvp(lambda x: turn(z, x), (x,), (dx,))[1].",
        "Solve (I − A) dz = B dx with np.linalg.solve and np.eye(len(z)).",
    ),
    praise="One pass through one turn, and one linear system. How many turns the loop took does not matter.",
)

# 3. reverse


def _implicit(
    w: str = "np.linalg.solve(np.eye(len(z)) - A.T, g)",
    result: str = "pullback(w)[0]",
    rule: str = "@ad.custom_gradient(vjp=rule)\n    ",
) -> str:
    return f"""\
def implicit(turn, start):
    def rule(g, z, x):
        A = ad.jacobian(turn)(z, x)
        w = {w}
        _, pullback = ad.vjp(lambda x: turn(z, x), x)
        return {result}

    {rule}def solution(x):
        return settle(lambda z: turn(z, x), start)

    return solution"""


def _gradients(**wrong: str) -> dict[str, object]:
    return given_by(_implicit(**wrong), sandbox.use_rule, gradient_of(THREE), gradient_of(TWO))


_STRAIGHT = "np.linalg.solve(np.eye(len(z)) - A, g)"
_ONLY_A = "np.linalg.solve(A.T, g)"

ex_16_3 = Exercise(
    expects="a function implicit(turn, start) that returns a function solution(x)",
    expected=sandbox.expected_rule(),
    observe=sandbox.use_rule,
    tolerance=1e-9,
    cases="I solved, differentiated a loss of the solution, and counted the lines of the tape.",
    reference=_implicit(),
    misconceptions={
        _implicit(w=_STRAIGHT): (
            _gradients(w=_STRAIGHT),
            "That is the system of the forward direction. On the way back each matrix is transposed: (I − Aᵀ) w = g.",
        ),
        _implicit(result="pullback(g)[0]"): (
            _gradients(result="pullback(g)[0]"),
            "You sent g through one turn only. First find w, the adjoint with all turns in it, from "
            "(I − Aᵀ) w = g; then send w.",
        ),
        _implicit(w=_ONLY_A): (
            _gradients(w=_ONLY_A),
            "The matrix of the system is I − Aᵀ, not Aᵀ: w is g and what comes round, w = g + Aᵀ w.",
        ),
        _implicit(result="w"): (
            {
                gradient_of(THREE): given_by(_implicit(result="w"), sandbox.use_rule, gradient_of(THREE))[
                    gradient_of(THREE)
                ]
            },
            "That is w, the adjoint of the state. The adjoint of x is Bᵀ w: send w through the pullback.",
        ),
        _implicit(w="g + A.T @ g"): (
            _gradients(w="g + A.T @ g"),
            "These are two turns of the way back. All of them together are w = g + Aᵀ w, a linear system.",
        ),
        _implicit(rule=""): (
            given_by(_implicit(rule=""), sandbox.use_rule, LINES),
            "The gradient is right, but the whole loop is on the tape. Put @ad.custom_gradient(vjp=rule) "
            "above solution.",
        ),
    },
    hints=(
        "The gradient is Bᵀ (I − A)⁻ᵀ g: read it from right to left.",
        "w solves (I − Aᵀ) w = g, and Bᵀ w is the pullback of one turn with z held fixed.",
        "w = np.linalg.solve(np.eye(len(z)) - A.T, g), and then return pullback(w)[0].",
    ),
    praise="Whatever finds the solution may now be used: the rule sees only the solution.",
)

# 4. a few turns


def _turns(rate: float = 0.9, digits: int = 6) -> Instance:
    exact = digits / -math.log10(rate)
    return Instance(
        expected=math.ceil(exact),
        misconceptions={
            1: "One turn is enough where ∂turn/∂z is 0, as in Newton's method. Here it leaves an error of "
            f"{rate:g}, relative to the right slope.",
            digits: f"Each turn multiplies the error by {rate:g}; it does not win a digit.",
            math.floor(exact): "Nearly. That many turns leave the error a little above the limit; one more is needed.",
            math.ceil(digits / -math.log(rate)): "You divided digits by a natural logarithm. Take the same logarithm "
            f"of both: log 1e-{digits} / log {rate:g}.",
            math.ceil(exact) + 1: "One too many: after n turns the relative error is the n-th power of the rate.",
            round(digits / (1 - rate)): "The rate near 1 suggests a division by 1 − rate, but the error falls as a "
            "power: solve "
            f"{rate:g}ⁿ < 1e-{digits}.",
        },
    )


ex_16_4 = Exercise(
    expects="a whole number of turns",
    make=_turns,
    draws={"rate": (0.7, 0.75, 0.8, 0.85, 0.92, 0.95), "digits": (5, 6, 7, 8)},
    hints=(
        "After n turns, started at the solution, the missing part of the slope is Aⁿ times the right slope.",
        "So the relative error is rateⁿ. Which is the smallest n for which it is below the limit?",
        "n > log(limit) / log(rate), rounded up.",
    ),
    praise="As many turns as the loop itself takes for so many digits. One linear system replaces them all.",
)

# 6. the adjoint by the same loop


def _adjoint(turn_back: str = "g + pullback(w)[0]") -> str:
    return f"""\
def adjoint(pullback, g):
    def turn_back(w):
        return {turn_back}

    return settle(turn_back, g)"""


def _adjoints(turn_back: str) -> dict[str, object]:
    return given_by(_adjoint(turn_back), sandbox.settle_adjoints, adjoint_of(THREE))


ex_16_6 = Exercise(
    expects="a function adjoint(pullback, g) that returns w",
    expected=sandbox.expected_adjoints(),
    observe=sandbox.settle_adjoints,
    tolerance=1e-9,
    cases="I compared w with the solution of the linear system.",
    reference=_adjoint(),
    misconceptions={
        _adjoint("pullback(w)[0]"): (
            {adjoint_of(THREE): (0.0, 0.0, 0.0)},
            "Without g nothing is left in the end. Each turn sends w back through the turn and adds g: w = g + Aᵀ w.",
        ),
        _adjoint("g + pullback(g)[0]"): (
            _adjoints("g + pullback(g)[0]"),
            "These are two turns, and then nothing changes any more. Send back the w of the turn before, not g.",
        ),
        _adjoint("g + pullback(w)[1]"): (
            {adjoint_of(TWO): Crashed("ValueError", "broadcast")},
            "The second of the pair is Bᵀ w, the adjoint of x. The state gets Aᵀ w, the first.",
        ),
        _adjoint("w + pullback(w)[0]"): (
            {adjoint_of(TWO): Crashed("TookTooLong")},
            "This grows without end: w is added to itself. The equation is w = g + Aᵀ w.",
        ),
        _adjoint("g - pullback(w)[0]"): (
            _adjoints("g - pullback(w)[0]"),
            "A sign is wrong: from (I − Aᵀ) w = g follows w = g + Aᵀ w.",
        ),
    },
    hints=(
        "The system (I − Aᵀ) w = g is the equation of a fixed point: bring Aᵀ w to the right.",
        "w = g + Aᵀ w, and pullback(w)[0] is Aᵀ w.",
        "return g + pullback(w)[0]",
    ),
    praise="The way back settles as fast as the way forward: A and Aᵀ have the same eigenvalues.",
)
