"""Names in the generated source of a program: which are taken, and how a free one is made."""

import builtins
import keyword
import re
import unicodedata
from typing import Any

TAKEN = {
    *keyword.kwlist,
    *keyword.softkwlist,
    *dir(builtins),
    "math",
    "np",
    "BranchChanged",
    "ndarray",
    "float64",
}
# The functions that the entry of a program calls.
TAKEN |= {"_dispatch", "_switch_version", "_run_in_numpy"}

# Put before and after each name while a statement is composed; Python's source never contains it.
MARK = "\0"


def mark_name(name: str) -> str:
    """Put a name between marks, so that it can be found and replaced in the generated statement."""
    return f"{MARK}{name}{MARK}"


def take_name(wanted: str, taken: set[str]) -> str:
    """Take a free name for the generated source: the nearest to the wanted one that is valid and not taken yet."""
    name = to_identifier(wanted)
    # Names such as math_sin are kept for the functions of `math` and NumPy.
    while name in taken or name.startswith(("np_", "math_")):
        name = f"{name}_" if name in taken else f"_{name}"
    taken.add(name)
    return name


def to_identifier(wanted: str) -> str:
    """Convert text to the nearest valid name (identifier), in the form in which Python compares names (NFKC)."""
    name = re.sub(r"\W+", "_", unicodedata.normalize("NFKC", wanted)).strip("_") or "x"
    name = "".join(c if f"x{c}".isidentifier() else "_" for c in name)
    return name if name.isidentifier() else f"_{name}"


def name_object(x: Any, wanted: str, known: dict[str, Any], taken: set[str]) -> str:
    """The name in the generated source for an object that can't be written as text; one object always has one name."""
    for name, other in known.items():
        if other is x:
            return name
    name = take_name(wanted, taken)
    known[name] = x
    return name


def key_text(key: Any, keys: dict[str, Any], taken: set[str]) -> str:
    """The text of a dict's key in the generated source; a key of the user's own class gets a name instead."""
    return repr(key) if is_plain_key(key) else name_object(key, "key", keys, taken)


def is_plain_key(key: Any) -> bool:
    """Whether a dict's key can be written as text in the generated source, instead of under a name."""
    if type(key) is str:
        # A dot is not allowed, because `math.sin(` is replaced in the whole source, even inside a string.
        return re.fullmatch(r"[\w ]*", key) is not None
    return type(key) in (int, bool, type(None))
