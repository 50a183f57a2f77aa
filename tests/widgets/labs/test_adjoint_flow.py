"""AdjointFlow, the player's backward pass: its results for the course's function and for faulty engines."""

import pytest

from autodiff_lab import play

from ..player.cases import f, square


def sums(trace):
    """For each line the contributions that its sum shows, in the order in which they arrive."""
    shown = {}
    for step in trace.steps:
        for send in step.sends:
            shown.setdefault(send.parent, []).append(send)
    return shown


def test_v0_shows_the_sine_first_and_then_both():
    player = play(f, 2.0, 5.0)
    after = [send.after.value for send in sums(player.trace)[1]]
    assert after == [-0.28366218546322625, 1.7163378145367738]


def test_overwriting_ends_with_a_half_and_two():
    trace = play(f, 2.0, 5.0, fault="overwrite").trace
    assert [adjoint.value for adjoint in trace.gradient] == [0.5, 2.0]
    assert [adjoint.value for adjoint in (trace.truth[i] for i in trace.inputs)] == [
        5.5,
        1.7163378145367738,
    ]


@pytest.mark.parametrize(
    ("function", "at"),
    [
        (f, (2.0, 5.0)),
        (f, (0.5, -1.0)),
        (f, (7.25, 0.0)),
        (square, (3.0,)),
        (lambda x: x - x, (3.0,)),
    ],
)
def test_shown_contributions_add_up_to_every_nodes_adjoint(function, at):
    trace = play(function, *at).trace
    shown = sums(trace)
    final = {i: sends[-1].after.value for i, sends in shown.items()}
    assert set(shown) == set(range(len(trace.lines))) - {trace.result}
    for line, sends in shown.items():
        assert sum(send.contribution.value for send in sends) == pytest.approx(
            final[line], rel=1e-14
        )
    assert [final[i] for i in trace.inputs] == [adjoint.value for adjoint in trace.gradient]
