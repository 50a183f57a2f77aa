"""CheckpointTimeline: the costs of the schedules, counted in real runs, and the same gradient from all of them."""

import json
import re
from pathlib import Path

import pytest

from autodiff_lab.systems.schedules import SCHEDULES, fewest_extra_steps
from autodiff_lab.widgets.labs import CheckpointTimeline
from autodiff_lab.widgets.labs.checkpoint_timeline.lab import HEIGHT, WIDTH

DATA = Path(__file__).parents[2] / "data" / "reference_cases.json"
TABLE = json.loads(DATA.read_text(encoding="utf-8"))["checkpointing"]["min_extra_forward_steps_l_s"]
PAIRS = [(*map(int, pair.split(",")), extra) for pair, extra in TABLE.items()]


def at(**controls):
    lab = CheckpointTimeline()
    lab.set(**controls)
    return lab


@pytest.mark.parametrize(("steps", "slots", "extra"), [(10, 3, 15), (20, 3, 45), (100, 5, 316)])
def test_the_fewest_extra_steps_of_the_course(steps, slots, extra):
    snap = at(l=steps, s=slots, schedule="binomial").snapshot()
    assert (snap["peak"], snap["extra"]) == (slots, extra)


@pytest.mark.parametrize(("steps", "slots", "extra"), PAIRS)
def test_all_pairs_of_the_reference(steps, slots, extra):
    snap = at(l=steps, s=slots).snapshot()
    assert snap["extra"] == extra == fewest_extra_steps(steps, slots)
    assert snap["peak"] == min(steps, slots)


@pytest.mark.parametrize("schedule", list(SCHEDULES))
@pytest.mark.parametrize("steps", [1, 2, 10, 37, 100])
def test_no_schedule_changes_the_gradient(schedule, steps):
    snap = at(l=steps, s=4, schedule=schedule).snapshot()
    assert snap["gradient"] == snap["plain"]
    assert "to the last digit" in at(l=steps, s=4, schedule=schedule).sentence()


def test_the_other_schedules_do_not_look_at_the_slots():
    for slots in (1, 5, 12):
        meters = at(l=100, s=slots).snapshot()["meters"]
        assert meters["all"] == (100, 99)
        assert meters["none"] == (1, 4950)
        assert meters["segments of √l"] == (19, 180)
    assert at(l=100, s=18).snapshot()["extra"] == 180, "what the segments need, with one slot less"
    assert not at(l=100, s=12, schedule="all").snapshot()["fits"]
    assert "more than your 12" in at(l=100, s=12, schedule="all").sentence()
    assert at(l=100, s=12, schedule="none").snapshot()["fits"]


def test_one_action_at_a_time_never_more_slots_than_there_are():
    lab = at(l=10, s=3)
    lab.press("begin")
    assert "Nothing is done yet" in lab.sentence() and lab.snapshot()["held"] == []
    most, said = 0, []
    while lab.can("next"):
        lab.press("next")
        most = max(most, len(lab.snapshot()["held"]))
        said.append(lab.sentence().split(":")[0])
    assert most == 3 and lab.snapshot()["held"] == []
    assert {"Store", "Advance", "Reverse", "Restore", "Drop"} <= set(said)
    lab.press("back")
    assert lab.snapshot()["held"] == [0]


def test_the_steps_are_reversed_from_the_last_to_the_first():
    actions = at(l=20, s=3).snapshot()["actions"]
    assert [end for kind, _, end in actions if kind == "reverse"] == list(range(20, 0, -1))


def test_another_chain_is_shown_whole():
    lab = at(l=10, s=3)
    lab.press("begin")
    lab.set(l=12)
    assert not lab.can("next")
    lab.set(moment=50)
    assert lab.can("next") and lab.slider_text("moment") == f"{lab.done} of {len(lab.actions)}"


@pytest.mark.parametrize("schedule", list(SCHEDULES))
def test_one_stop_from_the_end_is_an_action_from_the_end(schedule):
    lab = at(l=10, s=3, schedule=schedule)
    lab.set(moment=99)
    assert lab.done == lab.length - 1 and lab.can("next")
    for done in range(lab.length + 1):
        lab.done = done
        lab.moment = lab.moment
        assert lab.done == done


@pytest.mark.parametrize(("steps", "slots"), [(1, 1), (10, 3), (100, 1), (100, 20)])
def test_every_slot_has_its_place_in_the_picture(steps, slots):
    lab = at(l=steps, s=slots, schedule="all", moment=50)
    places = boxes(lab.picture())
    assert len(places) == len(set(places)) >= max(slots, len(lab.snapshot()["held"]))
    assert all(x + 20 <= WIDTH and y + 20 <= HEIGHT for x, y in places)


def boxes(svg):
    """The upper left corner of each slot."""
    slots = svg[svg.index("slots in use now") : svg.index("peak slots")]
    return [(float(x), float(y)) for x, y in re.findall(r'points="([\d.]+),([\d.]+) ', slots)]
