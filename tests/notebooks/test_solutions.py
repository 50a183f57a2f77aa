"""A learner who answers everything well: the whole notebook, run with the reference answers."""

import dis
import re
from types import CodeType

import nbformat
import pytest
from jupyter_client.manager import KernelManager

from .normalise import execute
from .reading import NOTEBOOKS, answered, lessons, named, read, shown, tags

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


def without_still_pictures(cells):
    """Leave out what looks the same whatever a learner answers, as the notebooks' own test runs it.

    That is a cell whose output is not compared and in which no name comes from an exercise, not even by way of another
    cell; and no later cell needs what it binds.
    """
    theirs, of_a_learner = set(), []
    for cell in cells:
        bound, used = names(cell)
        of_a_learner.append("exercise" in tags(cell) or bool(used & theirs))
        theirs = theirs | bound if of_a_learner[-1] else theirs - bound
    needed, kept = set(), []
    for cell, his in zip(reversed(cells), reversed(of_a_learner), strict=True):
        bound, used = names(cell)
        if his or "nbval-ignore-output" not in tags(cell) or bound & needed:
            needed = (needed - bound) | used
            kept.insert(0, cell)
    return kept


def names(cell):
    """The notebook's names that a cell binds, and those that it uses as it finds them."""
    bound, used = set(), set()
    source = re.sub(r"^[%!].*", "", cell.source, flags=re.M) if cell.cell_type == "code" else ""
    codes = [compile(source, cell.id, "exec")]
    for code in codes:
        for step in dis.get_instructions(code):
            if step.opname in ("STORE_NAME", "STORE_GLOBAL"):
                bound.add(step.argval)
            elif step.opname in ("LOAD_NAME", "LOAD_GLOBAL") and step.argval not in bound:
                used.add(step.argval)
        codes += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return bound, used


@pytest.mark.parametrize("number", LESSONS)
def test_every_exercise_passes_with_its_reference_answer(number, kernel):
    notebook = answered(read(named(number)), LESSONS[number])
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
    assert asked == list(LESSONS.get(path.stem[:2], {})), "each exercise once, in the order of the lesson"
