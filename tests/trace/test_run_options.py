"""The options of a run are checked in one place, whoever is told them."""

import pytest

from autodiff_lab import Trace, play
from autodiff_lab.engine.errors import InputError
from autodiff_lab.trace import faulty_engines
from autodiff_lab.trace.model.run_options import FAULTS, RunOptions


def product(x, y):
    return x * y


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"mode": "sideways"}, "no mode 'sideways'"),
        ({"direction": "x"}, "belongs to forward mode"),
        ({"mode": "forward", "fault": "stale"}, "faulty engines run in reverse mode only"),
        ({"fault": "slow"}, "no fault 'slow'"),
    ],
)
def test_wrong_options_are_refused_before_the_run(options, match):
    with pytest.raises(InputError, match=match):
        RunOptions(**options)
    ran = []
    with pytest.raises(InputError, match=match):
        Trace.of(lambda x: ran.append(x), 2.0, **options)
    assert not ran


def test_play_refuses_them_with_the_same_errors():
    with pytest.raises(InputError, match="faulty engines run in reverse mode only"):
        play(product, 2.0, 5.0, fault="stale", direction=(1.0, 2.0))


def test_every_fault_has_its_engine():
    assert tuple(faulty_engines.FAULTS) == FAULTS


def test_a_direction_leads_forward_and_none_leads_back():
    options = RunOptions()
    assert options.along("x") == RunOptions("forward", "x")
    assert options.along("x").along(None) == options
