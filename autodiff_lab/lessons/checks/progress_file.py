"""The progress file, ``my_progress.jsonl`` next to the notebooks: a learner's progress as a list of events.

The file has one line of JSON for each event, and lines are only ever appended. So two notebooks may write
at the same time, and a line that was cut off or comes from a later version affects no other line. If the
folder cannot be written to, progress lasts as long as the session. Nothing here raises.
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

# The notebook's folder; noted at import, because a cell may change the working directory later.
_folder = Path(os.path.abspath(os.curdir)) if os.path.isdir(os.curdir) else Path()
_session: list[dict[str, Any]] = []


def note(exercise: str, status: str) -> None:
    """Note in the progress file that an exercise was tried or passed, the first time it happens."""
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
    """Return the seed that was last saved in the progress file; None for the numbers in the text."""
    seeds = [event.get("seed") for event in _events() if event["kind"] == "seed"]
    if seeds and isinstance(seeds[-1], str):
        return seeds[-1]
    return None


def set_seed(seed: Seed) -> None:
    """Save a learner's seed in the progress file, so that all notebooks use it."""
    if normalize_seed(seed) != current_seed():
        _append({"kind": "seed", "seed": normalize_seed(seed)})


def forget() -> None:
    """Forget all progress: delete the progress file, or ignore it if it cannot be deleted."""
    _session.clear()
    path = _path()
    try:
        if path is not None:
            path.unlink(missing_ok=True)
    except (OSError, ValueError):
        _append({"kind": "reset"})


def trouble() -> str:
    """Explain in a sentence why the progress file cannot be read in full; empty if it can."""
    return _read()[1]


def _path() -> Path | None:
    """Return where to store progress; None if it isn't stored, as in a test or when a program runs the notebook."""
    asked = os.environ.get(VARIABLE)
    if asked in ("", "off"):
        return None
    if asked is not None:
        return Path(asked)
    return _folder / FILE if _is_attended() else None


def _is_attended() -> bool:
    """Whether a person runs the notebook: only then does Jupyter allow a cell to ask for input."""
    if "PYTEST_CURRENT_TEST" in os.environ or "IPython" not in sys.modules:
        return False
    shell = sys.modules["IPython"].get_ipython()
    in_a_page = "pyodide_kernel" in sys.modules  # JupyterLite
    return in_a_page or bool(getattr(getattr(shell, "kernel", None), "_allow_stdin", False))


def _is_no_file(path: Path) -> bool:
    """Whether the path is something other than a file: opening a pipe, for example, would wait forever."""
    return path.exists() and not path.is_file()


def _read() -> tuple[list[dict[str, Any]], str]:
    """Return the events of the file, as far as they can be read, and what is wrong with the file."""
    path = _path()
    if path is None:
        return [], ""
    try:
        if _is_no_file(path):
            problem = f"{path.name} is not a file: only this session is shown."
            return [], f"{problem} Move it away, and progress is kept."
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return [], ""
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        return [], f"{path.name} cannot be read ({reason}): only this session is shown."
    found = []
    for line in lines:
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue  # an empty line, one that was cut off, or not ours
        if isinstance(event, dict):
            found.append(event)
    versions = [event.get("version") for event in found]
    if any(isinstance(version, int) and version > VERSION for version in versions):
        return found, f"{path.name} has entries of a later version of autodiff_lab; they are kept."
    return found, ""


def _events() -> list[dict[str, Any]]:
    """Return the events since the last reset: those of the file, then those that could not be written."""
    ours = [
        event
        for event in _read()[0]
        if event.get("version") == VERSION and isinstance(event.get("kind"), str)
    ]
    events = ours + _session
    resets = [k for k, event in enumerate(events) if event["kind"] == "reset"]
    if not resets:
        return events
    return events[resets[-1] + 1 :]


def _append(event: dict[str, Any]) -> None:
    path = _path()
    try:
        if path is None or _is_no_file(path):
            raise OSError("there is no file to write to")
        # The line break comes first too, in case the line before was cut off.
        with path.open("a", encoding="utf-8") as file:
            file.write("\n" + json.dumps({"version": VERSION, **event}, ensure_ascii=True) + "\n")
    except (OSError, ValueError):
        _session.append(event)
