"""A tape at the end of a cell is its graph, with its evaluation trace beside it."""

import subprocess
import sys

import numpy as np
from IPython.core.formatters import DisplayFormatter

from autodiff_lab import record
from autodiff_lab.figures.tables.tape_display import LONGEST_TABLE

from ..example import example


def shown(tape):
    return DisplayFormatter().format(tape)[0]


def test_graph_and_trace_stand_beside_each_other():
    _, tape = record(example, 2.0, 5.0)
    html = shown(tape)["text/html"]
    assert html.index("<img") < html.index("<table")
    assert "flex-wrap" in html
    for told in ("log v₋₁", "11.6521"):
        assert told in html[html.index("<table") :]


def test_without_a_display_it_is_the_text_that_print_gives():
    _, tape = record(example, 2.0, 5.0)
    assert shown(tape)["text/plain"] == str(tape)


def test_a_long_tape_has_a_graph_and_no_table():
    _, tape = record(lambda x: sum(x * i for i in range(LONGEST_TABLE)), 2.0)
    assert "<img" in shown(tape)["text/html"] and "<table" not in shown(tape)["text/html"]


def test_arrays_a_constant_and_no_operation():
    for f, at in ((lambda W: np.sum(W @ W), np.eye(2)), (lambda x: 3.0, 1.0), (lambda x: x, 1.0)):
        assert "<img" in shown(record(f, at)[1])["text/html"]


def test_values_that_were_freed_leave_a_name():
    _, tape = record(example, 2.0, 5.0)
    tape.free_values()
    assert shown(tape) == {"text/plain": "Tape(2 inputs, 5 operations)"}


def test_nothing_that_draws_is_loaded_for_it():
    code = (
        "import sys, autodiff_lab as ad; ad.record(abs, 1.0)[1]; print('graphviz' in sys.modules)"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
        == "False\n"
    )
