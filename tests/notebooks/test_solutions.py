"""A learner who answers everything well: the whole notebook, run with the reference answers."""

import re

import nbformat
import pytest
from jupyter_client.manager import KernelManager

from .normalise import execute
from .reading import (
    NOTEBOOKS,
    fill_answers,
    lessons,
    named,
    read,
    shown,
    tags,
    without_still_pictures,
)

LESSONS = dict(lessons())
ANEW = """\
import sys
for name in [name for name in sys.modules if name.partition(".")[0] == "autodiff_lab"]:
    del sys.modules[name]
%reset -f"""


@pytest.fixture(scope="module")
def kernel():
    """One for all notebooks, as starting it takes longer than most of them; each loads the package anew."""
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(cwd=str(NOTEBOOKS[0].parent))
    yield manager
    manager.shutdown_kernel(now=True)


@pytest.mark.parametrize("number", LESSONS)
def test_every_exercise_passes_with_its_reference_answer(number, kernel):
    notebook = fill_answers(read(named(number)), LESSONS[number])
    notebook.cells = without_still_pictures(notebook.cells)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(ANEW))
    solved = execute(notebook, kernel=kernel)
    reports = [shown(cell) for cell in solved.cells if "exercise" in tags(cell)]
    assert len(reports) == len(LESSONS[number])
    assert all(report.startswith("✓ ") for report in reports), "\n".join(reports)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_committed_notebook_is_unanswered(path):
    cells = [cell for cell in read(path).cells if "exercise" in tags(cell)]
    for cell in cells:
        assert shown(cell).startswith("… "), f"cell {cell.id} shows {shown(cell)!r}"
    asked = re.findall(r"^check\.(\w+)\(", "\n".join(cell.source for cell in cells), flags=re.M)
    assert asked == list(LESSONS.get(path.stem[3:], {})), (
        "each exercise once, in the order of the lesson"
    )
