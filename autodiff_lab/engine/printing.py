"""Printing values and operations as plain text: numbers, calls and indices as you would write them in Python."""

from collections.abc import Mapping
from typing import Any

import numpy as np

_BIDI_CONTROLS = dict.fromkeys(
    [0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)],
    "\N{REPLACEMENT CHARACTER}",
)


def replace_bidi(text: str) -> str:
    r"""Replace the control characters in a user's text that would reverse the direction of the text around it.

    Each becomes one visible character, so columns stay aligned. See the Unicode Bidirectional Algorithm (UAX 9).

    >>> replace_bidi("x\u202ey") == "x\ufffdy"
    True
    """
    return text.translate(_BIDI_CONTROLS)


def format_value(x: Any) -> str:
    """Format a value for printing: ``2.0``, never ``np.float64(2.0)``; arrays on one line, long ones shortened."""
    if isinstance(x, np.ndarray):
        brief: Any = {"float_kind": _format_entry}
        text = np.array2string(x, threshold=12, edgeitems=2, separator=", ", formatter=brief)
        return text.replace("\n", "")
    if isinstance(x, np.generic):
        return repr(x.item())
    return repr(x)


def _format_entry(v: float) -> str:
    has_usual_size = v == 0 or 1e-4 <= abs(v) < 1e8
    if has_usual_size:
        return np.format_float_positional(v, precision=8, trim=".")
    return f"{v:.8g}"


def format_call(
    name: str, symbol: str | None, operands: list[str], static: Mapping[str, Any]
) -> str:
    """Format an operation for printing, as you would write it in Python: ``a * b``, ``x[0]``, ``sum(x, axis=0)``."""
    if name == "getitem":
        return f"{operands[0]}[{format_index(static['index'])}]"
    if symbol is not None and len(operands) == 2:
        return f"{operands[0]} {symbol} {operands[1]}"
    if name == "negative":
        return f"-{operands[0]}"
    if name.removeprefix("np.") in ("stack", "concatenate"):
        operands = [f"[{', '.join(operands)}]"]
    options = []
    for option, given in static.items():
        if given is None:
            continue
        text = format_static(given)
        options.append(text if option in ("shape", "axes") else f"{option}={text}")
    return f"{name}({', '.join(operands + options)})"


def format_static(x: Any) -> str:
    """Format an option of a printed operation (``axis``, ``shape``) as Python source, without NumPy's type names."""
    if isinstance(x, tuple):
        comma = "," if len(x) == 1 else ""
        return f"({', '.join(map(format_static, x))}{comma})"
    if isinstance(x, list):
        return f"[{', '.join(map(format_static, x))}]"
    if isinstance(x, np.dtype):
        return x.name
    return format_value(x)


def format_index(key: Any) -> str:
    """Format the index of a printed ``x[…]`` as Python source: ``0``, ``1:, None``."""
    if isinstance(key, tuple) and key:
        return ", ".join(format_index(k) for k in key)
    if isinstance(key, slice):
        parts = ["" if p is None else format_value(p) for p in (key.start, key.stop)]
        if key.step is not None:
            parts.append(str(key.step))
        return ":".join(parts)
    if key is Ellipsis:
        return "..."
    return format_static(key)
