"""A long run at a glance: its loops and source lines, in the order of the tape."""

import numpy as np

from autodiff_lab import Trace, play
from autodiff_lab.trace.outline import MAX_PARTS


def training(w, x):
    w = w * 1.0
    for _ in range(10):
        for _ in range(2):
            w = w - 0.1 * x
        w = w * w
    for k in range(4):
        if k % 2:
            w = np.sin(w)
        w = w + x
    return w * 2 + x


def test_loops_and_lines_follow_each_other():
    trace = Trace.of(training, 0.3, 0.7)
    found = [(one.title, one.end - one.first, one.turns, one.each) for one in trace.chapters]
    assert found == [
        ("w = w * 1.0", 1, 0, 0),
        ("for _ in range(10):", 50, 10, 5),
        ("for k in range(4):", 6, 4, 0),
        ("return w * 2 + x", 2, 0, 0),
    ]
    assert trace.chapters[0].first == len(trace.inputs)
    for before, after in zip(trace.chapters, trace.chapters[1:], strict=False):
        assert before.end == after.first
    assert trace.chapters[-1].end == len(trace.lines)
    assert Trace.from_json(trace.to_json()) == trace


def test_a_loop_that_is_entered_again_is_another_chapter():
    def again(x):
        def body(x):
            for _ in range(20):
                x = x * 1.1
            return x

        return body(body(x))

    chapters = Trace.of(again, 1.0).chapters
    assert [(one.first, one.end, one.turns) for one in chapters] == [(1, 21, 20), (21, 41, 20)]


def test_a_short_run_needs_none():
    assert Trace.of(lambda x: x * x, 1.0).chapters == ()
    assert MAX_PARTS < 60


def test_lines_too_many_to_tell_apart_are_put_together():
    text = "def f(x):\n" + "".join(f"    x = x * 1.{k}\n" for k in range(200)) + "    return x\n"
    space: dict = {}
    import linecache

    linecache.cache["<long>"] = (len(text), None, text.splitlines(True), "<long>")
    exec(compile(text, "<long>", "exec"), space)
    chapters = Trace.of(space["f"], 1.0).chapters
    assert 30 <= len(chapters) <= 60
    assert chapters[0].title == "x = x * 1.0 … x = x * 1.3"
    assert (chapters[0].first, chapters[-1].end) == (1, 201)


def test_a_stretch_of_a_long_run_tells_of_the_whole_run():
    def f(x):
        for _ in range(700):
            x = x * 1.001
        return x

    player = play(f, 1.0)
    assert [tuple(one) for one in player.trace.chapters] == [
        ("for _ in range(700):", 1, 701, 700, 1)
    ]
    player.step = 650
    assert player.trace.chapters[0].end == 701
