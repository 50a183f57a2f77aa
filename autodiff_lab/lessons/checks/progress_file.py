"""The progress file, ``my_progress.jsonl`` beside the notebooks: a learner's progress as a list of events.

The file has one line of JSON for each event and is only ever appended to. So two notebooks may write at the same time,
a line that was cut off or comes from a later version costs nothing but itself, and a folder that cannot be written to
leaves the learner with what this session remembers. Nothing here raises.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from autodiff_lab.lessons.checks.variants import Seed, normalize_seed

FILE = "my_progress.jsonl"
# An environment variable: another file to keep progress in, or ``off``.
VARIABLE = "AUTODIFF_LAB_PROGRESS"
VERSION = 1

# Where the notebook is, before anybody changes the folder.
_folder = Path(os.path.abspath(os.curdir)) if os.path.isdir(os.curdir) else Path()
_session: list[dict[str, Any]] = []


def note(exercise: str, status: str) -> None:
    """Note in the progress file that an exercise was tried or passed; only the first time."""
    kind = {"passed": "passed", "not yet": "tried"}.get(status)
    known = {event["kind"] for event in _events() if event.get("exercise") == exercise}
    if kind is not None and kind not in known and "passed" not in known:
        _append({"kind": kind, "exercise": exercise})


def states() -> dict[str, str]:
    """Read from the progress file which exercises are ``tried`` and which are ``passed``."""
    found: dict[str, str] = {}
    for event in _events():
        name = event.get("exercise")
        if isinstance(name, str) and found.get(name) != "passed":
            found[name] = event["kind"]
    return found


def current_seed() -> str | None:
    """The seed that was last saved in the progress file; None for the numbers of the text."""
    seeds = [event.get("seed") for event in _events() if event["kind"] == "seed"]
    return seeds[-1] if seeds and isinstance(seeds[-1], str) else None


def set_seed(seed: Seed) -> None:
    """Save a learner's seed in the progress file, so that all notebooks use it."""
    if normalize_seed(seed) != current_seed():
        _append({"kind": "seed", "seed": normalize_seed(seed)})


def forget() -> None:
    """Forget all progress: remove the progress file, or if that is not allowed, ignore what it says."""
    _session.clear()
    path = _path()
    try:
        if path is not None:
            path.unlink(missing_ok=True)
    except (OSError, ValueError):
        _append({"kind": "reset"})


def trouble() -> str:
    """Why the progress file cannot be read in full, in words; empty if all is well."""
    return _read()[1]


def _path() -> Path | None:
    """Where to keep progress; None where nobody asked: a notebook that is run by a program, or a test."""
    asked = os.environ.get(VARIABLE)
    if asked is not None:
        return None if asked in ("", "off") else Path(asked)
    return _folder / FILE if _is_attended() else None


def _is_attended() -> bool:
    """Whether a person sits before the notebook: a run that cannot be asked a question makes nobody's progress."""
    if "PYTEST_CURRENT_TEST" in os.environ or "IPython" not in sys.modules:
        return False
    shell = sys.modules["IPython"].get_ipython()
    in_a_page = "pyodide_kernel" in sys.modules  # JupyterLite
    return in_a_page or bool(getattr(getattr(shell, "kernel", None), "_allow_stdin", False))


def _is_no_file(path: Path) -> bool:
    """Whether something else stands in its place: to open a pipe would wait for ever."""
    return path.exists() and not path.is_file()


def _read() -> tuple[list[dict[str, Any]], str]:
    """The events of the file, as far as they can be read, and what is wrong with the file."""
    path = _path()
    if path is None:
        return [], ""
    try:
        if _is_no_file(path):
            return (
                [],
                f"{path.name} is not a file: only this session is shown. Move it away, and progress is kept.",
            )
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return [], ""
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or type(problem).__name__
        return [], f"{path.name} cannot be read ({reason}): only this session is shown."
    found = []
    for line in lines:
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue  # an empty line, one that was cut off, or not ours
        if isinstance(event, dict):
            found.append(event)
    later = any(isinstance(v := event.get("version"), int) and v > VERSION for event in found)
    return (
        found,
        f"{path.name} has entries of a later version of autodiff_lab; they are kept."
        if later
        else "",
    )


def _events() -> list[dict[str, Any]]:
    """The events since the last reset: those of the file, then those that could not be written."""
    ours = [
        event
        for event in _read()[0]
        if event.get("version") == VERSION and isinstance(event.get("kind"), str)
    ]
    events = ours + _session
    resets = [k for k, event in enumerate(events) if event["kind"] == "reset"]
    return events[resets[-1] + 1 if resets else 0 :]


def _append(event: dict[str, Any]) -> None:
    path = _path()
    try:
        if path is None or _is_no_file(path):
            raise OSError("there is no file to write to")
        # The line break before the line keeps it apart from one that was cut off.
        with path.open("a", encoding="utf-8") as file:
            file.write("\n" + json.dumps({"version": VERSION, **event}, ensure_ascii=True) + "\n")
    except (OSError, ValueError):
        _session.append(event)
