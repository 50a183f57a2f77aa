"""A program as a file of its own, which needs NumPy and nothing else."""

from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from ..engine.errors import UnsupportedError
from ..transforms.recording import name_of
from .arguments import write_conditions
from .expressions import IN_NUMPY
from .version import Version

MAX_ENTRIES_IN_SOURCE = 256
"""Entries of an array that is still written into the source; larger ones go into an ``.npz`` file."""

TEMPLATE = Path(__file__).with_name("saved_program.txt")
"""What every file is made of; the names behind ``$`` are filled in."""

BRANCH_CHANGED = '''

class BranchChanged(RuntimeError):
    """The function would go another way."""
'''


def save_program(version: Version, path: Path) -> list[Path]:
    """Write a version; the paths of the files written."""
    if version.own_functions:
        raise UnsupportedError(
            f"{', '.join(version.own_functions)} could not be taken apart into NumPy's functions, so it cannot go into "
            "a file. Write it with functions that the table knows."
        )
    for kind in version.objects.values():
        if not (isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")):
            raise UnsupportedError(
                f"A {type(kind).__name__} is needed to take the arguments apart, or to put the result together, and it "
                "cannot go into a file. Use words or whole numbers as the keys of a dict."
            )
    source, inputs, name = version.source, version.inputs, version.functions[-1].name
    large = {k: x for k, x in version.constants.items() if x.size > MAX_ENTRIES_IN_SOURCE}
    beside = path.with_suffix(".npz")
    if large:
        np.savez(beside, **large)
    imports = "from collections import namedtuple\n" if version.objects else ""
    imports += "from pathlib import Path\n" if large else ""
    called = name_of(version.options.f).replace("\\", "/").replace('"', "'")  # it stands between quotes
    title = f"{name}: compiled from {called}, mode {version.options.mode!r}."
    wanted = ", ".join(f"{leaf.path} {leaf.kind}" for leaf in inputs.leaves)
    used = {k: f"{v.__name__ if callable(v) else k}" for k, v in IN_NUMPY.items() if f"math.{k}" in source}
    doubles = all(leaf.value.dtype == np.float64 for leaf in inputs.leaves)
    as_numpy = "tuple(np.float64(c) if type(c) is float else c for c in code.co_consts)"
    bound = [
        f"{k} = namedtuple({k!r}, {tuple(map(str.__str__, kind._fields))})\n" for k, kind in version.objects.items()
    ]
    if large:
        bound.append(f"_arrays = np.load(Path(__file__).with_name({beside.name!r}))\n")
    bound += [
        f'{k} = _arrays["{k}"]\n' if k in large else f"{k} = {_array_text(x)}\n" for k, x in version.constants.items()
    ]
    text = Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        title=title,
        imports=imports,
        bound="".join(bound),
        exception=BRANCH_CHANGED if "BranchChanged" in source else "",
        source=source,
        functions=", ".join(f"{k}=np.{numpy_name}" for k, numpy_name in used.items()),
        numbers=as_numpy if doubles else "code.co_consts",
        name=name,
        wanted=wanted.replace('"', "'"),
        doc=repr(f"{title} Takes {wanted}."),
        parameters=", ".join(inputs.names),
        tests=" and ".join(write_conditions(inputs.args, inputs.names) or ["True"]),
        parts=", ".join(function.name for function in version.functions),
    )
    path.write_text(text, encoding="utf-8")
    return [path, beside] if large else [path]


def _array_text(x: Any) -> str:
    """An array written out, to the last bit."""
    text = repr(x.tolist()).replace("inf", "np.inf").replace("nan", "np.nan")
    return f"np.array({text}, dtype=np.{x.dtype})" if x.dtype != np.bool_ else f"np.array({text})"
