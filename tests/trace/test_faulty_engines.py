"""The faulty engines: each goes wrong where it should, by how much it should, and says so."""

import numpy as np
import pytest

from autodiff_lab import Trace, table
from autodiff_lab.engine.errors import InputError
from autodiff_lab.trace.faulty_engines import FAULTS

from .test_model import FUNCTIONS


def twice(x):
    a = x**2
    b = a**2
    c = a**2
    return b + c


def ends_at(f, *args, fault):
    return [adjoint and adjoint.value for adjoint in Trace.of(f, *args, fault=fault).gradient]


def test_overwriting_the_example(example_function):
    assert ends_at(example_function, 2.0, 5.0, fault="overwrite") == [0.5, 2.0]


@pytest.mark.parametrize(
    ("fault", "wrong"), [("overwrite", 32), ("wrong order", 32), ("recursion", 96)]
)
def test_a_square_used_twice(fault, wrong):
    trace = Trace.of(twice, 2.0, fault=fault)
    assert trace.gradient[0].value == wrong
    assert trace.truth[0].value == 64
    assert trace.steps[-1].equations[-1].text == f"∂twice/∂x = {wrong} (true: 64)"


def test_backward_twice_adds_to_what_was_left(example_function):
    assert ends_at(lambda x: x * x, 3.0, fault="stale") == [12.0]
    # v₃ and v₄ hold 2 and −2 the second time, so their parents get more than twice their due.
    assert ends_at(example_function, 2.0, 5.0, fault="stale") == pytest.approx(
        [22.0, 7.149013443610322]
    )
    trace = Trace.of(example_function, 2.0, 5.0, fault="stale")
    assert [step.phase for step in trace.steps].count("seed") == 2
    assert "called a second time" in next(s.sentence for s in trace.steps[8:] if s.phase == "seed")


@pytest.mark.parametrize("fault", ["overwrite", "wrong order", "recursion"])
def test_without_fan_out_no_harm_is_done_and_that_is_said(fault):
    trace = Trace.of(lambda x, y: np.exp(np.sin(x) * y), 0.3, 2.0, fault=fault)
    assert trace.gradient == trace.truth[:2]
    assert "the gradient is correct anyway" in trace.warning


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(("f", "args"), FUNCTIONS)
def test_the_truth_is_the_right_engine_s(f, args, fault):
    right, trace = Trace.of(f, *args), Trace.of(f, *args, fault=fault)
    assert list(trace.truth) == right.adjoints_at(len(right.steps))
    assert (trace.lines, trace.value) == (right.lines, right.value)
    assert (trace.fault, bool(trace.badge)) == (fault, True)
    assert trace.warning.startswith("This engine is faulty, on purpose. ")
    assert not right.fault and not right.truth
    assert Trace.from_json(trace.to_json()) == trace


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(("f", "args"), FUNCTIONS)
def test_every_step_says_truly_what_this_engine_does(f, args, fault):
    held = {}
    for step in Trace.of(f, *args, fault=fault).steps:
        if step.phase == "seed":
            held[step.line] = step.adjoint
        for send in step.sends:
            assert send.before == held.get(send.parent)
            held[send.parent] = send.after
            if send.after.value is not None:
                before = (
                    0.0 if send.before is None or send.replaces else np.array(send.before.value)
                )
                np.testing.assert_allclose(
                    send.after.value, before + np.array(send.contribution.value), rtol=1e-12
                )


def test_the_mistake_is_named_where_it_happens(example_function):
    def remarks(f, *args, fault):
        return [step.sentence for step in Trace.of(f, *args, fault=fault).steps]

    assert (
        "x1 now holds 0.5, instead of 5. x1: overwritten"
        in remarks(example_function, 2.0, 5.0, fault="overwrite")[-1]
    )
    early = remarks(twice, 2.0, fault="wrong order")
    assert "It sends too early: c has not contributed yet." in early[-2]
    assert "a has already sent its adjoint: this contribution never gets any further." in early[-1]
    assert "It sends its whole adjoint again" in remarks(twice, 2.0, fault="recursion")[-1]


def test_too_many_paths_are_refused():
    def doubling(x):
        for _ in range(12):
            x = x + x
        return x

    with pytest.raises(InputError, match="smaller one"):
        Trace.of(doubling, 1.0, fault="recursion")
    assert ends_at(doubling, 1.0, fault="overwrite") == [1.0]


def test_what_is_no_fault_is_named():
    with pytest.raises(
        InputError,
        match="no fault 'slow'; there are 'overwrite', 'wrong order', 'recursion', 'stale'",
    ):
        Trace.of(twice, 2.0, fault="slow")
    with pytest.raises(InputError, match="run in reverse mode only"):
        Trace.of(twice, 2.0, mode="forward", fault="stale")


@pytest.mark.parametrize("layout", ["stacked", "beside"])
def test_a_table_of_a_faulty_run_says_that_it_is_faulty(layout):
    faulty = Trace.of(lambda x: x * x + x, 3.0, fault="overwrite")
    assert faulty.warning and faulty.warning in table(faulty, layout=layout).text()
    assert table(lambda x: x * x + x, 3.0, layout=layout).note == ""
