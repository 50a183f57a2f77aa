"""`autodiff-lab lecture`: from a notebook, what a lecturer takes along. Everything in it works without a network.

A page and slides, in which the players play; for each player a strip of frames, and all of them on paper; and the
speaker notes, with every step of every player in words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import nbformat

from autodiff_lab.classroom.lecture import slides, speaker_notes
from autodiff_lab.classroom.lecture.cell_html import Block, blocks
from autodiff_lab.classroom.lecture.execute import LectureError, execute_notebook
from autodiff_lab.figures.export import bitmap
from autodiff_lab.jupyter.notebooks import installed_notebooks
from autodiff_lab.widgets.player.page import document

__all__ = ["Kit", "LectureError", "notebook_named", "page", "write_lecture"]

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Kit:
    """What was written: the `files`, how many `players` there are, and `remarks` on what is not as it was asked for."""

    files: tuple[Path, ...]
    players: int
    remarks: tuple[str, ...]


def notebook_named(name: str) -> Path:
    """Find a notebook: a lesson by its number, or a file.

    Raises
    ------
    LectureError
        If there is none; the message lists the numbers.

    >>> notebook_named("4").name
    '04_the_adjoint_flow.ipynb'
    """
    if name.endswith(".ipynb"):
        path = Path(name)
        if not path.is_file():
            raise LectureError(f"there is no notebook {path}")
        return path
    lessons = {path.name[:2]: path for path in sorted(installed_notebooks().glob("[0-9][0-9]_*.ipynb"))}
    number = name.zfill(2)
    if number not in lessons:
        known = "\n".join(f"  {key}  {path.stem[3:].replace('_', ' ')}" for key, path in lessons.items())
        raise LectureError(f"there is no lesson {name}. Lessons are:\n{known}\nOr name a notebook: lecture mine.ipynb")
    return lessons[number]


def write_lecture(
    name: str, folder: Path, *, overwrite: bool = False, tell: Callable[[str], None] = lambda _: None
) -> Kit:
    """Run a notebook and write its lecture kit into a folder.

    Parameters
    ----------
    name : str
        The number of a lesson, or a notebook's path.
    folder : Path
    overwrite : bool
        Whether a kit that is there already may be replaced.
    tell : callable
        Called with a sentence where something takes a while.

    Raises
    ------
    LectureError
        If there is no such notebook, or it does not run.
    FileExistsError
        If there is such a kit in the folder, or the folder is a file.
    """
    path = notebook_named(name)
    _check_room(folder, path.stem, overwrite)
    tell(f"Running {path.name} …")
    try:
        notebook = nbformat.read(path, as_version=4)
    except (ValueError, AttributeError, nbformat.ValidationError) as problem:
        raise LectureError(f"{path} cannot be read as a notebook ({problem})") from problem
    found = blocks(execute_notebook(notebook), path.parent)
    title = next((block.text for block in found if block.level == 1), path.stem)
    players = [block.player for block in found if block.player]
    written = {
        ".html": page(title, found),
        ".slides.html": slides.deck(title, found),
        ".notes.md": speaker_notes.notes(title, speaker_notes.time_of(notebook), found),
    }
    written |= {f".player-{k}.svg": player.strip for k, player in enumerate(players, 1) if player.strip}
    sheets = [sheet for player in players for sheet in player.sheets]
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for ending, text in written.items():
        files.append(folder / f"{path.stem}{ending}")
        files[-1].write_text(text, encoding="utf-8")
    if sheets:
        files.append(folder / f"{path.stem}.handout.pdf")
        files[-1].write_bytes(bitmap.render_pdf(sheets))
    return Kit(tuple(files), len(players), tuple(dict.fromkeys(said for player in players for said in player.remarks)))


def _check_room(folder: Path, stem: str, overwrite: bool) -> None:
    if folder.exists() and not folder.is_dir():
        raise FileExistsError(f"{folder} is a file; name a folder with --out")
    there = sorted(folder.glob(f"{stem}.*"))
    there = [path for path in there if path.suffix in (".html", ".md", ".svg", ".pdf")]
    if there and not overwrite:
        raise FileExistsError(f"{there[0]} is there already; name another folder with --out, or say --overwrite")


def page(title: str, found: Sequence[Block]) -> str:
    """Write a notebook as one page that needs nothing else."""
    body = "\n".join(f'<div class="player">{block.html}</div>' if block.player else block.html for block in found)
    style = "\n".join((HERE / name).read_text(encoding="utf-8") for name in ("lecture.css", "page.css"))
    return document(title, style, f"<main>\n{body}\n</main>")
