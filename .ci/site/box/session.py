"""The Python of the function box: run a visitor's program, and return its player's state as JSON.

It runs in a worker of the visitor's browser (`worker.js`), which has NumPy, traitlets and autodiff_lab, but no
Jupyter. So the player's widget gets a stand-in for anywidget. The page calls `run` and `change`, and sends their
answers to the player's JavaScript.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import linecache
import sys
import types
from collections.abc import Iterator
from typing import Any, ClassVar

import traitlets

FILE = "<your function>"
LONGEST = 20_000  # characters of a program
LONGEST_MESSAGE = 1_000


class StandIn(traitlets.HasTraits):
    """A stand-in for `anywidget.AnyWidget`: a class with traits; those with ``sync=True`` go to the page."""

    made: ClassVar[list[StandIn]] = []
    """All instances since the start of the last run."""

    def __init__(self, **state: Any) -> None:
        super().__init__(**state)
        self.made.append(self)

    @contextlib.contextmanager
    def hold_sync(self) -> Iterator[None]:
        """Do nothing: the page gets all changes at once, as the answer of `change`."""
        yield


def module(name: str, **contents: Any) -> types.ModuleType:
    """Make a module that ``import`` finds, with these contents."""
    made = types.ModuleType(name)
    vars(made).update(contents)
    sys.modules[name] = made
    return made


module("anywidget", AnyWidget=StandIn)
module("IPython", get_ipython=lambda: None)

import numpy as np  # noqa: E402

import autodiff_lab as ad  # noqa: E402
from autodiff_lab.engine.errors import AutodiffError  # noqa: E402
from autodiff_lab.engine.printing import replace_bidi  # noqa: E402

Player = ad.Player
shown: ad.Player | None = None


def run(program: str) -> str:
    """Run a program, and return the state of the last player that it made, or an error and its line."""
    global shown
    StandIn.made.clear()
    if len(program) > LONGEST:
        return wrong(
            None,
            f"This program has {len(program)} characters. Shorten it to at most {LONGEST}.",
        )
    linecache.cache[FILE] = (len(program), None, program.splitlines(keepends=True), FILE)
    names: dict[str, Any] = {"__name__": "__main__", "np": np, "ad": ad, "play": ad.play}
    try:
        exec(compile(program, FILE, "exec"), names)
    except BaseException as error:
        # SystemExit and KeyboardInterrupt too: the worker couldn't explain them any better
        return wrong(line_of(error), explain(error))
    players = [one for one in StandIn.made if isinstance(one, Player)]
    if not players:
        return wrong(program.count("\n") + 1, say_what_to_play(names))
    shown = players[-1]
    answer: dict[str, Any] = {
        "title": shown.trace.title[:LONGEST_MESSAGE],
        "state": state_of(shown),
    }
    raised = shown.trace.raised
    if raised is not None:
        line = None
        if raised.where:
            span = raised.where[-1]
            line = shown.trace.sources[span.source].first_line + span.line
        answer |= {"line": line, "text": shorten(f"{raised.kind}: {raised.text}")}
    return as_json(answer)


def change(state: str) -> str:
    """Set the traits that the page has changed, and return all traits that changed as a result."""
    if shown is None:
        return as_json({"state": {}})
    before = state_of(shown)
    for name, value in json.loads(state).items():
        # a trait that rejects its new value keeps the old one
        with contextlib.suppress(traitlets.TraitError, AutodiffError):
            setattr(shown, name, value)
    after = state_of(shown)
    changed = {name: value for name, value in after.items() if value != before[name]}
    return as_json({"state": changed})


def state_of(player: ad.Player) -> dict[str, Any]:
    """Return the traits of a player that go to the page."""
    return {name: getattr(player, name) for name in player.trait_names(sync=True)}


def as_json(answer: dict[str, Any]) -> str:
    """Write an answer as JSON; raises for NaN and Infinity, which JavaScript couldn't parse."""
    return json.dumps(answer, separators=(",", ":"), allow_nan=False)


def wrong(line: int | None, text: str) -> str:
    """Return the answer for a program that is wrong."""
    return as_json({"line": line, "text": shorten(text)})


def shorten(text: str) -> str:
    """Make an exception's message safe to show: cut to a length, and without characters that reverse text."""
    return replace_bidi(text[:LONGEST_MESSAGE])


def line_of(error: BaseException) -> int | None:
    """Return the innermost line of the program in an exception's traceback."""
    if isinstance(error, SyntaxError) and error.filename == FILE:
        return error.lineno
    found = None
    at = error.__traceback__
    while at is not None:
        if at.tb_frame.f_code.co_filename == FILE:
            found = at.tb_lineno
        at = at.tb_next
    return found


def explain(error: BaseException) -> str:
    """Explain an exception to the visitor who typed the program, with what to write instead."""
    if isinstance(error, AutodiffError):
        return str(error)
    if isinstance(error, SyntaxError):
        return f"Python can't read this line: {error.msg}."
    if isinstance(error, ModuleNotFoundError):
        return (
            f"There is no {error.name} in this page. "
            "Use NumPy (np), autodiff_lab (ad) or Python's standard library."
        )
    if isinstance(error, NameError):
        return f"{error}. Define it above; np, ad and play are there already."
    if isinstance(error, RecursionError):
        return "The function calls itself forever. Give it a case in which it returns."
    if isinstance(error, MemoryError) or "array is too big" in str(error):
        return "This needs more memory than this page has (512 MB). Make the arrays smaller."
    kind = type(error).__name__
    return f"{kind}: {error}" if str(error) else kind


def say_what_to_play(names: dict[str, Any]) -> str:
    """Write the message for a program that plays nothing, with the line that is missing."""
    functions = [one for one in names.values() if isinstance(one, types.FunctionType)]
    own = [one for one in functions if one.__code__.co_filename == FILE]
    if not own:
        return (
            "Nothing was played. Define a function, and end with a line such as play(f, 2.0, 5.0)."
        )
    last = own[-1]
    inputs = itertools.cycle(("2.0", "5.0", "1.0", "3.0"))
    numbers = ", ".join(itertools.islice(inputs, last.__code__.co_argcount))
    return f"Nothing was played. Add a last line that runs it: play({last.__name__}, {numbers})"
