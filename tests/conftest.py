"""What holds for all tests: how cases are named, a busy machine is no fault, and where the pictures are."""

from __future__ import annotations

import gc
import linecache
import os
from collections.abc import Generator
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from hypothesis import settings

from autodiff_lab import Trace

from .figures.example import example
from .figures.graph.drawn import CASES

# Two workers share the machine with a browser: how long an example takes says nothing about the code.
settings.register_profile("autodiff_lab", deadline=None)
settings.load_profile("autodiff_lab")

# Workers, kernels and commands import the package: each would compile it anew, if none may keep what it has compiled.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

SCREENSHOTS = Path(__file__).parent / "browser" / "screenshots"


@pytest.hookimpl(wrapper=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> Generator[None, int, int]:
    """One worker more than processors, as some tests wait for the end of a hand-in's time; a browser needs its own."""
    count = yield
    return count if config.getoption("markexpr") == "browser" else count + 1


def pytest_make_parametrize_id(val: object) -> str | None:
    """Give a case a name that can be read and selected: for a tuple its entries, for a lambda its line of code."""
    if isinstance(val, FunctionType) and val.__name__ == "<lambda>":
        line = linecache.getline(val.__code__.co_filename, val.__code__.co_firstlineno).strip()
        return line.rstrip(",") if line.startswith(("lambda", "(lambda")) else None
    if _is_plain(val, depth=2):
        return repr(val)
    return None


def _is_plain(val: object, depth: int = 0) -> bool:
    """Whether it is a tuple or dict of numbers and strings: the text of anything else may hold an address."""
    if depth == 0:
        return val is None or type(val) in (str, bool, int, float, complex)
    if type(val) is dict:
        return all(isinstance(key, str) and _is_plain(entry) for key, entry in val.items())
    if type(val) is tuple:
        return all(_is_plain(entry) or _is_plain(entry, depth - 1) for entry in val)
    return False


def pytest_collection_finish() -> None:
    """What was collected stays to the end: the garbage collector need not look through it again and again."""
    gc.freeze()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Where the pictures are that the browser tests have left."""
    ran = [each for kind in ("passed", "failed") for each in terminalreporter.stats.get(kind, [])]
    shots = len(list(SCREENSHOTS.glob("*.png")))
    if shots and any(each.nodeid.startswith("tests/browser/") for each in ran):
        terminalreporter.write_line(f"{shots} screenshots of the browser tests: {SCREENSHOTS}")


@pytest.fixture(scope="session")
def example_function():
    return example


@pytest.fixture(scope="session")
def example_trace():
    return Trace.of(example, 2.0, 5.0)


@pytest.fixture(params=CASES)
def trace(request):
    """One after the other, the runs that every drawing must be able to show."""
    f, args = CASES[request.param]
    return Trace.of(f, *args)
