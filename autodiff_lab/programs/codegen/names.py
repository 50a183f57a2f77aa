"""Names in the Python source of a compiled program: which are taken, and how a name is made that is free."""

import builtins
import keyword
import re
import unicodedata
from typing import Any

TAKEN = {*keyword.kwlist, *keyword.softkwlist, *dir(builtins), "math", "np", "BranchChanged", "ndarray", "float64"}
TAKEN |= {"_dispatch", "_switch_version", "_run_in_numpy", "_main"}  # what a call goes through
TAKEN |= {"Path", "FunctionType", "SimpleNamespace", "namedtuple", "_arrays", "_checked"}  # in a file of its own

MARK = "\0"
"""Stands on both sides of a name while a line is put together; no text of Python holds it."""


def mark_name(name: str) -> str:
    """A name, between marks."""
    return f"\0{name}\0"


def take_name(wanted: str, taken: set[str]) -> str:
    """A name that Python accepts and nobody else has; it is taken from now on."""
    name = to_identifier(wanted)
    while name in taken or name.startswith(("np_", "math_")):  # under these the functions of NumPy are bound
        name = f"{name}_" if name in taken else f"_{name}"
    taken.add(name)
    return name


def to_identifier(wanted: str) -> str:
    """The nearest name that Python accepts, in the form in which Python compares names (NFKC)."""
    name = re.sub(r"\W+", "_", unicodedata.normalize("NFKC", wanted)).strip("_") or "x"
    name = "".join(c if f"x{c}".isidentifier() else "_" for c in name)
    return name if name.isidentifier() else f"_{name}"


def name_object(x: Any, wanted: str, known: dict[str, Any], taken: set[str]) -> str:
    """The name of an object that is no text, the same one each time."""
    name = next((name for name, other in known.items() if other is x), None)
    if name is None:
        name = take_name(wanted, taken)
        known[name] = x
    return name


def key_text(key: Any, keys: dict[str, Any], taken: set[str]) -> str:
    """A key of a dict as Python, or its name: what a learner's object says of itself never gets into a source."""
    return repr(key) if is_plain_key(key) else name_object(key, "key", keys, taken)


def is_plain_key(key: Any) -> bool:
    """Whether a key may stand in the source, which is searched for names with dots and parentheses."""
    return type(key) in (int, bool, type(None)) or (type(key) is str and re.fullmatch(r"[\w ]*", key) is not None)
