"""The Python of the function box: run a program that a visitor typed, and hand its player over as plain data.

It runs in a worker of the visitor's browser (`worker.js`), which has NumPy, traitlets and this package, and no
Jupyter. So the player's widget gets a stand-in for anywidget, whose other end is the page: `run` and `change` take
what the page sends, and answer in JSON.
"""

from __future__ import annotations

import contextlib
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
    """What the player needs of `anywidget.AnyWidget`: traits, of which those with ``sync=True`` go to the page."""

    made: ClassVar[list[StandIn]] = []

    def __init__(self, **state: Any) -> None:
        super().__init__(**state)
        self.made.append(self)

    @contextlib.contextmanager
    def hold_sync(self) -> Iterator[None]:
        """Do nothing: the page is told once, when a change is done."""
        yield


def module(name: str, **contents: Any) -> types.ModuleType:
    """Put a module of these contents where ``import`` finds it."""
    made = sys.modules[name] = types.ModuleType(name)
    vars(made).update(contents)
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
    """Run a program, and return the state of the player that it made last; or what is wrong, and in which line."""
    global shown
    StandIn.made.clear()
    if len(program) > LONGEST:
        return wrong(
            None, f"This program has {len(program)} characters; at most {LONGEST} are taken."
        )
    linecache.cache[FILE] = (len(program), None, program.splitlines(keepends=True), FILE)
    names: dict[str, Any] = {"__name__": "__main__", "np": np, "ad": ad, "play": ad.play}
    try:
        exec(compile(program, FILE, "exec"), names)
    except BaseException as error:
        # SystemExit and KeyboardInterrupt too: nothing above could say more
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
    """Set traits of the player, as the page has changed them; return all that has changed."""
    if shown is None:
        return as_json({"state": {}})
    before = state_of(shown)
    for name, value in json.loads(state).items():
        # what is not possible stays as it was
        with contextlib.suppress(traitlets.TraitError, AutodiffError):
            setattr(shown, name, value)
    after = state_of(shown)
    return as_json(
        {"state": {name: value for name, value in after.items() if value != before[name]}}
    )


def state_of(player: ad.Player) -> dict[str, Any]:
    """Return all that a page gets of a player."""
    return {name: getattr(player, name) for name in player.trait_names(sync=True)}


def as_json(answer: dict[str, Any]) -> str:
    """Write an answer as JSON that JavaScript reads."""
    return json.dumps(answer, separators=(",", ":"), allow_nan=False)


def wrong(line: int | None, text: str) -> str:
    """Say what is wrong with a program."""
    return as_json({"line": line, "text": shorten(text)})


def shorten(text: str) -> str:
    """Make the words of an exception fit for a page: not endless, and none of them turned around."""
    return replace_bidi(text[:LONGEST_MESSAGE])


def line_of(error: BaseException) -> int | None:
    """Return the innermost line of the program that an exception went through."""
    if isinstance(error, SyntaxError) and error.filename == FILE:
        return error.lineno
    found, at = None, error.__traceback__
    while at is not None:
        if at.tb_frame.f_code.co_filename == FILE:
            found = at.tb_lineno
        at = at.tb_next
    return found


def explain(error: BaseException) -> str:
    """Say what an exception means for whoever typed the program, and what to write instead."""
    kind = type(error).__name__
    if isinstance(error, AutodiffError):
        return str(error)
    if isinstance(error, SyntaxError):
        return f"Python can't read this line: {error.msg}."
    if isinstance(error, ModuleNotFoundError):
        return f"There is no {error.name} in this page: it has NumPy (np), autodiff_lab (ad) and Python's own modules."
    if isinstance(error, NameError):
        return f"{error}. Define it above; np, ad and play are there already."
    if isinstance(error, RecursionError):
        return "The function calls itself without an end: give it a case in which it returns."
    if isinstance(error, MemoryError) or "array is too big" in str(error):
        return "This needs more memory than this page gives (512 MB): make the arrays smaller."
    return f"{kind}: {error}" if str(error) else kind


def say_what_to_play(names: dict[str, Any]) -> str:
    """Write the line that is missing from a program that plays nothing."""
    functions = [one for one in names.values() if isinstance(one, types.FunctionType)]
    functions = [one for one in functions if one.__code__.co_filename == FILE]
    if not functions:
        return (
            "Nothing was played. Define a function, and end with a line such as play(f, 2.0, 5.0)."
        )
    last = functions[-1]
    numbers = ", ".join(
        ("2.0", "5.0", "1.0", "3.0")[k % 4] for k in range(last.__code__.co_argcount)
    )
    return f"Nothing was played. Say at the end where to run it: play({last.__name__}, {numbers})"
