"""The line of arithmetic of each step, in the learner's names."""

import itertools
import unicodedata

import numpy as np
import pytest

from autodiff_lab import Trace
from autodiff_lab.trace.faulty_engines import FAULTS
from autodiff_lab.trace.model.equation import KINDS

from .test_model import FUNCTIONS


def lines_of(f, *args, **options):
    """What is said, a letter with a bar being one character."""
    return [
        unicodedata.normalize("NFC", step.arithmetic.text)
        for step in Trace.of(f, *args, **options).steps
    ]


def test_the_example(example_trace):
    assert [step.arithmetic.text for step in example_trace.steps] == [
        "x1 = 2",
        "x2 = 5",
        "a = log x1 = log 2 = 0.6931",
        "b = x1 · x2 = 2 · 5 = 10",
        "s = a + b = 0.6931 + 10 = 10.6931",
        "c = sin x2 = sin 5 = −0.9589",
        "y = s − c = 10.6931 − (−0.9589) = 11.6521",
        "∂y/∂y = 1",
        "s: 1 × 1 = 1",
        "c: 1 × (−1) = −1",
        "x2: −1 × 0.2837 = −0.2837",
        "a: 1 × 1 = 1",
        "b: 1 × 1 = 1",
        "x1: 1 × 5 = 5",
        "x2: −0.2837 + 1 × 2 = 1.7163",
        "x1: 5 + 1 × 0.5 = 5.5",
    ]
    assert [example_trace.steps[s].arithmetic.form for s in (3, 7, 10, 14)] == [
        "n=p=v=w",
        "a=r",
        "na×p=r",
        "na+a×p=r",
    ]


def test_what_a_faulty_engine_loses_is_shown(example_function):
    trace = Trace.of(example_function, 2.0, 5.0, fault="overwrite")
    assert trace.steps[-1].arithmetic == ("na×p=rm", ("x1: ", "1", "0.5", "0.5", "  5 is lost"))


def test_forward(example_function):
    assert lines_of(example_function, 2.0, 5.0, mode="forward", direction="x1")[1:5] == [
        "x2: 5, rate 0",
        "a: log 2 = 0.6931, rate 0.5 × 1 = 0.5",
        "b: 2 · 5 = 10, rate 5 × 1 + 2 × 0 = 5",
        "s: 0.6931 + 10 = 10.6931, rate 1 × 0.5 + 1 × 5 = 5.5",
    ]
    together = lines_of(example_function, 2.0, 5.0, mode="forward", direction="all")
    assert (together[0], together[3]) == (
        "x1: 2, rates x1: 1, x2: 0",
        "b: 2 · 5 = 10, rates x1: 5, x2: 2",
    )
    many = lines_of(lambda *x: sum(x), *range(1, 7), mode="forward", direction="all")
    assert many[0] == "x[0]: 1, rates x[0]: 1, x[1]: 0, x[2]: 0, x[3]: 0…"


def layer(W, x):
    e = W @ x
    return np.sum(np.reshape(np.tanh(e), (2, 1)) * 2)


def test_arrays_say_how_a_contribution_comes_about():
    said = lines_of(layer, np.ones((2, 3)), np.arange(3.0))
    assert said[-2:] == [
        "W: outer(ē, x) = (2, 3) min 0, max 0.0395",
        "x: W.T @ ē = [0.0395 0.0395 0.0395]",
    ]
    assert "reshape" in said[-4] and said[-3].startswith("e: v̄₂ × ")
    assert said[-6] == "v₄: ȳ × 1, spread = [[1] [1]]"


def test_an_operation_that_sends_nothing():
    assert lines_of(lambda x: np.sign(x) * x, 2.0)[-1] == "v₁: nothing is sent back"


@pytest.mark.parametrize(
    "options", [{}, *({"fault": fault} for fault in FAULTS), {"mode": "forward"}]
)
@pytest.mark.parametrize(("f", "args"), FUNCTIONS)
def test_every_step_ends_in_its_number(f, args, options):
    trace = Trace.of(f, *args, **options)
    for step in trace.steps:
        form, pieces = step.arithmetic
        assert set(form) <= {*KINDS, *"=+×·"}
        assert sum(kind in KINDS for kind in form) == len(pieces)
        shown = dict(zip((kind for kind in form if kind in KINDS), pieces, strict=True))
        if step.sends:
            assert shown["r"] == step.sends[0].after.in_node
            assert shown["n"] == f"{trace.lines[step.sends[0].parent].learner_name}: "
            assert ("m" in shown) == step.sends[0].replaces
        if step.phase in ("record", "forward"):
            assert shown["w"] == trace.lines[step.line].value.in_node
        if step.tangents:
            assert shown["u"] == step.tangents[0].in_node
    assert Trace.from_json(trace.to_json()) == trace


def test_numbers_that_are_shown_add_up(example_trace):
    for step in example_trace.steps:
        for before, after in itertools.pairwise(
            step.arithmetic.text.replace("−", "-").split(" = ")
        ):
            if step.phase == "sweep":
                product = eval(before.partition(": ")[2].replace("×", "*"))
                assert product == pytest.approx(float(after), abs=1e-4)
