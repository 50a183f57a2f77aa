"""The outline of a run: loops, turns, calls and lines of the source, each a stretch of the tape."""

import linecache

import numpy as np
import pytest

from autodiff_lab import grad, record
from autodiff_lab.trace import excerpts, outline, tape_reader
from autodiff_lab.trace.outline import MAX_PARTS
from autodiff_lab.transforms.recording import Outcome


def wave(x, w):
    for _ in range(2500):
        x = x + 0.01 * np.sin(w * x)
    return x


def nested_loops(x, w):
    for _ in range(20):
        for _ in range(5):
            x = x + 0.01 * np.sin(w * x)
        x = np.tanh(x * x + w * x) - x
    return x


def uneven(x):
    for k in range(40):
        for _ in range(k % 3):
            x = x * 1.01
        if k % 2:
            x = np.sin(x) + 1
    return x


def layer(x, a, b):
    h = np.tanh(a * x + b)
    return h * h + a


def network(x, a, b):
    for _ in range(30):
        h = layer(x, a, b)
        x = layer(h, b, a) * 0.1 + layer(x, b, b)
    return x


def tree(x, n=6):
    if n == 0:
        return x * x
    return tree(x * 0.5, n - 1) * np.sin(x) + tree(x * 0.3, n - 1)


def deep(x, n=120):
    return x if n == 0 else np.sin(deep(x * 0.99, n - 1))


def root(x):
    y = x * 1.0
    while abs(y * y - x) > 1e-12:
        y = 0.5 * (y + x / y)
    return y


def comprehension(x, w):
    weights = [w * k for k in range(20)]
    return sum([x * a for a in weights])


def many_inputs(*xs):
    return sum(x * x for x in xs)


def without_source():
    names = {}
    exec("def f(x):\n" + "    x = x * 1.01 + 0.1\n" * 250 + "    return x", names)
    return names["f"]


def straight():
    text = (
        "def f(x):\n" + "".join(f"    x = x * 1.{k} + 2\n" for k in range(200)) + "    return x\n"
    )
    linecache.cache["<straight>"] = (len(text), None, text.splitlines(True), "<straight>")
    names = {}
    exec(compile(text, "<straight>", "exec"), names)
    return names["f"]


RUNS = {
    "10 000 lines": (wave, (0.5, 1.3)),
    "nested loops": (nested_loops, (0.5, 1.3)),
    "uneven iterations": (uneven, (0.5,)),
    "calls": (network, (0.5, 1.3, 0.2)),
    "recursion": (tree, (0.5,)),
    "deep recursion": (deep, (0.5,)),
    "while": (root, (2.0,)),
    "a lambda": (lambda x: network(x, 0.3, 0.4), (0.3,)),
    "a comprehension": (comprehension, (2.0, 0.3)),
    "a generator, many inputs": (many_inputs, tuple(0.1 * k for k in range(80))),
    "no source": (without_source(), (1.0,)),
    "straight": (straight(), (0.001,)),
    "nothing": (lambda x: x, (1.0,)),
}


def sections(f, args):
    _, tape = record(f, *args, sites=True)
    run = tape_reader.TapeReader(tape, f, Outcome()).outline
    return tape, run, outline.simplify_outline(run, tape.name)


def leaves(section):
    return (
        [leaf for part in section.inside for leaf in leaves(part)] if section.inside else [section]
    )


def titles(section):
    return [(part.title, part.size) for part in section.inside if part.inside]


@pytest.mark.parametrize("name", RUNS)
def test_every_line_is_in_one_leaf_and_no_section_has_too_many(name):
    tape, every, run = sections(*RUNS[name])
    for tree in (every, run):
        assert [leaf.first for leaf in leaves(tree)] == list(range(len(tape)))
        assert all(leaf.size == 1 for leaf in leaves(tree))
        assert [leaf.kind for leaf in leaves(tree)][: tape.n_inputs + 1].count(
            "input"
        ) == tape.n_inputs
    for section in run.walk():
        ends = [part.first for part in section.inside] + [section.end]
        assert ends == [section.first, *(part.end for part in section.inside)]
        assert len(section.inside) <= (2 * MAX_PARTS if section is run else MAX_PARTS)
        if section is not run:
            assert len(section.inside) > 1, "a section with a single one inside is that one"
            assert section.title


def test_turns_are_bundled_in_round_numbers():
    _, _, run = sections(*RUNS["10 000 lines"])
    (loop,) = [part for part in run.inside if part.inside]
    assert (loop.kind, loop.title, loop.n) == ("loop", "for _ in range(2500):", 2500)
    assert (
        titles(loop)[:2] == [("iterations 1–100", 400), ("iterations 101–200", 400)]
        and len(loop.inside) == 25
    )
    assert titles(loop.inside[1])[:2] == [("iterations 101–110", 40), ("iterations 111–120", 40)]
    assert titles(loop.inside[1].inside[0])[0] == ("iteration 101", 4)


def test_a_loop_in_a_loop():
    _, _, run = sections(*RUNS["nested loops"])
    turn = run.inside[-1].inside[3]
    assert turn.title == "iteration 4"
    assert titles(turn) == [("for _ in range(5):", 20), ("x = np.tanh(x * x + w * x) - x", 5)]
    assert titles(turn.inside[0])[0] == ("iteration 1", 4)


def test_a_turn_that_is_one_loop_says_both():
    def f(x):
        for _ in range(3):
            for _ in range(15):
                x = x * 1.01
        return x

    _, _, run = sections(f, (1.0,))
    assert titles(run.inside[-1]) == [
        (f"iteration {k} · for _ in range(15):", 15) for k in (1, 2, 3)
    ]


def test_a_line_of_two_operations_needs_no_section():
    def f(x):
        for _ in range(20):
            x = x * 1.01 + 1
            x = layer(x, x, x) * 2
            x = np.sin(x)
        return x

    _, _, run = sections(f, (0.1,))
    assert [part.kind for part in run.inside[-1].inside[0].inside] == ["operation"] * 9
    text = RUNS["straight"]
    _, _, run = sections(*text)
    assert [part.kind for part in run.inside[3].inside] == ["operation"] * 20


def test_calls_are_called_as_they_are_written():
    def f(x):
        return layer(layer(layer(x, 0.2, 0.3), 0.4, 0.5), x, x) * network(x, 0.3, 0.4)

    _, every, run = sections(f, (1.0,))
    assert ("network(x, 0.3, 0.4)", 510) in titles(every.inside[-1])
    assert ("for _ in range(30):", 510) in titles(run), (
        "a call with nothing but a loop is that loop"
    )
    assert ("layer(x, 0.2, 0.3)", 5) in titles(every.inside[-1])


def test_the_condition_of_a_while_belongs_to_its_turn():
    _, _, run = sections(*RUNS["while"])
    (loop,) = [part for part in run.inside if part.inside]
    assert loop.title.startswith("while")
    sizes = [part.size for part in loop.inside]
    assert len(sizes) == loop.n
    # Two operations and a distance are asked, three computed; the last turn has also the question that ends it.
    assert set(sizes[:-1]) == {6} and sizes[-1] == 9


def test_a_recorded_sweep_is_a_section():
    def f(x):
        for _ in range(20):
            x = x + 0.01 * np.sin(x) * x
        return x * x

    _, _, run = sections(grad(f), (0.5,))
    assert titles(run)[0] == ("for _ in range(20):", 80)
    title, size = titles(run)[1]
    assert title == "a sweep, recorded" and size > 100
    assert not [title for title, _ in titles(run) if title.startswith("iterations")]


def test_lines_without_source_are_bundled_by_their_names():
    _, _, run = sections(*RUNS["no source"])
    assert titles(run)[0] == ("v1 … v100", 100)
    assert titles(run.inside[1])[0] == ("v1 … v10", 10)


@pytest.mark.parametrize("name", RUNS)
def test_stretches_end_where_sections_end(name):
    tape, _, run = sections(*RUNS[name])
    found = excerpts.cut_windows(run, 100)
    starts = [pieces[0].first for pieces in found]
    assert starts[0] == 0 and found[-1][-1].end == len(tape)
    assert starts[1:] == [pieces[-1].end for pieces in found[:-1]]
    assert starts[1:] == [] or starts[1] > tape.n_inputs, "the inputs are not alone"
    for pieces in found[1:]:
        assert pieces[-1].end - pieces[0].first <= 100
    assert len(found) <= 2.5 * (len(tape) / 100 + 1)
