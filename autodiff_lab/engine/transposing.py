"""Transposing a linear map, so that a rule serves the other mode too: record the map at 0, and sweep back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from . import primitives
from .broadcasting import shape_of
from .dispatch import TABLE
from .errors import UnsupportedError
from .fast_sweep import sweep_fast
from .primitives import Op
from .tape import Tape
from .values import Traced, innermost_value
from .variable import Variable

# Operations whose kind doesn't say that they are linear: linear in all operands together, in each operand while the
# others are held, or in one operand, given by its position.
LINEAR_TOGETHER = frozenset(TABLE[f] for f in (np.add, np.subtract))
LINEAR_IN_EACH = frozenset({TABLE[np.multiply]})
LINEAR_IN_ONE: Mapping[Op, int] = {
    TABLE[np.divide]: 0,
    TABLE[np.negative]: 0,
    TABLE[np.positive]: 0,
    TABLE[np.deg2rad]: 0,
    TABLE[np.radians]: 0,
    TABLE[np.rad2deg]: 0,
    TABLE[np.degrees]: 0,
    TABLE[np.sum]: 0,
    TABLE[np.mean]: 0,
    TABLE["over"]: 0,
    TABLE[np.linalg.solve]: 1,
}

# A function with a custom rule, called inside another custom rule, is tested with operands of these sizes.
PROBED_SIZES = (1e-3, 1.0, 1e3)
PROBED_RTOL = 1e-6


class LinearTape(Tape):
    """The tape of a linear map, recorded at 0. Comparisons are refused: at another operand they may differ."""

    pausable = False  # in a pause, the operand would be the constant 0

    def process(self, op: Op, operands: tuple[Any, ...], static: Mapping[str, Any]) -> Any:
        """Record one operation of the linear map, but no comparison."""
        if op.kind == "comparison":
            raise UnsupportedError(
                "This derivative rule is transposed, to serve the other mode too, and here it compares the tangent or "
                "adjoint it is given: in a loop that stops by its numbers, in an `if` or in an `assert`. Only a rule "
                "that does the same to every tangent can be transposed. Give custom_gradient both rules: vjp=… and "
                "jvp=…."
            )
        return super().process(op, operands, static)

    def find_nonlinear(self, first: int) -> Op | None:
        """Find an operation, from the line `first` on, that is not linear in its operands on this tape."""
        for line in range(first, len(self)):
            moving = tuple(k for k, j in enumerate(self.parents[line]) if j >= 0)
            op = self.operation(line)
            static = self.kwargs.get(line, {})
            if not _is_linear(op, moving, self.args[line], static):
                return op
        return None


def _is_linear(
    op: Op, moving: tuple[int, ...], operands: tuple[Any, ...], static: Mapping[str, Any]
) -> bool:
    """Whether an operation is linear in its operands at the places `moving`, with the others held."""
    if op.inside is not None:
        return _is_linear_where_probed(op, moving, operands, static)
    if op.kind == "linear":
        return op.variadic or all(op.rules[k] is not None for k in moving)
    if op.kind == "multilinear" or op in LINEAR_IN_EACH:
        return len(moving) == 1
    return op in LINEAR_TOGETHER or moving == (LINEAR_IN_ONE.get(op),)


def _is_linear_where_probed(
    op: Op, moving: tuple[int, ...], operands: tuple[Any, ...], static: Mapping[str, Any]
) -> bool:
    """Whether a user's own function preserves sums and multiples, tested with operands of several sizes."""

    def value(scale: float, shift: int) -> Any:
        given = list(operands)
        for k in moving:
            n = int(np.prod(shape_of(operands[k])))
            given[k] = (scale * np.cos(np.arange(n) + shift + k)).reshape(shape_of(operands[k]))[()]
        return np.asarray(innermost_value(op.fn(*given, **static)))

    for size in PROBED_SIZES:
        one = value(size, 1)
        other = value(size, 5)
        # The sum of the two operands: cos a + cos b = 2 cos((a - b) / 2) cos((a + b) / 2).
        both = value(2 * np.cos(2.0) * size, 3)
        multiple = value(-2 * size, 1)
        near = PROBED_RTOL * (np.abs(one) + np.abs(other) + size * np.finfo(float).tiny)
        if np.any(np.abs(one + other - both) > near):
            return False
        if np.any(np.abs(multiple + 2 * one) > 2 * near):
            return False
    return True


def _tapes_below(x: Any) -> Iterator[LinearTape]:
    """The tapes of linear maps among the levels at which a value is traced."""
    while isinstance(x, Traced):
        if isinstance(x.level, LinearTape):
            yield x.level
        x = x.value


def call_rule(rule: Callable[..., Any], t: Any, *args: Any, about: str) -> Any:
    """Call a user's derivative rule on the tangent or adjoint `t`; if it is being transposed, check that it is linear.

    It is linear if all its operations are, and if it gives 0 for 0. So a rule that is linear only for small adjoints,
    such as one that clips them, is refused whatever its threshold is.

    Raises
    ------
    UnsupportedError
        If it is transposed and is not linear; the message names the operation that is not.
    """
    tapes = [(tape, len(tape)) for tape in _tapes_below(t[0] if isinstance(t, tuple) else t)]
    result = rule(t, *args)
    for tape, first in tapes:
        op = tape.find_nonlinear(first)
        if op is not None:
            _refuse(about, f"{op.name} in it is not")
    if not tapes:
        return result
    parts = result if isinstance(result, tuple) else (result,)
    for part in parts:
        if part is None:
            continue
        at_zero = np.asarray(innermost_value(part))
        if np.any((at_zero != 0) & ~np.isnan(at_zero)):
            _refuse(about, "it does not give 0 for 0")
    return result


def _refuse(about: str, why: str) -> None:
    if about.startswith("vjp"):
        given, mode, other = "adjoint", "Forward", "jvp"
    else:
        given, mode, other = "tangent", "Reverse", "vjp"
    raise UnsupportedError(
        f"The {about} is not linear in the {given} that it is given: {why}. {mode} mode needs the transpose of this "
        f"rule, and only a linear one has a transpose. Give custom_gradient {other}=… as well, or take the derivative "
        "in the mode that the rule is for."
    )


def _apply_transpose(linear_map: Callable[[Any], Any], like: Any, t: Any) -> Any:
    """Transpose a linear map by recording it and sweeping back."""
    tape = LinearTape()
    zero = np.zeros(np.shape(like))[()]
    out = tape.run(linear_map, [tape.input(zero)])
    adjoints: list[Any] = [None] * len(tape)
    if isinstance(out, Variable) and out.tape is tape:
        adjoints[out.index] = t
        sweep_fast(tape, out.index, adjoints)
    return zero if adjoints[0] is None else adjoints[0]


primitives.apply_transpose = _apply_transpose
