"""Imports run downwards only, the engine stands on NumPy alone, and `import autodiff_lab` pays for no view."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import autodiff_lab

PACKAGE = Path(autodiff_lab.__file__).parent
FILES = sorted(path for path in PACKAGE.rglob("*.py") if "notebooks" not in path.parts)

# From the ground floor up. A room imports from itself and from the floors below. The command's modules and the
# package's own `__init__` are "the package": they may load every room, as may lessons and classroom.
FLOORS = [
    {"engine"},
    {"transforms"},
    {"data"},
    {"systems", "programs"},
    {"optimize"},
    {"figures"},
    {"widgets"},
    {"lessons", "classroom", "the package"},
]
OF_THE_PACKAGE = {"__init__", "__main__", "findings", "lab_settings", "setup_check", "surroundings", "tutorial"}


def room_of(module: tuple[str, ...]) -> str:
    """Return the room of a module given by its names below `autodiff_lab`: ("engine", "tape") is in "engine"."""
    return "the package" if not module or module[0] in OF_THE_PACKAGE else module[0]


def floor_of(room: str) -> int:
    """Return the number of the floor; a room that is on none has to be put on one above."""
    return next(number for number, rooms in enumerate(FLOORS) if room in rooms)


def imported_modules(source: str, package: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield what a file imports, wherever in the file, as absolute names; `package` holds the file."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else ()
            module = base + tuple(node.module.split(".") if node.module else ())
            if module == ("autodiff_lab",):
                # `from autodiff_lab import figures` names a room, `from autodiff_lab import grad` a public name.
                for alias in node.names:
                    yield (*module, alias.name) if (PACKAGE / alias.name).is_dir() else module
            else:
                yield module


def imports_of(path: Path) -> set[tuple[str, ...]]:
    package = ("autodiff_lab", *path.relative_to(PACKAGE).parent.parts)
    return set(imported_modules(path.read_text(encoding="utf-8"), package))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_run_downwards(path: Path) -> None:
    own_parts = path.relative_to(PACKAGE).with_suffix("").parts
    own = room_of(own_parts)
    for module in imports_of(path):
        if module[0] == "autodiff_lab":
            other = room_of(module[1:])
            assert other == own or floor_of(other) < floor_of(own) or own in FLOORS[-1], (
                f"{'.'.join(own_parts)} is in {own!r} and must not import {'.'.join(module)}"
            )


@pytest.mark.parametrize(
    "path", [path for path in FILES if {"engine", "transforms"} & {*path.parts}], ids=lambda path: path.stem
)
def test_engine_needs_numpy_only(path: Path) -> None:
    foreign = {module[0] for module in imports_of(path)} - sys.stdlib_module_names
    assert foreign <= {"numpy", "autodiff_lab"}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from ..figures import trace", ("autodiff_lab", "figures")),
        ("from ..figures.trace import Trace", ("autodiff_lab", "figures", "trace")),
        ("from .. import figures", ("autodiff_lab", "figures")),
        ("from .. import grad", ("autodiff_lab",)),
        ("def f():\n    import autodiff_lab.widgets", ("autodiff_lab", "widgets")),
        ("from autodiff_lab import play", ("autodiff_lab",)),
        ("from . import tape", ("autodiff_lab", "engine")),
        ("import matplotlib.pyplot as plt", ("matplotlib", "pyplot")),
    ],
)
def test_no_way_of_importing_is_overlooked(source: str, expected: tuple[str, ...]) -> None:
    assert list(imported_modules(source, ("autodiff_lab", "engine"))) == [expected]


def loaded_by(statement: str) -> set[str]:
    """Return the top-level modules, beyond the standard library, that a fresh Python holds after a statement."""
    code = f"import sys; {statement}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split()) - sys.stdlib_module_names


def test_import_loads_numpy_and_nothing_else() -> None:
    assert loaded_by("import autodiff_lab") - loaded_by("import numpy") == {"autodiff_lab"}


def test_every_public_name_is_there() -> None:
    for name in autodiff_lab.__all__:
        assert getattr(autodiff_lab, name) is not None
    assert set(autodiff_lab.__all__) <= set(dir(autodiff_lab))
