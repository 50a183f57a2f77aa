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
TAKEN |= {"_dispatch", "_switch_version", "_run_in_numpy"}  # what a call goes through

# Stands on both sides of a name while a statement is put together; no text of Python holds it.
MARK = "\0"


def mark_name(name: str) -> str:
    """Put a name between marks, so that it can be found and replaced in the generated statement."""
    return f"\0{name}\0"


def take_name(wanted: str, taken: set[str]) -> str:
    """Take a free name for the generated source: the nearest to the wanted one that is valid and not taken yet."""
    name = to_identifier(wanted)
    # under these the functions of NumPy are bound
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
    """The name in the generated source for an object that cannot be written there as text; the same each time."""
    name = next((name for name, other in known.items() if other is x), None)
    if name is None:
        name = take_name(wanted, taken)
        known[name] = x
    return name


def key_text(key: Any, keys: dict[str, Any], taken: set[str]) -> str:
    """The name of a dict's key in the generated source, or its text: a learner's own `repr` never gets there."""
    return repr(key) if is_plain_key(key) else name_object(key, "key", keys, taken)


def is_plain_key(key: Any) -> bool:
    """Whether a dict's key needs no name and may stand in the source itself, which is searched for names with dots."""
    return type(key) in (int, bool, type(None)) or (
        type(key) is str and re.fullmatch(r"[\w ]*", key) is not None
    )
