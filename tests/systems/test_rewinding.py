"""How a gradient tape is rewound: once or several times, in which order, and what stays in memory."""

from __future__ import annotations

import gc
import math
import weakref
from typing import Any

import numpy as np
import pytest

import autodiff_lab as ad
from autodiff_lab.engine.errors import ReleasedError
from autodiff_lab.engine.levels import open_levels
from autodiff_lab.systems.gradient_tape import GradientTape, Tensor, Variable

from .tapes import plain

# One rewinding, or several


def test_a_second_gradient_needs_a_persistent_tape() -> None:
    x = Variable(3.0)
    with GradientTape() as tape:
        y = x * x
    assert plain(tape.gradient(y, x)) == 6.0
    for again in (tape.gradient, tape.jacobian, tape.sweep):
        with pytest.raises(
            ReleasedError,
            match=r"already computed a gradient.*gradient\(target, \[x, y\]\).*persistent=True",
        ):
            again(y, x)


def test_what_is_refused_does_not_spend_the_tape() -> None:
    x = Variable(3.0)
    with GradientTape() as tape:
        y = x * x
    for wrong in (
        lambda: tape.gradient(y, "x"),
        lambda: tape.gradient(y, x, output_gradients=np.ones(2)),
        lambda: tape.gradient(y, x, unconnected_gradients="zeros"),
    ):
        with pytest.raises(ad.AutodiffError):
            wrong()
    assert plain(tape.gradient(y, x)) == 6.0


def test_gradients_do_not_accumulate() -> None:
    x = Variable(3.0)
    with GradientTape(persistent=True) as tape:
        y = x * x
    assert [plain(tape.gradient(y, x)) for _ in range(3)] == [6.0] * 3


def test_a_tape_used_again_starts_anew() -> None:
    x = Variable(3.0)
    tape = GradientTape()
    for _ in range(2):
        with tape:
            y = x * x
        assert plain(tape.gradient(y, x)) == 6.0


def test_reset() -> None:
    x = Variable(3.0)
    with GradientTape() as tape:
        first = x * x
        tape.reset()
        second = 2 * x
    assert tape.watched_variables() == (x,)
    assert plain(tape.gradient([first, second], x)) == 2.0


def test_inside_the_block_a_gradient_ends_the_recording() -> None:
    x = Variable(3.0)
    with GradientTape() as tape:
        y = x * x
        gradient = tape.gradient(y, x)
        assert open_levels == []
        gradient * x
    assert plain(gradient) == 6.0
    assert tape.records == {}
    with GradientTape() as tape:
        y = x * x
        with tape.stop_recording():
            tape.gradient(y, x)
        assert not tape.open


def test_a_persistent_tape_in_its_block_records_its_gradient() -> None:
    x = Variable(3.0)
    with GradientTape(persistent=True) as tape:
        y = x**3
        first = tape.gradient(y, x)
        with tape.stop_recording():
            quietly = tape.gradient(y, x)
    assert plain([first, tape.gradient(first, x), tape.gradient(quietly, x)]) == [27.0, 18.0, None]


def test_an_exception_closes_the_tape() -> None:
    x = Variable(3.0)
    tape = GradientTape()
    with pytest.raises(ZeroDivisionError), tape:
        y = x * x
        raise ZeroDivisionError
    assert plain(tape.gradient(y, x)) == 6.0


# How it is rewound


def diamond() -> tuple[GradientTape, Tensor, Variable]:
    """a = x·x, b = sin a, c = cos a, d = b·c, and two records that lead nowhere."""
    x, other = Variable(0.5, name="x"), Variable(2.0, name="other")
    with GradientTape(persistent=True) as tape:
        a = x * 1.0
        b, c = np.sin(a), np.cos(a)
        np.exp(a)
        d = b * c + other**2
    return tape, d, x


def test_missing_counts_of_the_diamond() -> None:
    tape, d, x = diamond()
    start, *steps = tape.sweep(d, x).steps()
    assert str(tape).splitlines()[:5] == [
        "v1 = read(x) = 0.5",
        "v2 = v1 * 1.0 = 0.5",
        "v3 = sin(v2) = 0.479425538604203",
        "v4 = cos(v2) = 0.8775825618903728",
        "v5 = exp(v2) = 1.6487212707001282",
    ]
    assert start.missing == {"x": 1, "v1": 1, "v2": 2, "v3": 1, "v4": 1, "v6": 1}
    assert start.place is None and start.ready == (8,)
    assert [s.operation for s in steps] == ["add", "multiply", "cos", "sin", "multiply", "read"]
    assert [s.missing for s in steps] == [
        {"v6": 0},
        {"v3": 0, "v4": 0},
        {"v2": 1},
        {"v2": 0},
        {"v1": 0},
        {"x": 0},
    ]
    assert [s.ready for s in steps] == [(5,), (2, 3), (), (1,), (0,), ()]
    assert steps[-1].sent == (("x", steps[-1].adjoint),)
    assert all(type(s.adjoint) is np.float64 for s in steps)
    assert steps[-1].adjoint == pytest.approx(math.cos(1.0), rel=1e-14)


def test_a_sweep_shows_its_state_between_steps() -> None:
    tape, d, x = diamond()
    sweep = tape.sweep(d, x)
    steps = sweep.steps()
    assert len(sweep.records) == 6
    next(steps), next(steps), next(steps)
    assert sweep.ready == [2, 3] and len(sweep.adjoints) == 2
    for _ in steps:
        pass
    assert (
        list(sweep.adjoints) == [x.number] and not sweep.records and not any(sweep.missing.values())
    )


def test_gradient_runs_the_same_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    from autodiff_lab.systems.rewinding import Sweep

    ran = []
    steps = Sweep.steps

    def watched(self: Sweep) -> Any:
        for step in steps(self):
            ran.append(step.operation)
            yield step

    monkeypatch.setattr(Sweep, "steps", watched)
    tape, d, x = diamond()
    tape.gradient(d, x)
    assert ran == ["", "add", "multiply", "cos", "sin", "multiply", "read"]


def test_a_record_waits_for_all_uses_of_its_result() -> None:
    """Depth first without counts would send an incomplete adjoint through the first of two uses."""
    x = Variable(3.0)
    with GradientTape() as tape:
        a = x * x
        b = a + a
        c = b * a
    assert plain(tape.gradient(c, x)) == 2 * 4 * 27.0


def test_names_do_not_collide() -> None:
    a, b, c = Variable(2.0, name="w"), Variable(3.0, name="w"), Variable(5.0, name="v1")
    with GradientTape(persistent=True) as tape:
        y = a * b * c
    start = next(tape.sweep(y, [a, b, c]).steps())
    assert {"w", "w′", "v1′"} <= start.missing.keys()
    assert plain(tape.gradient(y, [a, b, c])) == [15.0, 10.0, 6.0]


@pytest.mark.parametrize("persistent", [False, True])
def test_a_record_is_dropped_when_it_has_been_rewound(persistent: bool) -> None:
    gc.collect()
    gc.disable()
    try:
        x = Variable(np.ones(3))
        with GradientTape(persistent=persistent) as tape:
            y = np.sum(np.exp(np.sin(x)))
            np.cos(x)  # leads nowhere
        records = {r.op.name: weakref.ref(r) for r in tape.records.values() if r.op.name != "read"}
        results = {name: weakref.ref(ref().result) for name, ref in records.items()}

        def alive() -> set[str]:
            names = {name for name, ref in records.items() if ref() is not None}
            # `y` is held here
            assert {name for name, ref in results.items() if ref() is not None} == names | {"sum"}
            return names

        everything = {"sin", "exp", "sum", "cos"}
        seen = [alive()]
        sweep = tape.sweep(y, x)
        for _ in sweep.steps():
            seen.append(alive())
        seen.append(alive())
        if persistent:
            assert all(names == everything for names in seen)
        else:
            ways = [everything, {"sin", "exp", "sum"}, {"sin", "exp"}, {"sin"}, set(), set(), set()]
            assert seen == ways
    finally:
        gc.enable()


def test_long_programs_need_no_stack() -> None:
    x = Variable(1.0)
    with GradientTape() as tape:
        y = x
        for _ in range(5000):
            y = y + 1e-4 * y
    assert tape.gradient(y, x).numpy() == pytest.approx(1.0001**5000, rel=1e-10)
