"""The parts of JAX's API that may change without notice; `tests/frameworks/test_jax.py` tries each of them."""

from __future__ import annotations

from collections.abc import Mapping
from types import CodeType
from typing import Any

from jax.extend import core


def is_literal(x: Any) -> bool:
    """Whether an argument of an equation is a number that is written in the program, not a variable."""
    return isinstance(x, core.Literal)


def bind_parameters(equation: Any) -> Mapping[str, Any]:
    """Return the parameters that the primitive of an equation is bound with, needed to run the equation alone."""
    return equation.primitive.get_bind_params(equation.params)


def frames_of(equation: Any) -> list[tuple[CodeType, int]]:
    """Return the frames in which an equation was traced, innermost first, needed to find its line in the source."""
    traceback = equation.source_info.traceback
    if traceback is None:
        return []
    codes, instructions = traceback.raw_frames()
    return list(zip(codes, instructions, strict=True))


def inner_program(equation: Any, key: str) -> tuple[Any, list[Any]]:
    """Return the jaxpr inside an equation such as `jit`, and the jaxpr's constants."""
    inner = equation.params[key]
    return getattr(inner, "jaxpr", inner), list(getattr(inner, "consts", ()))
