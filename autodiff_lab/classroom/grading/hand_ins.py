"""Find the files that students handed in, and open them with care: a file can be anything.

Every file gets a row in the report, even if it isn't a notebook, because its student has to be told. Only
files that programs leave behind (`LITTER`) are skipped.
"""

import os
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from autodiff_lab.classroom.grading.verdicts import printable
from autodiff_lab.lessons.checks.progress_file import FILE

# The most bytes that are read of a file; the course's notebooks are far smaller.
MAX_NOTEBOOK_BYTES = 20_000_000

# The most files of one student that are graded, about twice as many as the course has notebooks.
MAX_FILES = 50

# The most files of one student that are listed, so that the notebooks among them can be graded first.
MAX_LOOKED_AT = 10_000

# Files that Jupyter, Python and operating systems leave next to a hand-in. The progress file is read with its notebook.
LITTER = (
    ".ipynb_checkpoints", "__pycache__", ".git", "__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", FILE,
)  # fmt: skip


@dataclass(frozen=True)
class HandIn:
    """A file that was handed in.

    Attributes
    ----------
    path : Path
    problem : str
        Why it is not opened; empty if it may be a notebook.
    """

    path: Path
    problem: str = ""


def find_hand_ins(folder: Path, leave_out: Collection[Path] = ()) -> list[HandIn]:
    """Find the files that were handed in, in a folder and its subfolders.

    Each folder at the top level belongs to one student, and so does each file there.

    Parameters
    ----------
    folder : Path
    leave_out : collection of Path
        Files and folders that students didn't hand in, such as an earlier report.

    Raises
    ------
    FileNotFoundError
        If there is no such folder, or no notebook in it.
    """
    others = {path.absolute() for path in leave_out}
    names = sorted(os.listdir(folder)) if folder.is_dir() else []
    students = [folder / name for name in names if name not in LITTER]
    found = [hand_in for student in students for hand_in in _hand_ins_of(student, others)]
    if not any(_is_named_as_a_notebook(hand_in.path) for hand_in in found):
        raise FileNotFoundError(f"there are no notebooks (*.ipynb) in {printable(str(folder))}")
    return sorted(found, key=lambda hand_in: hand_in.path)


def _hand_ins_of(student: Path, leave_out: Collection[Path]) -> Iterator[HandIn]:
    """Yield what one student handed in: at most `MAX_FILES`, notebooks first, and one entry for all others."""
    every = (
        hand_in for hand_in in _walk(student) if not _is_in(hand_in.path.absolute(), leave_out)
    )
    looked_at = [*islice(every, MAX_LOOKED_AT)]
    looked_at.sort(key=lambda hand_in: (not _is_named_as_a_notebook(hand_in.path), hand_in.path))
    yield from looked_at[:MAX_FILES]
    more = len(looked_at) - MAX_FILES
    if more <= 0:
        return
    count = f"{more} more files"
    if len(looked_at) == MAX_LOOKED_AT:
        count = f"more than {count}"
    yield HandIn(student / f"and {count}", f"only {MAX_FILES} files of one student are looked at")


def _is_in(path: Path, places: Collection[Path]) -> bool:
    """Whether a path is one of these files or folders, or below one of them."""
    return any(place in places for place in (path, *path.parents))


def _walk(place: Path) -> Iterator[HandIn]:
    """Yield a file, or the files in a folder and its subfolders; links are never followed."""
    waiting = [place]
    while waiting:
        path = waiting.pop()
        try:
            # lstat fails for everything in a folder that may be listed but not entered.
            is_folder = stat.S_ISDIR(path.lstat().st_mode)
            names = _names_in(path) if is_folder else []
        except OSError as problem:
            yield HandIn(path, f"the file cannot be read ({problem.strerror})")
            continue
        if not is_folder:
            yield HandIn(path, _why_not_opened(path))
        elif path == place and not names:
            yield HandIn(path, "an empty folder")
        waiting += [path / name for name in reversed(names) if name not in LITTER]


def _names_in(folder: Path) -> list[str]:
    """Return the sorted names in a folder, at most `MAX_LOOKED_AT`."""
    with os.scandir(folder) as entries:
        return sorted(entry.name for entry in islice(entries, MAX_LOOKED_AT))


def _is_named_as_a_notebook(path: Path) -> bool:
    return path.suffix.lower() == ".ipynb"


def _why_not_opened(path: Path) -> str:
    """Say why a file isn't opened; empty if it is."""
    if path.is_symlink():
        return "a link or a device and not a file, not opened"
    if not _is_named_as_a_notebook(path):
        return "not a notebook (its name does not end in .ipynb), not opened"
    return ""


def read_file(path: Path) -> bytes:
    """Read a handed-in file.

    Raises
    ------
    ValueError
        If it isn't a file, is too large, or cannot be read; the message says which.
    """
    try:
        with os.fdopen(open_regular_file(path, os.O_RDONLY), "rb") as file:
            content = file.read(MAX_NOTEBOOK_BYTES + 1)
    except OSError as problem:
        raise ValueError(f"the file cannot be read ({problem.strerror})") from problem
    if len(content) > MAX_NOTEBOOK_BYTES:
        raise ValueError(f"larger than {MAX_NOTEBOOK_BYTES // 1_000_000} MB, not opened")
    return content


def open_regular_file(path: Path, flags: int) -> int:
    """Open a file that a stranger may have put there, and return its descriptor; links are not followed.

    Raises
    ------
    ValueError
        If it is a link, a device or a folder.
    OSError
        If it cannot be opened.
    """
    problem = "a link or a device and not a file, not opened"
    if os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode):
        raise ValueError(problem)
    # It may have been replaced since the check above: now a link is an error, and a pipe doesn't block.
    careful = ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY")
    descriptor = os.open(path, flags | sum(getattr(os, name, 0) for name in careful), 0o666)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ValueError(problem)
    return descriptor
