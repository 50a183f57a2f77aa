"""Runs of the notebook's PyTorch programs: executed if PyTorch is installed, and read from a file otherwise.

The file is ``runs.json``. ``python -m tests.notebooks.own_model`` regenerates it, and a test compares it with new runs.
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from autodiff_lab.engine.errors import AutodiffError
from autodiff_lab.frameworks.diagnoses import Report
from autodiff_lab.text.dataclass_json import build
from autodiff_lab.text.dataclass_json import plain as to_json_data
from autodiff_lab.text.grid import Grid
from autodiff_lab.trace.model import Trace
from autodiff_lab.widgets.player.widget import Player, play_trace

FILE = Path(__file__).with_name("runs.json")


class NoSavedRunError(AutodiffError, LookupError):
    """Error: PyTorch isn't installed here, and no run of this program was saved."""


def run_or_load(program: Callable[..., Any], *args: Any) -> Any:
    """Run ``program(*args)`` if PyTorch is installed; otherwise load the saved result of the same run.

    Parameters
    ----------
    program : callable
        A function of the notebook that imports PyTorch itself.
    *args : float, bool or list
        Its arguments.

    Returns
    -------
    Player, Report, str or list
        The result of the program. A player shows a finished run, so it has no sliders, even if PyTorch is installed.

    Raises
    ------
    NoSavedRunError
        If PyTorch isn't installed, and the program or its arguments aren't those of a saved run.
    """
    if importlib.util.find_spec("torch") is not None:
        return from_json_data(run_to_json_data(program, *args))
    saved = json.loads(FILE.read_text(encoding="utf-8")).get(key_of(program, args))
    if saved is None:
        raise NoSavedRunError(
            f"PyTorch isn't installed here, and no run of {program.__name__} with these arguments was saved. "
            "To run it yourself: pip install torch, and restart the kernel."
        )
    digest = digest_of(program)
    if digest and saved["program"] != digest:
        raise NoSavedRunError(
            f"You have changed {program.__name__}, and the saved run is that of the original. "
            "To run your own version: pip install torch, and restart the kernel."
        )
    return from_json_data(saved["returned"])


def key_of(program: Callable[..., Any], args: tuple[Any, ...]) -> str:
    """Return the key of a run in the file: the program's name and its arguments, to four digits.

    Examples
    --------
    >>> key_of(run_or_load, (0.125, True))
    'run_or_load(0.125, True)'
    """
    written = [f"{x:.4g}" if isinstance(x, float) else repr(x) for x in args]
    return f"{program.__name__}({', '.join(written)})"


def digest_of(program: Callable[..., Any]) -> str:
    """Return a hash of a program's source text, or an empty string if there is no source."""
    try:
        source = inspect.getsource(program)
    except (OSError, TypeError):
        return ""
    return hashlib.sha256(source.strip().encode()).hexdigest()[:16]


def run_to_json_data(program: Callable[..., Any], *args: Any) -> dict[str, Any]:
    """Run a program, and return its result as data for JSON."""
    returned = program(*args)
    if isinstance(returned, Player):
        return {"trace": returned.trace.to_dict()}
    if isinstance(returned, Report):
        return {"grid": to_json_data(returned.grid), "note": returned.note}
    return {"data": returned}


def from_json_data(data: dict[str, Any]) -> Any:
    """Rebuild the result of a program from the data that `run_to_json_data` returned."""
    if "trace" in data:
        return play_trace(Trace.from_json(json.dumps(data["trace"])))
    if "grid" in data:
        return Report(build(Grid, data["grid"]), data["note"])
    return data["data"]
