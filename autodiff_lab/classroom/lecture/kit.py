"""Write a lecturer's kit, the files to take along: `autodiff-lab lecture`. They need neither network nor Python.

From a plan its slides, in which the players play, and the speaker's page; from each lesson one sheet to hand out.
"""

from pathlib import Path

from autodiff_lab.classroom.lecture.handout import handout
from autodiff_lab.classroom.lecture.plans import LectureError, find_plan
from autodiff_lab.classroom.lecture.slides import deck
from autodiff_lab.classroom.lecture.speaker_page import lesson_page, plan_page
from autodiff_lab.jupyter.notebooks import installed_notebooks
from autodiff_lab.lessons.order import SLUGS, file_name, number_of


def notebook_named(name: str) -> Path:
    """Find the notebook for a lecture kit: a lesson by its slug or its number, or a file.

    Raises
    ------
    LectureError
        If there is none; the message lists the lessons.

    >>> notebook_named("4").name
    '04_adjoint_flow.ipynb'
    >>> notebook_named("tape").name
    '03_tape.ipynb'
    """
    if name.endswith(".ipynb"):
        path = Path(name)
        if not path.is_file():
            raise LectureError(f"there is no notebook {path}")
        return path
    slugs = {number_of(slug): slug for slug in SLUGS}
    slug = slugs.get(name.zfill(2), name)
    if slug not in SLUGS:
        known = "\n".join(f"  {number}  {slug}" for number, slug in slugs.items())
        raise LectureError(
            f"there is no lesson {name}. Lessons are:\n{known}\nOr name a notebook of your own: mine.ipynb"
        )
    return installed_notebooks() / file_name(slug)


def write_plan(name: str, folder: Path, *, overwrite: bool = False) -> list[Path]:
    """Write the kit for a lecture plan: its slides, its speaker's page, and the handouts of its lessons.

    Parameters
    ----------
    name : str
        The name of a plan, as ``"40"``, or a Markdown file.
    folder : Path
    overwrite : bool
        Whether files that are there already may be replaced.

    Raises
    ------
    LectureError
        If there is no such plan, or it cannot be read.
    FileExistsError
        If such a file is in the folder, or the folder is a file.
    """
    plan = find_plan(name)
    written = {f"{plan.name}.slides.html": deck(plan), f"{plan.name}.speaker.html": plan_page(plan)}
    lessons = dict.fromkeys(stop.notebook for stop in plan.stops)
    return _write(folder, written | {f"{path.stem[:2]}.handout.html": handout(path) for path in lessons}, overwrite)


def write_lesson(name: str, folder: Path, *, overwrite: bool = False) -> list[Path]:
    """Write the kit for one lesson: its speaker's page and its handout; raises as `write_plan` does."""
    path = notebook_named(name)
    number = path.stem[:2] if path.stem[:2].isdecimal() else path.stem
    written = {f"{number}.speaker.html": lesson_page(path), f"{number}.handout.html": handout(path)}
    return _write(folder, written, overwrite)


def _write(folder: Path, written: dict[str, str], overwrite: bool) -> list[Path]:
    if folder.exists() and not folder.is_dir():
        raise FileExistsError(f"{folder} is a file; name a folder with --out")
    there = [folder / name for name in written if (folder / name).exists()]
    if there and not overwrite:
        raise FileExistsError(f"{there[0]} is there already; name another folder with --out, or say --overwrite")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in written.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in written]
