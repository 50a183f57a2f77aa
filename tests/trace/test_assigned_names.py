"""The learner's own names: what the source calls the value of each line."""

import functools

import numpy as np
import pytest

from autodiff_lab import Trace, grad, record


def names(f, *args, **options):
    """The name of each operation, with its number if several lines have it."""
    lines = Trace.of(f, *args, **options).lines
    return [
        f"{line.assigned_name}{line.occurrence or ''}" for line in lines if line.kind == "operation"
    ]


def readings(f, *args):
    return [line.reading for line in Trace.of(f, *args).lines if line.kind == "operation"]


def test_names_of_the_example(example_trace):
    lines = example_trace.lines
    assert [line.assigned_name for line in lines] == ["x1", "x2", "a", "b", "s", "c", "y"]
    assert {line.occurrence for line in lines} == {0}
    assert [line.reading for line in lines] == [
        "x1",
        "x2",
        "log x1",
        "x1 · x2",
        "a + b",
        "sin x2",
        "s − c",
    ]
    line = example_trace.to_dict()["lines"][4]
    assert (line["assigned_name"], line["reading"], line["source_expression"]) == (
        "s",
        "a + b",
        "v₁ + v₂",
    )


def test_an_expression_inside_of_another_has_no_name():
    def f(x):
        a = np.sin(x) * x
        return np.log(a) + 1

    assert names(f, 2.0) == ["", "a", "", "y"]
    assert readings(f, 2.0) == ["sin x", "v₁ · x", "log a", "v₃ + 1"]


def test_a_name_bound_again_is_counted():
    def f(x, n):
        for _ in range(n):
            x = x * 2
        s = x + 1
        s += x
        return s

    assert names(f, 3.0, 2) == ["x2", "x3", "s1", "s2"]
    trace = Trace.of(f, 3.0, 2)
    assert [line.reading for line in trace.lines] == ["x", "x · 2", "x · 2", "x + 1", "s + x"]
    assert trace.steps[0].sentence == "v₀ is the input x = 3."
    assert trace.steps[5].sentence == "Start the sweep: s (v₄) is the result, so its adjoint is 1."
    assert "s (v₄) = s + x sends 1 · 1 = 1 to x (v₂); x now holds 1." in trace.steps[7].sentence
    assert trace.steps[5].arithmetic.text == "∂v₄/∂v₄ = 1"


def test_the_forms_of_an_assignment():
    def f(x):
        a, b = np.sin(x), x * 2
        [c, (d, e)] = -x, (x + 1, x + 2)
        t: float = a * b
        g = h = c * d
        t *= e
        k = x * 3 if g else x
        if (w := t + h) > 100:
            return k
        u, *_ = w * k, 1.0
        p, q = np.stack([u, w])
        box = [p]
        box[0] = p * q
        return box[0]

    assert names(f, 2.0)[:11] == ["a", "b", "c", "d", "e", "t1", "g", "t2", "k", "w", ""]
    assert names(f, 2.0)[-1] == "y"


def test_an_expression_of_several_lines():
    def f(x):
        é = np.exp(x * 2)
        z = é + x
        w = (
            np.stack([z, é])
            .sum()
        )  # fmt: skip
        return w

    assert names(f, 1.0) == ["", "é", "z", "", "w"]


def test_of_the_operations_of_one_call_the_last_is_its_value():
    def f(x, z):
        a = np.var(z)
        d = grad(lambda t: t * t * x)(x)
        return a * d

    named = [
        (line.op, line.assigned_name)
        for line in Trace.of(f, 2.0, np.arange(3.0)).lines
        if line.assigned_name
    ]
    assert named[2:] == [("divide", "a"), ("add", "d"), ("multiply", "y")]


def square(x):
    u = x * x
    return u + 1


def test_a_called_function_has_its_own_names():
    def f(x):
        u = np.sin(x)
        w = square(u) * square(x)
        return w

    trace = Trace.of(f, 2.0)
    assert [(line.assigned_name, line.occurrence) for line in trace.lines] == [
        ("x", 0),
        ("u", 0),  # the only one in f
        ("u", 1),
        ("", 0),
        ("u", 2),
        ("", 0),
        ("w", 0),
    ]
    assert [line.reading for line in trace.lines[2:4]] == ["u · u", "u + 1"]


def test_a_loop_in_a_function_without_a_frame_of_its_own():
    def f(*xs):
        return functools.reduce(lambda p, q: p * q, [square(x) for x in xs])

    assert names(f, 2.0, 3.0) == ["u1", "", "u2", "", "y"]


def test_without_a_source_inputs_and_result_are_named():
    f = eval("lambda x: (x * 2) ** 2")
    assert names(f, 3.0) == ["", "y"]
    _, tape = record(square, 3.0)  # without places
    assert [line.assigned_name for line in Trace.from_tape(tape, square).lines] == ["x", "", "y"]


@pytest.mark.parametrize("label", ["v2", "v12"])
def test_a_name_that_looks_like_one_of_the_tape_is_not_used(label):
    space = {}
    exec(f"def f({label}, x):\n    return {label} * x", space)
    trace = Trace.of(space["f"], 2.0, 3.0)
    assert [line.assigned_name for line in trace.lines] == ["", "x", "y"]
    assert trace.lines[2].reading == "v₋₁ · x"


def test_an_unnamed_result_is_called_what_pictures_call_it():
    def f(y):
        return y * 2

    def g(x):
        y = x * 2
        return y + 1

    def h(x):
        loss = x * 2
        return loss

    assert [line.assigned_name for line in Trace.of(f, 1.0).lines] == ["y", "result"]
    assert names(g, 1.0) == ["y", "result"]
    assert Trace.of(h, 1.0).result_name == "loss"
    assert Trace.of(h, 1.0).steps[2].arithmetic.text == "∂loss/∂loss = 1"
    assert Trace.of(lambda x: x, 1.0).result_name == "y"


def test_both_modes_and_all_engines_have_the_same_names(example_function):
    for options in ({"mode": "forward"}, {"fault": "overwrite"}):
        assert names(example_function, 2.0, 5.0, **options) == ["a", "b", "s", "c", "y"]
