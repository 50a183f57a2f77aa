"""TapeWatch: the cases of TensorFlow's guide, in the program that is shown; and what would help where there is None."""

import html
import itertools
import re

import numpy as np
import pytest

from autodiff_lab.systems import gradient_tape
from autodiff_lab.widgets.labs import TapeWatch
from autodiff_lab.widgets.labs.tape_watch.programs import (
    KINDS,
    PAUSES,
    PROGRAMS,
    Settings,
    write_program,
)

SQUARES, BESIDE, TWICE, TARGETS, PRODUCT = PROGRAMS
VARIABLES = {"x_is": "a Variable", "y_is": "a Variable"}


def rewound(times=1, **settings):
    lab = TapeWatch()
    lab.set(**VARIABLES | settings)
    for _ in range(times):
        lab.press("rewind")
    return lab.snapshot()


@pytest.mark.parametrize(
    ("settings", "slopes"),
    [
        ({}, {"x": 4.0, "y": 6.0}),
        ({"pause": PAUSES[2]}, {"x": 4.0, "y": None}),
        ({"program": BESIDE}, {"x": None, "y": 6.0}),
        ({"program": BESIDE, "zeros": True}, {"x": 0.0, "y": 6.0}),
        (
            {"program": TWICE, "x": 3.0, "x_is": "a constant", "watch_x": True},
            {"m": 18.0, "x": 108.0, "y": None},
        ),
        ({"program": TARGETS}, {"x": 3.75, "y": None}),
        ({"x_is": "a constant"}, {"x": None, "y": 6.0}),
        ({"x_is": "a fixed Variable"}, {"x": None, "y": 6.0}),
        ({"x_is": "a fixed Variable", "watch_x": True}, {"x": 4.0, "y": 6.0}),
        ({"accessed": False, "watch_y": True}, {"x": None, "y": 6.0}),
        ({"numpy_x": True}, {"x": None, "y": 6.0}),
        ({"numpy_x": True, "watch_x": True}, {"x": None, "y": 6.0}),
        ({"program": TWICE, "x": 3.0, "pause": PAUSES[1]}, {"m": None, "x": None, "y": None}),
        ({"pause": PAUSES[3]}, {"x": None, "y": None}),
    ],
    ids=str,
)
def test_the_truth_table(settings, slopes):
    assert rewound(**settings)["slopes"] == slopes


def test_nothing_but_numbers_is_refused_in_words():
    snap = rewound(numpy_x=True, numpy_y=True)
    assert snap["slopes"] is None and snap["records"] == []
    assert snap["refused"].startswith("InputError: target is 13.0")


def test_a_tape_is_rewound_once_unless_it_is_persistent():
    snap = rewound(times=2)
    assert snap["refused"].startswith("ReleasedError") and snap["slopes"] is None
    assert rewound(times=2, persistent=True)["slopes"] == {"x": 4.0, "y": 6.0}


def test_what_is_kept():
    assert [rewound(times=times)["kept"] for times in (0, 1, 2)] == [5, 0, 0]
    assert [rewound(times=times, persistent=True)["kept"] for times in (0, 1, 2)] == [5, 5, 5]


def test_another_setting_is_another_tape():
    lab = TapeWatch()
    lab.press("rewind")
    lab.set(x=4)
    assert lab.snapshot()["asked"] == 0 and not lab.can("begin")
    for _ in range(3):
        lab.press("rewind")
    assert lab.snapshot()["asked"] == 2 and not lab.can("rewind")
    lab.press("begin")
    assert lab.snapshot()["asked"] == 0


def test_the_records_and_the_marks_are_those_of_the_tape():
    snap = rewound(times=0, pause=PAUSES[2], numpy_x=True)
    assert snap["records"] == []
    snap = rewound(times=0, pause=PAUSES[2])
    assert snap["records"] == ["v1 = read(x) = 2.0", "v2 = v1 ** 2 = 4.0", "v3 = v2 + 9.0 = 13.0"]
    assert [mark for _, mark in snap["source"] if mark] == ["v2", "not recorded", "v3"]
    assert "a plain number" in dict(map(reversed, rewound(numpy_y=True)["source"]))


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pause", [PAUSES[0], PAUSES[2]])
def test_the_text_is_the_program(program, kind, pause):
    """Whoever copies what is shown gets what is shown."""
    for flags in itertools.product((False, True), repeat=4):
        at = Settings(program, 2.0, 3.0, kind, "a Variable", *flags, pause)
        lab = TapeWatch()
        lab.set(**vars(at))
        lab.press("rewind")
        scope = {**vars(gradient_tape), "np": np}
        *before, last = "\n".join(write_program(at)).partition("tape.gradient")
        exec(before[0], scope)
        try:
            found = [None if g is None else g.numpy() for g in eval("tape.gradient" + last, scope)]
        except gradient_tape.InputError as error:
            assert str(error) in lab.snapshot()["refused"]
        else:
            assert list(lab.snapshot()["slopes"].values()) == found


@pytest.mark.parametrize(
    ("settings", "remedies"),
    [
        ({}, {}),
        ({"x_is": "a constant"}, {"x": ["watch x", "make x a trainable Variable"]}),
        ({"numpy_x": True}, {"x": ["keep x out of NumPy"]}),
        ({"numpy_x": True, "watch_x": True}, {"x": ["keep x out of NumPy"]}),
        ({"pause": PAUSES[1]}, {"x": ["do not stop recording"]}),
        ({"program": BESIDE, "x_is": "a constant"}, {"x": []}),
        ({"accessed": False, "watch_y": True}, {"x": ["watch x", "let the tape watch what is read"]}),
        ({"x_is": "a constant", "pause": PAUSES[1]},
         {"x": ["watch x and do not stop recording", "make x a trainable Variable and do not stop recording"]}),
    ],
    ids=str,
)  # fmt: skip
def test_the_least_that_would_help(settings, remedies):
    assert rewound(**settings)["remedies"] == remedies


def test_without_a_kernel_it_is_rewound():
    still = TapeWatch().still()
    assert still.snapshot()["slopes"] == {"x": 4.0, "y": None}
    assert "watched" in str(still) and "What would help: watch y" in still.sentence()
    other = TapeWatch()
    other.set(**VARIABLES)
    assert other.still().snapshot()["slopes"] == {"x": 4.0, "y": 6.0}, "with other settings too"


def test_one_press_shows_a_lost_slope_and_its_remedy():
    lab = TapeWatch()
    lab.press("rewind")
    assert lab.snapshot()["slopes"] == {"x": 4.0, "y": None}
    assert lab.snapshot()["remedies"] == {"y": ["watch y", "make y a trainable Variable"]}
    for remedy in ({"watch_y": True}, {"y_is": "a Variable"}):
        lab = TapeWatch()
        lab.set(**remedy)
        lab.press("rewind")
        assert lab.snapshot()["slopes"] == {"x": 4.0, "y": 6.0}


def test_the_longest_program_and_tape_have_room_in_the_picture():
    lab = TapeWatch()
    for program, kind, pause in itertools.product(PROGRAMS, KINDS, PAUSES):
        lab.set(program=program, x_is=kind, y_is=kind, pause=pause, watch_x=True, watch_y=True)
        lab.set(accessed=False, persistent=True, zeros=True)
        assert len(lab.snapshot()["source"]) <= 12
        lab.set(accessed=True)
        assert len(lab.snapshot()["records"]) <= 6
        codes = [
            html.unescape(text)
            for text in re.findall(r"<tspan[^>]*>(v[^<]*)</tspan>", lab.picture())
        ]
        assert len(codes) == len(lab.snapshot()["records"]) and all(
            len(text) <= 32 for text in codes
        )
