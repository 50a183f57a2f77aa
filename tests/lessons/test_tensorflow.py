"""`tensorflow`: what its text shows is what its checks look at, and what the learner writes agrees with the package."""

import itertools
import re

import numpy as np
import pytest

from autodiff_lab.lessons.tensorflow import ex_1, ex_2, ex_6
from autodiff_lab.lessons.tensorflow.exercises import (
    count_pending,
    run_minimize,
    squared_error,
    truth_table,
)
from autodiff_lab.systems import gradient_tape

from ..notebooks.reading import named, read
from .test_every_exercise import in_the_notebook


def shown(cell):
    """The program that stands in a cell of text."""
    (source,) = (each.source for each in read(named("tensorflow")).cells if each.id == cell)
    return re.search(r"```(?:python)?\n(.*?)```", source, flags=re.S)[1]


@pytest.mark.parametrize(("target", "source"), list(itertools.product(*ex_1.draws.values())))
def test_the_counts_are_those_of_the_program_that_is_shown(target, source):
    """By the learner's own `between`, of the notebook."""
    names = in_the_notebook(
        "tensorflow", "x, z = Placeholder('x'), Placeholder('z')\n" + shown("ex-1-text")
    )
    counts = names["between"]([names[target]], [names[name] for name in source.split(" and ")])
    assert (
        tuple(counts.get(names[name]) for name in ("x", "a", "b", "c"))
        == count_pending(target, source)["pending"]
    )


@pytest.mark.parametrize("accessed", [True, False])
@pytest.mark.parametrize("x", [1.5, 3.0])
def test_the_truth_table_is_that_of_the_program_that_is_shown(x, accessed):
    before, asked, after = shown("ex-4-text").partition("tape.gradient")
    scope = {**vars(gradient_tape), "x": x, "accessed": accessed}
    exec(before, scope)
    found = [None if g is None else g.numpy() for g in eval(asked + after, scope)]
    assert found == list(truth_table(x, accessed))


def test_the_two_machines_of_the_learner_agree():
    """One loop, nodes or numbers: the same counts and the same slopes at many points, and those of the package."""
    names = in_the_notebook("tensorflow", ex_2.reference)
    tensor, gradients = names["Tensor"], names["gradients"]
    w, b = names["Placeholder"]("w"), names["Placeholder"]("b")
    slopes = gradients([squared_error(w, b)], [w, b])
    for at in [(5.0, 10.0), (0.0, 0.0), (-1.5, 2.25)]:
        watched = [tensor(at[0], "w"), tensor(at[1], "b")]
        with names["Cassette"]() as tape:
            tape.watch(*watched)
            loss = squared_error(*watched)
        rewound = [slope.value for slope in tape.gradient(loss, watched)]
        variables = [gradient_tape.Variable(x) for x in at]
        with gradient_tape.GradientTape() as theirs:
            value = squared_error(*variables)
        assert names["run"](slopes, dict(zip((w, b), at, strict=True))) == rewound
        assert rewound == [g.numpy() for g in theirs.gradient(value, variables)]


def test_twenty_steps_end_where_the_documents_regression_ends():
    """The loss of the notebook is that of the document at two points and without noise."""
    x = np.array([-1.0, 1.0])
    for w, b in [(5.0, 10.0), (1.0, -2.0)]:
        assert squared_error(w, b) == pytest.approx(np.mean((w * x + b - (3 * x + 2)) ** 2))
    ends = []

    def minimize(loss, variables, learning_rate):
        with gradient_tape.GradientTape() as tape:
            value = loss()
        for g, variable in zip(tape.gradient(value, variables), variables, strict=True):
            if g is not None:
                variable.assign_sub(learning_rate * g)
        ends[:] = [variable.numpy() for variable in variables]

    assert run_minimize(minimize)["of the loss after 20 steps"] == pytest.approx(
        0.0090387503713374, rel=1e-12
    )
    assert ends == pytest.approx([3.023058430092137, 2.0922337203685477, 1.0], rel=1e-14)


@pytest.mark.parametrize(
    ("rate", "losses"), [(0.5, [68, 0, 0]), (1.0, [68, 68, 68]), (1.1, [68, 97.92, 141.0048])]
)
def test_one_rate_needs_one_step_and_another_changes_nothing(rate, losses):
    """What the folded answer below the slider of section 9 says."""
    names = in_the_notebook("tensorflow", ex_2.reference)
    exec(ex_6.reference, names)
    w, b = gradient_tape.Variable(5.0), gradient_tape.Variable(10.0)
    found = []
    for _ in losses:
        found.append(names["loss"](w, b).numpy())
        names["minimize"](lambda: names["loss"](w, b), [w, b], rate)
    assert found == pytest.approx(losses)
