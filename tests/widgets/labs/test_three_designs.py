"""ThreeDesigns: what each design keeps and can do, as the lab shows it, against the designs themselves."""

from __future__ import annotations

import html
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autodiff_lab.engine.dispatch import TABLE
from autodiff_lab.lessons.examples.expressions import ExpressionError, parse_expression
from autodiff_lab.systems.designs import DESIGNS, entry_views
from autodiff_lab.transforms.gradients import grad
from autodiff_lab.transforms.jacobians import hessian
from autodiff_lab.transforms.recording import record
from autodiff_lab.widgets.labs import ThreeDesigns
from autodiff_lab.widgets.labs.three_designs.lab import (
    COLUMNS,
    LOOK_INTO_THE_ARRAY,
    OWN,
    PROGRAMS,
    ROOM,
    WIDTH,
)

each_program = pytest.mark.parametrize("program", PROGRAMS)


def pressed(*names, **settings):
    lab = ThreeDesigns()
    lab.set(**settings)
    for name in names:
        assert lab.can(name), name
        lab.press(name)
    return lab


def columns(lab):
    return {column["design"]: column for column in lab.snapshot()["columns"]}


@each_program
def test_the_gradients_are_the_same_in_every_design(program):
    lab = pressed("sweep", program=program)
    right = grad(parse_expression(program, ("x", "y")), argnums=(0, 1))(lab.x, lab.y)
    for column in columns(lab).values():
        assert column["gradient"] == pytest.approx(right, rel=1e-13)
        assert column["verdict"] == ""
    assert "Every design gives the gradient" in lab.sentence()


def test_writing_changes_a_replay_unless_it_copies_or_checks():
    found = columns(pressed("write", "sweep"))
    assert {name: column["verdict"] for name, column in found.items()} == {
        "partials": "survives",
        "closures": "changes",
        "operations": "changes",
        "operations, inputs copied": "survives",
        "operations, inputs checked": "raises",
    }
    assert found["partials"]["gradient"] == pytest.approx((0.010007503399554585, 3.0))
    assert found["closures"]["gradient"] == found["operations"]["gradient"] == (1.0, 0.0)
    assert found["operations, inputs checked"]["gradient"] == ()


def test_only_closures_and_operations_have_second_derivatives():
    lab = pressed("again", program=PROGRAMS[1], x=2.0, y=4.0)
    right = hessian(parse_expression(PROGRAMS[1], ("x", "y")), argnums=(0, 1))(2.0, 4.0)
    for name, column in columns(lab).items():
        if name == "partials":
            assert column["again"]["verdict"] == "no"
            assert "'float' object has no attribute 'backprop'" in lab.sentence()
            assert "has no" in lab.picture()
        else:
            assert np.allclose(column["again"]["numbers"], right)


def test_new_inputs_are_for_operations_only():
    lab = pressed("replay")
    right = float(parse_expression(PROGRAMS[0], ("x", "y"))(3.5, 1.5))
    assert {name: column["replay"]["verdict"] for name, column in columns(lab).items()} == {
        "partials": "no",
        "closures": "no",
        "operations": "yes",
        "operations, inputs copied": "yes",
        "operations, inputs checked": "yes",
    }
    assert columns(lab)["operations"]["replay"]["numbers"] == pytest.approx((right,))
    assert "the old value" in lab.picture() and "at (3.5, 1.5)" in lab.picture()


def test_one_press_after_opening_shows_what_is_overwritten():
    lab = ThreeDesigns()
    assert [column["numbers"] for column in lab.snapshot()["columns"][:3]] == [5, 2, 5]
    lab.press("write")
    changed = {
        name: any(p["changed"] for k in c["ledger"] for p in k) for name, c in columns(lab).items()
    }
    assert (changed["partials"], changed["closures"], changed["operations"]) == (False, True, True)


def test_the_saved_picture_shows_where_the_designs_differ():
    lab = ThreeDesigns()
    lab.set(expression="x * exp(y)", x=2.0)
    still = lab.still()
    assert (still.snapshot()["program"], still.x) == ("x * exp(y)", 2.0)
    assert [column["verdict"] for column in still.snapshot()["columns"][:2]] == [
        "survives",
        "changes",
    ]
    assert "·" not in str(still.table()), "every trial was made"


def test_the_ledger_fills_one_operation_at_a_time():
    lab = ThreeDesigns()
    counts = []
    for _ in range(3):
        lab.press("step")
        counts.append([column["numbers"] for column in lab.snapshot()["columns"][:3]])
    assert counts == [[1, 1, 2], [3, 2, 4], [5, 2, 5]]
    assert [column["closures"] for column in lab.snapshot()["columns"]] == [0, 3, 0, 0, 0]
    assert lab.can("sweep")
    lab.press("step")
    assert [column["numbers"] for column in columns(lab).values()][:3] == [1, 1, 2], (
        "after the last, the first again"
    )


@each_program
def test_a_whole_ledger_has_as_many_numbers_as_the_comparison(program):
    lab = pressed(program=program)
    assert [c["numbers"] for c in lab.snapshot()["columns"]] == [
        c.numbers for c in lab.comparison.columns
    ]


@each_program
def test_each_number_is_written_out_where_it_is_kept_first(program):
    """So the numbers that one can count in a column are those of the row "numbers kept"."""
    for column in pressed(program=program).snapshot()["columns"]:
        assert sum(part["new"] for kept in column["ledger"] for part in kept) == column["numbers"]
    picture = html.unescape(pressed().picture())
    assert [
        picture.count(f">{written}<") for written in ("λ: x = 3", "λ: x, y = 1", "λ: x = 3, y = 1")
    ] == [1, 1, 0]


def test_no_design_is_the_cheapest_for_every_program():
    """Storing partials costs most for sums and least for a hypotenuse."""
    kept = {
        program: [
            column["numbers"] for column in pressed(program=program).snapshot()["columns"][:3]
        ]
        for program in ("x + y + x + y", "hypot(x, y)")
    }
    assert kept == {"x + y + x + y": [6, 0, 5], "hypot(x, y)": [2, 3, 3]}


def test_two_constants_are_two_numbers():
    lab = ThreeDesigns()
    lab.set(expression="2 * x + 3 * x + 2 * y")
    assert columns(lab)["closures"]["numbers"] == 2


def test_one_design_uses_rules_while_running_others_sweeping():
    lab = pressed("step", "step")
    assert [column["rules"] for column in lab.snapshot()["columns"]] == [3, 0, 0, 0, 0]
    lab = pressed("sweep")
    assert [column["rules"] for column in lab.snapshot()["columns"]] == [5, 5, 5, 5, 5]


def test_the_designs_really_use_their_rules_at_these_times(monkeypatch):
    """`arctan2` has two operands; its rules are watched."""
    used = []
    op = TABLE[np.arctan2]
    watched = [
        lambda *args, k=k, rule=rule: used.append(k) or rule(*args)
        for k, rule in enumerate(op.rules)
    ]
    for name in ("rules", "partials"):
        monkeypatch.setattr(op, name, tuple(watched))
    for name in ("partials", "closures", "operations"):
        used.clear()
        run = DESIGNS[name](np.arctan2, entry_views(np.array([3.0, 1.0])))
        while_running = len(used)
        used.clear()
        run.gradient()
        assert (while_running, len(used)) == ((2, 0) if name == "partials" else (0, 2))


@each_program
def test_columns_after_writing_hold_what_the_designs_hold(program):
    lab = pressed("write", program=program)
    f = parse_expression(program, ("x", "y"))
    at = np.array([lab.x, lab.y])
    runs = {name: design(f, entry_views(at)) for name, design in DESIGNS.items()}
    _, tape = record(f, *at.tolist())
    at[:] = 0.0
    for name in (
        "partials",
        "operations",
        "operations, inputs copied",
        "operations, inputs checked",
    ):
        held = [[(label, float(x)) for label, x in kept] for kept in runs[name].list_stored(tape)]
        shown = [
            [(part["name"], part["number"]) for part in kept]
            for kept in columns(lab)[name]["ledger"]
        ]
        assert held == shown, name
    held = runs["closures"].inputs
    assert [float(x.value) for x in held] == [0.0, 0.0]
    for name, column in columns(lab).items():
        changed = any(part["changed"] for kept in column["ledger"] for part in kept)
        assert not changed or name in LOOK_INTO_THE_ARRAY


def test_writing_wipes_out_a_sweep_and_ends_the_other_trials():
    lab = pressed("sweep", "write")
    assert columns(lab)["partials"]["gradient"] is None
    assert (
        lab.can("sweep") and not lab.can("again") and not lab.can("replay") and not lab.can("write")
    )
    assert lab.snapshot()["inputs"] == (0.0, 0.0)
    lab.press("begin")
    assert lab.snapshot()["inputs"] == (3.0, 1.0) and lab.snapshot()["steps"] == 3
    assert not lab.can("begin")


def test_another_program_or_another_input_begins_anew():
    for change in ({"program": PROGRAMS[2]}, {"x": 2.0}, {"y": 2.0}, {"expression": "x * y"}):
        lab = pressed("sweep")
        lab.set(**change)
        snap = lab.snapshot()
        assert (
            snap["steps"] == len(snap["operations"])
            and columns(lab)["partials"]["gradient"] is None
        )


def test_one_may_type_a_program():
    lab = ThreeDesigns()
    lab.set(expression="np.exp(x)^2 / -y")
    assert (lab.program, lab.snapshot()["program"]) == (OWN, "np.exp(x)^2 / -y")
    lab.press("sweep")
    assert columns(lab)["closures"]["gradient"] == pytest.approx((-2 * np.exp(6), np.exp(6)))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not an expression"),
        ("sin(x", "is not an expression"),
        ("x if y else 1", "not supported here"),
        ("__import__('os')", "not a function that has a derivative rule"),
        ("x.__class__", "not supported here"),
        ("z + 1", "Use x, y, numbers"),
        ("hypot(x)", "takes 2 operands, and you gave 1"),
        ("sin(x, y)", "takes 1 operand, and you gave 2"),
        ("3", "not computed from its inputs"),
        ("x", "This expression has 0 operations"),
        (
            "+".join("x" * 9),
            f"This expression has 8 operations, and the lab records from 1 to {ROOM}",
        ),
    ],
)
def test_what_it_cannot_record_is_said_and_changes_nothing(text, said):
    lab = pressed("step")
    lab.set(expression=text)
    assert said in lab.sentence()
    assert lab.snapshot()["steps"] == 1 and lab.program == PROGRAMS[0]


@given(st.text(st.sampled_from("xy()+-*/.019e, sinlogexp^"), max_size=14))
@settings(max_examples=150, deadline=None)
def test_whatever_is_typed_is_a_program_or_a_sentence(text):
    lab = ThreeDesigns()
    lab.set(expression=text)
    assert lab.sentence() and lab.picture()
    try:
        f = parse_expression(text, ("x", "y"))
    except ExpressionError:
        assert lab.snapshot()["refused"]
    else:
        with np.errstate(all="ignore"):
            assert np.ndim(f(3.0, 1.0)) == 0


def test_every_state_fits_its_columns():
    """A character of size 14 is 7 units wide, on the average."""
    edges = [*(left for left, _ in COLUMNS), WIDTH]
    for program in (*PROGRAMS, "exp(x + y)", "-12345.678 * exp(x) / log(y)"):
        asked = {"program": program} if program in PROGRAMS else {"expression": program}
        lab = pressed("sweep", "again", "replay", "write", "sweep", x=0.25, y=3.75, **asked)
        for x, text in re.findall(
            r'<text x="([\d.]+)"[^>]*font-size="14"[^>]*>([^<]*)</text>', lab.picture()
        ):
            edge = next(edge for edge in edges if float(x) < edge)
            assert float(x) + 7 * len(html.unescape(text)) <= edge, (program, text)
