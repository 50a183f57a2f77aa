"""JAX's names that are not promised to stay, each with what would break without it; tests try each of them."""

from __future__ import annotations

from collections.abc import Mapping
from types import CodeType
from typing import Any

from jax.extend import core


def is_literal(x: Any) -> bool:
    """Whether an argument of an equation is a number that stands in the program; else it is a variable."""
    return isinstance(x, core.Literal)


def bind_parameters(equation: Any) -> Mapping[str, Any]:
    """The parameters that an equation's primitive is bound with: without them no equation runs alone."""
    return equation.primitive.get_bind_params(equation.params)


def frames_of(equation: Any) -> list[tuple[CodeType, int]]:
    """The frames that wrote an equation, innermost first: without them no line has its place in the source."""
    traceback = equation.source_info.traceback
    if traceback is None:
        return []
    codes, instructions = traceback.raw_frames()
    return list(zip(codes, instructions, strict=True))


def inner_program(equation: Any, key: str) -> tuple[Any, list[Any]]:
    """The program inside of an equation such as `jit`, and its constants."""
    inner = equation.params[key]
    return getattr(inner, "jaxpr", inner), list(getattr(inner, "consts", ()))
