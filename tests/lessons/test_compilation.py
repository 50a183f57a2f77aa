"""`compilation`: right answers that look different from ours pass, and shortcuts do not."""

import subprocess
import sys

import numpy as np
import pytest

import autodiff_lab as ad
from autodiff_lab.engine.errors import ShapeError
from autodiff_lab.lessons import compilation as lesson

from ..notebooks.reading import listing


def submit(exercise, written):
    names = {"__name__": "__main__"}
    exec(listing("compilation"), names)
    exec(written, names)
    return exercise(*(names[name] for name in exercise.takes))


@pytest.mark.parametrize(
    "written",
    [
        "def compile_tape(tape):\n"
        "    lines = ['def compiled(*inputs):', f\"    {', '.join(tape.input_names)}, = inputs\"]\n"
        "    lines += ['    ' + line for line in forward_lines(tape)]\n"
        "    sent = {j: ['0.0'] for j in range(len(tape))}\n"
        "    sent[tape.output] = ['1.0']\n"
        "    for i in range(len(tape) - 1, -1, -1):\n"
        "        lines.append(f\"    bar_{i} = {' + '.join(sent[i])}\")\n"
        "        for k, j in enumerate(tape.parents[i]):\n"
        "            at = symbols(tape, tape.parents[i], tape.args[i])\n"
        "            partial = tape.ops[i].local_partial(k, ad.Symbol(name(tape, i)), *at)\n"
        "            if j >= 0: sent[j].append(f'bar_{i} * ({written(partial)})')\n"
        "    slopes = [f'bar_{i}' for i in range(tape.n_inputs)]\n"
        "    slopes = f\"[{', '.join(slopes)}]\" if len(slopes) > 1 else slopes[0]\n"
        "    return '\\n'.join([*lines, f\"    return {name(tape, tape.output)}, {slopes}\"])"
    ],
)
def test_another_compiler_passes(written):
    assert submit(lesson.ex_1, written).passed


def test_calling_the_engine_from_the_text_is_no_program():
    """The text is run with NumPy and nothing else, so it has to stand on its own."""
    cheat = "def compile_tape(tape):\n    return 'def compiled(x1, x2):\\n    return ad.value_and_grad(f)(x1, x2)'"
    reply = submit(lesson.ex_1, cheat)
    assert not reply.passed and "ad" in reply.text


GUARDS = """
def guard(tape, asked):
    wanted = "" if asked.outcome else "not "
    return f"if not ({wanted}{question(tape, asked)}): raise Changed('another way')"


def rerecording(f):
    versions = []

    def run(x):
        for compiled in versions:
            try:
                return compiled(x)
            except Changed:
                continue
        versions.append(load(with_guards(ad.record(f, x)[1])))
        return versions[-1](x)

    return run"""


def test_keeping_all_versions_passes():
    assert submit(lesson.ex_2, GUARDS).passed


@pytest.mark.parametrize(
    ("by_x", "by_k"),
    [
        ("k / (x + k) ** 2", "-x / (x + k) ** 2"),
        ("(1 - y) ** 2 / k", "-(y - y * y) / k"),
        ("y * (1 - y) / x", "-y * y / x"),
    ],
)
def test_every_way_to_write_the_partials_passes(by_x, by_k):
    written = f"def by_x(y, x, k): return {by_x}\ndef by_k(y, x, k): return {by_k}"
    assert submit(lesson.ex_4, written).passed


FRESH = """
import numpy as np
from autodiff_lab.lessons import compilation
from autodiff_lab.lessons.checks import step_limit
from autodiff_lab.lessons.checks.run_code import STEPS

steps = []
run = step_limit.StepLimit.run
def counted(limit, *args):
    try:
        return run(limit, *args)
    finally:
        steps.append(STEPS - limit._left)
step_limit.StepLimit.run = counted
exec({reference!r})
print({call})
assert max(steps) < STEPS / 2, max(steps)
"""


@pytest.mark.parametrize("exercise", [lesson.ex_4, lesson.ex_5], ids=lambda exercise: exercise.name)
def test_in_a_fresh_kernel_a_right_answer_is_far_from_the_limit_of_steps(exercise):
    """What the package reads or imports only once isn't counted."""
    call = f"compilation.{exercise.call.removeprefix('check.')}"
    code = FRESH.format(reference=exercise.reference, call=call)
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert said.returncode == 0, said.stderr
    assert "passed" in said.stdout, said.stdout


@pytest.mark.parametrize(
    ("function", "partial"),
    [
        ("np.sqrt(1 + x * x)", "x / y"),
        ("x**3 - 2 * x", "3 * x**2 - 2"),
        ("1 / (1 + np.exp(-x))", "y * (1 - y)"),
        ("np.log(np.cosh(x))", "np.tanh(x)"),
        ("np.sin(np.log(x)) / x", "(np.cos(np.log(x)) - np.sin(np.log(x))) / x**2"),
    ],
)
def test_any_invention_passes(function, partial):
    reply = submit(
        lesson.ex_5,
        f"def my_function(x): return {function}\ndef my_partial(y, x): return {partial}",
    )
    assert reply.passed, reply


@pytest.mark.parametrize(
    ("function", "partial"),
    [("x**3", "3 * x"), ("np.exp(x)", "y + 1e-3"), ("x", "x / x"), ("np.floor(x)", "0 * x")],
)
def test_a_row_with_a_slip_or_none_at_all(function, partial):
    reply = submit(
        lesson.ex_5,
        f"def my_function(x): return {function}\ndef my_partial(y, x): return {partial}",
    )
    assert reply.passed == (function == "x")


class TestTheColumnOfThisPackageInTheTableOfGuards:
    def test_shapes_are_refused_or_recorded_again(self):
        def f(x):
            return np.sum(x * x)

        with pytest.raises(ShapeError, match="on_branch='rerecord'"):
            ad.program(f, np.ones(2))(np.ones(3))
        flexible = ad.program(f, np.ones(2), on_branch="rerecord")
        assert flexible(np.ones(3))[0] == 3.0 and flexible.versions == 2

    def test_a_number_is_an_input_if_it_is_a_float(self):
        assert ad.program(lambda x, k: x * k, 2.0, 3.0)(2.0, 4.0)[0] == 8.0
        with pytest.raises(ShapeError, match="only floats"):
            ad.program(lambda x, k: x * k, 2.0, 3)(2.0, 4)

    def test_a_global_is_frozen_until_the_next_recording(self):
        rate = 1.0

        def f(x):
            return x * rate if x < 2 else x

        run = ad.program(f, 1.0, on_branch="rerecord")
        rate = 10.0
        assert run(1.0)[0] == 1.0
        assert run(3.0)[0] == 3.0
        assert ad.program(f, 1.0)(1.0)[0] == 10.0


def test_a_function_is_not_judged_by_the_partial_of_another():
    alone = "def my_function(x):\n    return np.sin(x)\n\n\ndef my_partial(y, x):\n    return ..."
    assert submit(lesson.ex_5, alone).status == "not attempted"
