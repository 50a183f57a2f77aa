"""What a learner sees of an error in a notebook: the line that was written, and the message last."""

from __future__ import annotations

import re
import traceback

import nbclient
import nbformat
import numpy as np
import pytest

from autodiff_lab import formula, grad
from autodiff_lab.engine.errors import DetachedError, UnsupportedError
from autodiff_lab.engine.tracebacks import MAX_SHOWN_LINES

START = """\
import math
import numpy as np
from autodiff_lab import formula, grad, jvp, play, program, table
def f(x1, x2):
    return np.log(x1) + x1 * x2 - np.sin(x2)
def filled(x):
    y = np.zeros(3)

    # the first entry
    y[0] = x
    return y.sum()
def deep(x, n):
    return math.sin(x) if n == 0 else deep(x, n - 1)
def halved(x):
    return x * (1 / math.floor(0.5))"""

# What is run, the learner's line where it went wrong, and how the message begins.
CELLS = {
    "an entry of an array": (
        "grad(filled)(2.0)",
        "---> 10     y[0] = x",
        "DetachedError: The float() of",
    ),
    "in a table": ("table(filled, 2.0)", "---> 10     y[0] = x", "DetachedError: The float() of"),
    "forward": (
        "jvp(filled, (2.0,), (1.0,))",
        "---> 10     y[0] = x",
        "DetachedError: The float() of",
    ),
    "a forgotten number": (
        "at = (2.0,)\nplay(f, *at)",
        "----> 2 play(f, *at)",
        "InputError: f(x1, x2) needs a number for each",
    ),
    "a forgotten number in grad": (
        "grad(f)(2.0)",
        "----> 1 grad(f)(2.0)",
        "InputError: f(x1, x2) needs a number",
    ),
    "many calls": (
        "grad(deep)(1.0, 30)",
        "---> 13     return math.sin(x)",
        "DetachedError: The float() of",
    ),
    "a long call": (
        "table(\n    deep,\n    2.0,\n    0," + 20 * "\n    # more" + "\n)",
        "---> 13     return math.sin(x)",
        "DetachedError: The float() of",
    ),
    "the learner's own error": (
        "grad(halved)(2.0)",
        "---> 15     return x * (1 / math.floor(0.5))",
        "ZeroDivisionError",
    ),
    "an option": (
        "play(f, 2.0, 5.0, scale=7)",
        "----> 1 play(f, 2.0, 5.0, scale=7)",
        "InputError: play(scale=7)",
    ),
    "a program": ("program(f)", "----> 1 program(f)", "InputError"),
    "inside of NumPy": (
        "grad(np.linalg.inv)(np.zeros((2, 2)))",
        "----> 1 grad(np.linalg.inv)",
        "LinAlgError",
    ),
    "chained": (
        "formula(lambda x: math.sin(x))",
        "----> 1 formula(lambda x",
        "UnsupportedError: <lambda> cannot be",
    ),
}
ALL_FRAMES = "%xmode Verbose\ngrad(filled)(2.0)"


@pytest.fixture(scope="module")
def shown():
    """The cells after they have been run by a kernel: what each shows of its error, without colours."""
    sources = [START, *(cell for cell, _, _ in CELLS.values()), ALL_FRAMES]
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in sources]
    )
    nbclient.NotebookClient(notebook, allow_errors=True, kernel_name="python3").execute()
    errors = [
        [output for output in cell.outputs if output.output_type == "error"]
        for cell in notebook.cells
    ]
    texts = [
        re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(found[0].traceback)) if found else ""
        for found in errors
    ]
    return dict(zip(["start", *CELLS, "all frames"], texts, strict=True))


@pytest.mark.parametrize("name", CELLS)
def test_a_traceback_ends_in_the_message_with_the_learners_line(shown, name):
    _, line, message = CELLS[name]
    lines = shown[name].splitlines()
    assert len(lines) <= MAX_SHOWN_LINES, shown[name]
    assert line in shown[name]
    # a message may go on with the line rewritten
    told = [line for line in lines if re.match(r"\w+Error\b", line)]
    assert told[-1].startswith(message)
    assert "site-packages" not in shown[name]
    assert "autodiff_lab/" not in shown[name]


def test_a_developer_can_have_all_frames(shown):
    assert "autodiff_lab/engine/levels.py" in shown["all frames"]


def filled(x):
    y = np.zeros(3)
    y[0] = x
    return y.sum()


def test_outside_of_a_notebook_nothing_is_hidden():
    with pytest.raises(DetachedError) as raised:
        grad(filled)(2.0)
    names = [step.name for step in traceback.extract_tb(raised.value.__traceback__)]
    assert names[-4:] == ["differentiate", "record_call", "run", "filled"]


def test_an_error_that_the_learner_raises_of_ours_stays_theirs():
    def careful(x):
        try:
            return float(x)
        except TypeError as error:
            raise ValueError("mine") from error

    with pytest.raises(ValueError, match=r"^mine$"):
        grad(careful)(2.0)


def test_a_formula_says_what_numpy_hides():
    with pytest.raises(UnsupportedError, match=r"np\.stack"):
        formula(filled)
