"""Imports run downwards only, the engine stands on NumPy alone, and `import autodiff_lab` pays for no view."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

import autodiff_lab

PACKAGE = Path(autodiff_lab.__file__).parent
FILES = sorted(path for path in PACKAGE.rglob("*.py") if path.parent.name != "notebooks")

# From the ground floor up. A room imports from itself and from the floors below, wherever in a file it does so.
FLOORS = [
    {"engine"},
    {"transforms"},
    {"data", "jupyter"},
    {"systems", "programs"},
    {"optimize"},
    {"text"},
    {"trace"},
    {"frameworks"},
    {"figures.style", "figures.layered_layout"},
    {"figures.graph"},
    {"figures.tables", "figures.plots"},
    {"figures.export"},
    {"lessons.examples"},
    {"widgets"},
    {"widgets.player", "widgets.labs"},
    {"lessons"},
    {"classroom"},
    {"setup_check"},
    {"cli"},
    {"the package"},
]
NUMBER = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
# The package itself hands out public names, and stands above all rooms; only who teaches with them asks it for them.
ASKS_THE_PACKAGE = {"lessons", "classroom", "setup_check", "cli", "the package"}


def room_of(module: str) -> str:
    """Return the room of a module: "autodiff_lab.figures.graph.draw" is in "figures.graph"."""
    names = module.split(".")[1:]
    rooms = (".".join(names[:count]) for count in range(len(names), 0, -1))
    return next((room for room in rooms if room in NUMBER), "the package")


def name_of(path: Path) -> str:
    """Return the dotted name of the module in a file; of an `__init__.py`, that of its folder."""
    names = ("autodiff_lab", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(names[:-1] if names[-1] == "__init__" else names)


MODULES = {name_of(path) for path in FILES}


def imported_modules(source: str, package: tuple[str, ...]) -> Iterator[str]:
    """Yield what a file imports, wherever in the file, as absolute names; `package` holds the file.

    A string that is the name of one of our modules counts, as `import_module` would take it.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else ()
            module = ".".join((*base, *([node.module] if node.module else [])))
            for alias in node.names:
                yield f"{module}.{alias.name}" if f"{module}.{alias.name}" in MODULES else module
        elif isinstance(node, ast.Constant) and node.value in MODULES - {"autodiff_lab"}:
            yield node.value


def imports_of(path: Path) -> set[str]:
    package = ("autodiff_lab", *path.relative_to(PACKAGE).parent.parts)
    return set(imported_modules(path.read_text(encoding="utf-8"), package))


def forbidden_imports(path: Path) -> Iterator[str]:
    """Yield what is wrong with the imports of a file."""
    own = room_of(name_of(path))
    for module in imports_of(path):
        if module == "autodiff_lab" and own not in ASKS_THE_PACKAGE:
            yield f"{name_of(path)} must not ask the package for public names"
        elif module.startswith("autodiff_lab."):
            other = room_of(module)
            if other != own and NUMBER[other] >= NUMBER[own]:
                yield f"{name_of(path)} is in {own!r} and must not import {module}"


def test_imports_run_downwards() -> None:
    assert not [wrong for path in FILES for wrong in forbidden_imports(path)]


def imported_names(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the module and the name of each ``from … import …`` of our own, also of one inside a function."""
    package = ("autodiff_lab", *path.relative_to(PACKAGE).parent.parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else ()
            module = ".".join((*base, *([node.module] if node.module else [])))
            if module.split(".")[0] == "autodiff_lab":
                yield from ((module, alias.name) for alias in node.names)


FRAMEWORKS = {"torch", "jax"}


@cache
def lacks_a_framework(module: str) -> bool:
    """Whether a module is one of a framework that is not installed, or one of ours that imports it."""
    needed = {
        name.partition(".")[0]
        for path in FILES
        if name_of(path) == module
        for name in imports_of(path)
    }
    asked = FRAMEWORKS & {*needed, module.partition(".")[0]}
    return any(find_spec(name) is None for name in asked)


def test_frameworks_are_imported_in_their_own_room_alone() -> None:
    for path in FILES:
        foreign = FRAMEWORKS & {module.partition(".")[0] for module in imports_of(path)}
        assert not foreign or room_of(name_of(path)) == "frameworks", name_of(path)


def test_a_player_of_our_own_engine_loads_no_framework() -> None:
    assert not FRAMEWORKS & loaded_by("from autodiff_lab import play; play(lambda x: x * x, 3.0)")


def test_what_a_file_imports_is_there() -> None:
    """A late import is run late, perhaps by a reader first: so all are looked up here."""
    for path in FILES:
        for module, name in imported_names(path):
            if lacks_a_framework(module):
                continue  # tests/frameworks are run where it is installed, and this test with them
            there = (
                f"{module}.{name}" in MODULES or name == "*" or hasattr(import_module(module), name)
            )
            assert there, f"{name_of(path)} imports {name} from {module}"


def test_no_files_import_each_other_in_a_circle() -> None:
    """What is imported for a type checker only counts too: a reader follows it as any other."""
    modules = MODULES - {"autodiff_lab"}
    imports = {name_of(path): imports_of(path) & modules - {name_of(path)} for path in FILES}
    while free := {name for name, needed in imports.items() if not needed & imports.keys()}:
        imports = {
            name: needed & imports.keys() for name, needed in imports.items() if name not in free
        }
    while unused := imports.keys() - set().union(*imports.values()):
        imports = {name: needed for name, needed in imports.items() if name not in unused}
    assert not imports, "in a circle, or between two of them"


def test_engine_needs_numpy_only() -> None:
    for path in FILES:
        if {"engine", "transforms"} & {*path.relative_to(PACKAGE).parts}:
            foreign = {
                module.partition(".")[0] for module in imports_of(path)
            } - sys.stdlib_module_names
            assert foreign <= {"numpy", "autodiff_lab"}, name_of(path)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from ..trace import model", "autodiff_lab.trace.model"),
        ("from ..trace.model import Trace", "autodiff_lab.trace.model"),
        ("from .. import figures", "autodiff_lab.figures"),
        ("from .. import grad", "autodiff_lab"),
        ("def f():\n    import autodiff_lab.widgets", "autodiff_lab.widgets"),
        ("import_module('autodiff_lab.figures.graph.draw')", "autodiff_lab.figures.graph.draw"),
        ("from autodiff_lab import play", "autodiff_lab"),
        ("from . import tape", "autodiff_lab.engine.tape"),
        ("import matplotlib.pyplot as plt", "matplotlib.pyplot"),
    ],
)
def test_no_way_of_importing_is_overlooked(source: str, expected: str) -> None:
    assert list(imported_modules(source, ("autodiff_lab", "engine"))) == [expected]


def loaded_by(statement: str) -> set[str]:
    """Return the top-level modules, beyond the standard library, that a fresh Python holds after a statement."""
    code = f"import sys; {statement}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split()) - sys.stdlib_module_names


def test_import_loads_numpy_and_nothing_else() -> None:
    assert loaded_by("import autodiff_lab") - loaded_by("import numpy") == {"autodiff_lab"}


def test_import_loads_no_slow_module_of_the_standard_library() -> None:
    code = "import numpy, sys; before = {*sys.modules}; import autodiff_lab; print(*({*sys.modules} - before))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"copy", "dataclasses", "threading"}.isdisjoint(run.stdout.split())


def test_every_public_name_is_there() -> None:
    for name in autodiff_lab.__all__:
        assert getattr(autodiff_lab, name) is not None
    assert set(autodiff_lab.__all__) <= set(dir(autodiff_lab))


def test_the_systems_of_the_course_are_no_public_names() -> None:
    """What the course takes apart is imported from where it stands, so that it is not taken for the tool."""
    homes = {
        name: getattr(getattr(autodiff_lab, name), "__module__", "")
        for name in autodiff_lab.__all__
    }
    assert not [name for name, module in homes.items() if module.startswith("autodiff_lab.systems")]


def test_files_that_the_sources_name_are_there():
    sources = [path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".js", ".css")]
    there = {path.name for path in sources}
    named = {
        (path.relative_to(PACKAGE).as_posix(), name)
        for path in sources
        for name in re.findall(r"`(\w+\.(?:py|js|css))`", path.read_text(encoding="utf-8"))
    }
    assert len(named) > 20
    assert {(path, name) for path, name in named if name not in there} == set()


def test_the_import_asks_no_function_for_its_signature() -> None:
    """A hundred rows that each look at a signature are a third of the import; they look when they are first called."""
    count = """
import numpy, inspect
asked, signature = [], inspect.signature
inspect.signature = lambda f, **options: asked.append(f) or signature(f, **options)
import autodiff_lab
print(*(f.__module__ for f in asked if not f.__module__.startswith("autodiff_lab.transforms")))
"""
    run = subprocess.run([sys.executable, "-c", count], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []
