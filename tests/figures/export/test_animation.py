"""Films: as many frames as steps were asked for, all of one size, each as long as it takes to read."""

import pytest
from PIL import Image

from autodiff_lab import Trace
from autodiff_lab.engine.errors import InputError
from autodiff_lab.figures.export import animation
from autodiff_lab.figures.export.animation import reading_time
from autodiff_lab.figures.export.frame_selection import choose_steps

from ..example import example
from ..runs import RUNS


def frames_of(path):
    """Size and time of every frame."""
    found = []
    with Image.open(path) as image:
        for k in range(image.n_frames):
            image.seek(k)
            image.load()
            found.append((image.size, image.info["duration"]))
    return found


def test_one_frame_for_each_step(tmp_path):
    trace = Trace.of(example, 2.0, 5.0)
    shown = frames_of(trace.save_gif(tmp_path / "a.gif", scale=0.3))
    assert len(shown) == 16
    assert len({size for size, _ in shown}) == 1
    times = [time for _, time in shown]
    assert times[2] == 1000 * reading_time(trace.steps[2].shown_sentence)
    assert times[-1] == 1000 * (reading_time(trace.steps[-1].shown_sentence) + 2)
    assert min(times) >= 1500


def test_the_steps_that_are_asked_for(tmp_path):
    trace = Trace.of(example, 2.0, 5.0)
    shown = frames_of(trace.save_gif(tmp_path / "a.gif", [-1, 3, 12, 7], seconds=0.5, scale=0.5))
    assert [time for _, time in shown] == [500] * 4


def test_paper_is_white(tmp_path):
    with Image.open(
        Trace.of(lambda x: x * x, 3.0).save_gif(tmp_path / "a.gif", scale=0.5)
    ) as image:
        for k in range(image.n_frames):
            image.seek(k)
            assert image.convert("RGB").getpixel((1, 1)) == (255, 255, 255)


@pytest.mark.parametrize("name", ["smallest", "constant", "nan", "arrays", "faulty", "<script>"])
def test_every_run_makes_a_film(tmp_path, name):
    trace = RUNS[name]()
    assert len(frames_of(trace.save_gif(tmp_path / "a.gif", scale=0.3))) == max(1, len(trace.steps))


def test_a_long_run_says_what_it_leaves_out(tmp_path, monkeypatch):
    monkeypatch.setattr(animation, "MOST_FRAMES", 5)
    with pytest.warns(
        UserWarning, match=r"save_gif: 5 of 122 steps are shown. Choose others with steps="
    ):
        path = RUNS["60 operations"]().save_gif(tmp_path / "a.gif", scale=0.3)
    assert len(frames_of(path)) == 5


def test_a_film_has_the_same_bytes_every_time(tmp_path):
    trace = Trace.of(lambda x: x * x, 3.0)
    first, second = (trace.save_gif(tmp_path / f"{k}.gif").read_bytes() for k in "ab")
    assert first == second


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"steps": [3, 99]}, "there is no step 99"),
        ({"steps": []}, "name at least one step"),
        ({"steps": "all"}, "steps must be a list of step numbers"),
        ({"steps": 3}, "steps must be a list of step numbers"),
        ({"seconds": 0}, "seconds must be a number"),
        ({"seconds": "slow"}, "seconds must be a number"),
        ({"theme": "auto"}, "theme must be 'light' or 'dark'"),
    ],
)
def test_what_makes_no_film(tmp_path, options, message):
    with pytest.raises(InputError, match=message):
        Trace.of(example, 2.0, 5.0).save_gif(tmp_path / "a.gif", **options)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("most", [2, 3, 5, 8, 40])
def test_chosen_steps_have_both_ends(most):
    phases = ["record"] * 30 + ["seed"] + ["sweep"] * 20
    picked = choose_steps(phases, most)
    assert len(picked) == most
    assert picked == sorted(set(picked))
    assert (picked[0], picked[-1]) == (0, 50)
    assert choose_steps(phases, 51) == list(range(51))
