"""The tutorial's notebooks: where they are installed, and how they are copied for a learner."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .kernel import python_command

START = "00_start_here.ipynb"
DEFAULT_COPY = "autodiff-lab-notebooks"
PACKAGE = Path(__file__).resolve().parents[1]

# Files that Jupyter and the exercises create next to the notebooks; they are not part of the tutorial.
NOT_COPIED = {".ipynb_checkpoints", "__pycache__", ".DS_Store", "my_progress.jsonl"}


class TutorialError(Exception):
    """The tutorial's notebooks cannot be found, copied or opened; the message says why and what to do."""


@dataclass(frozen=True)
class Copied:
    """Which notebooks :func:`copy_notebooks` copied and which it kept, as paths relative to the target folder."""

    new: tuple[Path, ...]
    # Files that were there already and differ from the tutorial's: the learner's own work.
    kept: tuple[Path, ...]


def installed_notebooks() -> Path:
    """Return the folder with the tutorial's notebooks.

    A wheel has them inside the package; in a checkout they are in the folder ``notebooks`` next to the package.

    Raises
    ------
    TutorialError
        If there are none, which means that the installation is damaged.
    """
    for folder in (PACKAGE / "notebooks", PACKAGE.parent / "notebooks"):
        if (folder / START).is_file():
            return folder
    raise TutorialError(
        f"the notebooks are missing: there is no {START} in {PACKAGE / 'notebooks'} or in "
        f"{PACKAGE.parent / 'notebooks'}.\nInstall the package again: "
        f"{python_command()} -m pip install --force-reinstall --no-deps autodiff-lab"
    )


def are_in_checkout(notebooks: Path) -> bool:
    """Return whether these notebooks are those of a source checkout, where a learner may work in place."""
    return notebooks.parent != PACKAGE


def copy_notebooks(
    source: Path, target: Path, content: Callable[[Path], bytes | None] = Path.read_bytes
) -> Copied:
    """Copy the notebooks in `source` that `target` does not have yet; never overwrite one.

    Parameters
    ----------
    source, target
        Folders.
    content
        What is written for a file of `source`; by default the same. None leaves the file out.

    Raises
    ------
    TutorialError
        If `target` cannot be written to, or is a file.
    """
    new, kept = [], []
    try:
        target.mkdir(parents=True, exist_ok=True)
        for path in sorted(source.rglob("*")):
            name = path.relative_to(source)
            if not path.is_file() or NOT_COPIED.intersection(name.parts):
                continue
            written, copy = content(path), target / name
            if written is None:
                continue
            if os.path.lexists(copy):
                if not (copy.is_file() and copy.read_bytes() == written):
                    kept.append(name)
                continue
            copy.parent.mkdir(parents=True, exist_ok=True)
            # "x" fails if the file has appeared in the meantime. Unlike shutil.copy, this doesn't copy the file's mode,
            # which may be read-only.
            with copy.open("xb") as file:
                file.write(written)
            new.append(name)
    except OSError as error:
        raise TutorialError(
            f"the notebooks cannot be copied into {target} ({error.strerror}: {error.filename}).\n"
            "Name a folder that you can write to: autodiff-lab --to DIR"
        ) from error
    return Copied(tuple(new), tuple(kept))
