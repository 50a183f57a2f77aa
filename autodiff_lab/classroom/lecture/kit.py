"""Write the files of a lecture: `autodiff-lab lecture`. Its pages need neither a network nor Python.

The slides are one HTML file, in which the players work. The handout is another, to print: a worksheet and its solution.
"""

from pathlib import Path
from typing import Any

import nbformat

from autodiff_lab.classroom.lecture.export import export_slides
from autodiff_lab.classroom.lecture.handout import has_handout, make_handout
from autodiff_lab.classroom.lecture.notes import add_exercise_notes
from autodiff_lab.classroom.lecture.slides import LectureError, read_notebook
from autodiff_lab.jupyter.notebooks import installed_notebooks
from autodiff_lab.lessons.checks.course import lessons
from autodiff_lab.lessons.order import SLUGS, file_name, number_of


def list_lectures() -> dict[str, Path]:
    """List the lectures that come with the tutorial, by name.

    >>> list(list_lectures())
    ['40_minutes', '90_minutes']
    """
    return {
        path.stem: path for path in sorted((installed_notebooks() / "lectures").glob("*.ipynb"))
    }


def find_notebook(name: str) -> Path:
    """Find a notebook by the name of a lecture, by the slug or number of a lesson, or by its path.

    Raises
    ------
    LectureError
        If there is none; the message lists the lectures and the lessons.

    >>> find_notebook("40_minutes").name
    '40_minutes.ipynb'
    >>> find_notebook("4").name
    '04_adjoint_flow.ipynb'
    """
    if name.endswith(".ipynb"):
        path = Path(name)
        if not path.is_file():
            raise LectureError(f"there is no notebook {path}")
        return path
    lectures = list_lectures()
    if name in lectures:
        return lectures[name]
    slugs = {number_of(slug): slug for slug in SLUGS}
    slug = slugs.get(name.zfill(2), name)
    if slug in SLUGS:
        return installed_notebooks() / file_name(slug)
    known = "\n".join(f"  {number}  {slug}" for number, slug in slugs.items())
    raise LectureError(
        f"there is no lecture or lesson {name}. Lectures are {', '.join(lectures)}. Lessons are:\n{known}\n"
        "Or name a notebook of your own: mine.ipynb"
    )


def read_lecture(path: Path) -> Any:
    """Read a notebook as a lecturer shows it: after each exercise of a lesson, notes with its answers and mistakes.

    Raises
    ------
    LectureError
        If it cannot be read as a notebook.
    """
    notebook = read_notebook(path)
    for lesson in lessons():
        if path.stem == f"{lesson.number}_{lesson.slug}":
            return add_exercise_notes(notebook, lesson.exercises())
    return notebook


def write_lecture(name: str, folder: Path, *, overwrite: bool = False) -> list[Path]:
    """Write the slides of a lecture, its handout and the audience's notebook, if it has them; return the files' paths.

    Parameters
    ----------
    name : str
        A lecture, such as ``"40_minutes"``; a lesson's number or slug; or the path of a notebook.
    folder : Path
        The folder to write into; it is created if it doesn't exist.
    overwrite : bool
        Whether existing files may be replaced.

    Raises
    ------
    LectureError
        If there is no such notebook, or it cannot be read.
    FileExistsError
        If one of the files exists already (without `overwrite`), or the folder is a file.
    """
    path = find_notebook(name)
    notebook = read_lecture(path)
    pages = {f"{path.stem}.html": export_slides(notebook, path)}
    if has_handout(notebook):
        pages[f"{path.stem}.handout.html"] = make_handout(notebook)
    gaps = make_audience_notebook(notebook)
    if gaps.cells:
        pages[f"{path.stem}.audience.ipynb"] = nbformat.writes(gaps) + "\n"
    return _write_pages(folder, pages, overwrite)


def make_audience_notebook(notebook: Any) -> Any:
    """Make the notebook in which the audience fills in gaps: the cells with the tag ``audience``, without outputs.

    >>> cell = nbformat.v4.new_code_cell("def sin(a): ...", metadata={"tags": ["audience"]})
    >>> gaps = make_audience_notebook(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(), cell]))
    >>> [cell.source for cell in gaps.cells]
    ['def sin(a): ...']
    """
    metadata = {}
    if "kernelspec" in notebook.metadata:
        metadata["kernelspec"] = notebook.metadata["kernelspec"]
    gaps = nbformat.v4.new_notebook(metadata=metadata)
    for cell in notebook.cells:
        if "audience" not in cell.metadata.get("tags", []):
            continue
        if cell.cell_type == "code":
            gap = nbformat.v4.new_code_cell(cell.source, id=cell.id)
        else:
            gap = nbformat.v4.new_markdown_cell(cell.source, id=cell.id)
        gaps.cells.append(gap)
    return gaps


def _write_pages(folder: Path, pages: dict[str, str], overwrite: bool) -> list[Path]:
    if folder.exists() and not folder.is_dir():
        raise FileExistsError(f"{folder} is a file; name a folder with --out")
    existing = [folder / name for name in pages if (folder / name).exists()]
    if existing and not overwrite:
        raise FileExistsError(
            f"{existing[0]} exists already; name another folder with --out, or add --overwrite"
        )
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in pages]
