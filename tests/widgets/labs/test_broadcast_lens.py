"""BroadcastLens: adjoints of broadcast values are summed, those of sums are broadcast; and common mistakes."""

import itertools
import re

import numpy as np
import pytest

from autodiff_lab import grad
from autodiff_lab.widgets.labs import BroadcastLens
from autodiff_lab.widgets.labs.broadcast_lens.flow import AXES, OPS, OVER_AXES, SHAPES, make_values

PLUS, MINUS, TIMES = OPS
X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


def lens(turns=0, **settings):
    lab = BroadcastLens()
    lab.set(**settings)
    for _ in range(turns):
        lab.press("next")
    return lab


@pytest.mark.parametrize(
    ("settings", "gradient"),
    [
        ({"program": PLUS, "b": "(3,)"}, [10.4, 14.8, 19.2]),
        ({"program": PLUS, "b": "(2, 1)"}, [[15.0], [27.0]]),
        ({"program": TIMES, "b": "()"}, 21.0),
        ({"program": OVER_AXES, "axes": "0"}, [[10.0, 14.0, 18.0], [10.0, 14.0, 18.0]]),
    ],
    ids=["row bias", "column bias", "scalar", "sum over axis 0"],
)
def test_the_gradients_of_the_text(settings, gradient):
    snap = lens(**settings).snapshot()
    np.testing.assert_allclose(snap["gradient"], gradient, rtol=1e-14)
    assert snap["is_right"] and snap["fits"]


def every_state(wrong):
    for program, a, b, operand in itertools.product(OPS, SHAPES, SHAPES, "AB"):
        yield {"program": program, "a": a, "b": b, "operand": operand, "wrong": wrong}
    for a, axes in itertools.product(SHAPES, AXES):
        yield {"program": OVER_AXES, "a": a, "axes": axes, "wrong": wrong}


def shapes_fit(state):
    a, b, axes = SHAPES[state["a"]], SHAPES[state.get("b", "()")], AXES[state.get("axes", "all")]
    if state["program"] == OVER_AXES:
        return axes is None or max(np.atleast_1d(axes)) < len(a)
    return all(m == n or 1 in (m, n) for m, n in zip(a[::-1], b[::-1], strict=False))


def test_a_gradient_has_the_shape_of_what_it_belongs_to_always():
    seen = 0
    for state in every_state(wrong=False):
        lab = lens(**state)
        snap = lab.snapshot()
        assert bool(snap["refused"]) != shapes_fit(state), state
        if snap["refused"]:
            continue
        seen += 1
        operand = SHAPES[snap[snap["operand"].lower()]]
        assert tuple(snap["gradient_shape"]) == operand == np.shape(snap["gradient"]), state
        assert snap["fits"] and snap["is_right"], state
        found = lab.flow
        assert sorted(i for k in range(found.small.size) for i in found.places(k)) == list(
            range(found.large.size)
        )
        assert all(found.places(k) == found.places_back(k) for k in range(found.small.size)), (
            "the way back is the way out"
        )
        if found.copies:
            sums = [
                np.ravel(found.large_back)[found.places(k)].sum() for k in range(found.small.size)
            ]
            assert np.allclose(sums, np.ravel(found.truth), rtol=1e-12), (
                "copies add up to the engine's gradient"
            )
    assert seen > 150


def test_the_wrong_rule_keeps_the_shape_of_the_batch():
    snap = lens(wrong=True).snapshot()
    assert (snap["gradient_shape"], snap["operand_shape"], snap["fits"]) == ([2, 3], [3], False)
    assert snap["gradient"] == grad(lambda x: np.sum((x + make_values("B", (3,))) ** 2))(X).tolist()
    end = lens(3, wrong=True)
    assert "B − 0.1 · gradient would turn it into a (2, 3) array" in end.sentence()
    assert (make_values("B", (3,)) - 0.1 * np.array(snap["gradient"])).shape == (2, 3), (
        "as the sentence says"
    )
    assert "never added" in str(end) and "not (3,)" in end.picture()


def test_the_wrong_rule_is_right_where_nothing_was_copied():
    for shape in ("(2, 3)", "(3, 3)", "(2, 3, 3)"):
        lab = lens(18, a=shape, b=shape, wrong=True)
        assert lab.snapshot()["is_right"] and "the bug doesn't show" in lab.sentence()
    assert not lens(a="(2, 3)", b="(1, 3)", wrong=True).snapshot()["fits"]


@pytest.mark.parametrize(("a", "axes"), [("(3, 3)", "1"), ("(2, 3, 3)", "(0, 2)")])
def test_axes_put_back_wrongly_give_right_shape_wrong_numbers(a, axes):
    lab = lens(9, program=OVER_AXES, a=a, axes=axes, wrong=True)
    snap = lab.snapshot()
    assert snap["fits"] and not snap["is_right"]
    x = make_values("A", SHAPES[a])
    sums = np.sum(x, axis=AXES[axes])
    assert snap["gradient"] == np.broadcast_to(2 * sums, x.shape).tolist(), (
        "what NumPy makes of it without a word"
    )
    assert snap["truth"] == grad(lambda x: np.sum(np.sum(x, axis=AXES[axes]) ** 2))(x).tolist()
    assert (
        "Checking the shape alone doesn't reveal it" in lab.sentence()
        and "the numbers are wrong" in lab.picture()
    )


@pytest.mark.parametrize(
    ("a", "axes"), [("(2, 3)", "0"), ("(3, 3)", "0"), ("(2, 3, 3)", "(0, 1)"), ("(2, 3)", "all")]
)
def test_leading_axes_come_back_by_themselves(a, axes):
    lab = lens(9, program=OVER_AXES, a=a, axes=axes, wrong=True)
    assert lab.snapshot()["is_right"] and "the bug doesn't show" in lab.sentence()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"a": "(3, 3)", "b": "(2, 1)"}, "At the axis before the last, 3 meets 2"),
        ({"program": OVER_AXES, "a": "(3,)", "axes": "(0, 1)"}, "there is no axis 1 to sum over"),
        ({"program": OVER_AXES, "a": "()", "axes": "0"}, "it has no axis"),
        (
            {"program": OVER_AXES, "axes": "1", "wrong": True},
            "this time the wrong rule raises an error",
        ),
    ],
)
def test_what_numpy_refuses_is_told_in_words(settings, said):
    lab = lens(**settings)
    assert said in lab.sentence() and lab.snapshot()["refused"] == lab.sentence()
    assert not lab.can("next") and lab.table() is None and said[:20] in lab.picture()


def test_one_turn_after_the_other():
    lab = lens()
    said = [lab.sentence()]
    while lab.can("next"):
        lab.press("next")
        said.append(lab.sentence())
    assert said[0].startswith("B has shape (3,) and is read as (2, 3): each entry is used twice.")
    assert [text.split(": ")[1].split(" The")[0] for text in said[1:]] == [
        "2.2 + 8.2 = 10.4.",
        "4.4 + 10.4 = 14.8.",
        "6.6 + 12.6 = 19.2.",
    ]
    assert "B̄[2] = 6.6 + 12.6 = 19.2" in lab.picture()
    lab.press("back")
    assert lab.sentence() == said[2]
    lab.press("begin")
    assert lab.sentence() == said[0] and not lab.can("back")


def test_other_settings_begin_again():
    lab = lens(2)
    assert lab.snapshot()["step"] == 2
    lab.set(b="(2, 1)")
    assert lab.snapshot()["step"] == 0
    lab.press("next")
    assert lab.sentence() == "B[0, 0] was used 3 times: 3 + 5 + 7 = 15."


def test_what_the_lens_shows_without_a_kernel_is_the_end():
    assert lens().still().snapshot()["step"] == 3
    assert lens(a="(3, 3)", b="(3, 1)", operand="A").still().snapshot()["step"] == 9, (
        "other settings have all turns too"
    )
    assert lens(a="(3, 3)", b="(2, 1)").still().snapshot()["refused"]


def test_boxes_fill_their_room_and_none_leaves_the_picture():
    place = re.compile(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"')
    for a, b in itertools.product(SHAPES, SHAPES):
        if not shapes_fit({"program": PLUS, "a": a, "b": b}):
            continue
        boxes = [
            tuple(map(float, box)) for box in place.findall(lens(1, a=a, b=b, wrong=True).picture())
        ]
        assert len(boxes) >= 4 and all(
            x + wide <= 900 and y + high <= 390 for x, y, wide, high in boxes
        ), (a, b)
        assert all(wide >= 56 and high >= 24 for _, _, wide, high in boxes), (
            "a number of 14 px fits"
        )


def test_it_opens_with_the_question_and_one_press_answers_it():
    assert ">?<" in lens().picture() and ">?<" not in lens(1).picture()
    assert (
        BroadcastLens.controls[0].name == "next"
        and sum(not control.more for control in BroadcastLens.controls) == 6
    )


def test_the_shape_is_asked_before_it_is_shown():
    assert "B̄, shape ?" in lens().picture() and "✓" not in lens().picture()
    assert "B̄, shape (3,) ✓" in lens(1).picture()
