"""Sites: the line of the user's code where each line of a tape was recorded."""

from __future__ import annotations

import inspect
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

from autodiff_lab import Trace, draw, grad, jvp, play, record, table, trace_nonfinite
from autodiff_lab.engine import tape as tapes
from autodiff_lab.engine.errors import EndlessError


def helper(x: Any) -> Any:
    return np.sin(x)


def taught(x: Any, a: Any) -> Any:
    y = helper(x) * 2
    for k in range(2):
        y = y + k
    z = sum([v * v for v in a])
    inner = lambda t: t.sum()  # noqa: E731
    return y + z + inner(a) + np.stack([x, x])[0] - (a @ a) / abs(x) + helper(x)


def site_text(site: tuple[tuple[Any, int], ...]) -> str:
    code, instruction = site[-1]
    line, end, column, end_column = list(code.co_positions())[instruction // 2]
    source = Path(code.co_filename).read_text().splitlines()
    return source[line - 1][column:end_column] if line == end else source[line - 1][column:]


def test_sites() -> None:
    _, tape = record(taught, 2.0, np.array([1.0, 2.0]), sites=True)
    assert len(tape.call_stacks) == len(tape)
    assert tape.call_stacks[: tape.n_inputs] == [(), ()]
    texts = []
    for i in range(tape.n_inputs, len(tape)):
        frames = tape.call_stacks[i]
        assert all(code.co_filename == __file__ for code, _ in frames), (
            "only the learner's own frames"
        )
        assert frames[0][0] is taught.__code__, "outermost first"
        texts.append((tape.ops[i].name, site_text(frames)))
    assert ("sin", "np.sin(x)") in texts
    assert ("multiply", "helper(x) * 2") in texts
    assert texts.count(("add", "y + k")) == 2
    assert ("multiply", "v * v") in texts
    assert ("sum", "t.sum()") in texts
    assert ("stack", "np.stack([x, x])") in texts
    assert ("getitem", "np.stack([x, x])[0]") in texts
    assert ("matmul", "a @ a") in texts
    assert ("absolute", "abs(x)") in texts
    depth = {
        name: len(tape.call_stacks[i])
        for i, name in enumerate(op.name if op else "" for op in tape.ops)
    }
    assert depth["sin"] == 2
    assert depth["absolute"] == 1


def test_sites_do_not_change_the_tape() -> None:
    args = (2.0, np.array([1.0, 2.0]))
    assert str(record(taught, *args)[1]) == str(record(taught, *args, sites=True)[1])


def test_sites_with_another_derivative_inside() -> None:
    def f(x: Any) -> Any:
        return grad(lambda y: y * np.sin(x) * y)(x) + jvp(lambda y: y * x, (x,), (1.0,))[1]

    _, tape = record(f, 2.0, sites=True)
    for site in tape.call_stacks[1:]:
        assert site
        assert all(code.co_filename == __file__ for code, _ in site)
        assert site[0][0] is f.__code__


def test_sites_below_a_learner_who_is_already_inside_one() -> None:
    tapes = []

    def outer(x: Any) -> Any:
        value, tape = record(lambda y: y * x, 3.0, sites=True)
        tapes.append(tape)
        return value

    record(outer, 2.0, sites=True)
    (site,) = tapes[0].call_stacks[1:]
    assert [code.co_name for code, _ in site] == ["<lambda>"], (
        "the frames outside the recording do not count"
    )


@pytest.mark.parametrize("module", ["__main__", "numpy_lesson", "numpy", "my_autodiff", None])
def test_sites_whatever_the_learners_module_is_called(module: str | None) -> None:
    namespace: dict[str, Any] = {"np": np}
    if module:
        namespace["__name__"] = module
    exec(compile(dedent("def f(x):\n    return np.sin(x) * 2\n"), "cell", "exec"), namespace)
    _, tape = record(namespace["f"], 2.0, sites=True)
    if module != "numpy":
        assert [len(site) for site in tape.call_stacks] == [0, 1, 1]


# Sites are noted to show a run: one that never ends must not fill the memory first


def endless(x: Any) -> Any:
    while True:
        x = x * 1.0001


def decay(x: Any, lines: int = 40) -> Any:
    for _ in range(lines):
        x = x * 0.5
    return x


def test_a_run_that_never_ends() -> None:
    where = endless.__code__.co_firstlineno + 2
    with pytest.raises(
        EndlessError, match=rf"recorded 50 operations .* line {where} of endless.*`for _ in range"
    ):
        record(endless, 1.0, sites=True, most=51)
    with pytest.raises(EndlessError, match="of endless"):
        record(lambda x: np.sin(endless(x)), 1.0, sites=True, most=50)
    with pytest.raises(EndlessError, match="has not ended"):
        record(grad(endless), 1.0, sites=True, most=50)


def test_a_run_of_the_largest_length_and_one_line_more() -> None:
    assert len(record(decay, 1.0, sites=True, most=41)[1]) == 41
    with pytest.raises(EndlessError):
        record(decay, 1.0, sites=True, most=40)
    assert len(record(decay, 1.0, sites=True, most=None)[1]) == 41
    assert len(record(decay, 1.0, most=10)[1]) == 41, "what is not shown has no limit"


def test_large_arrays_end_it_sooner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tapes, "MAX_TAPE_VALUES", 5000)
    with pytest.raises(EndlessError, match=r"49 operations with 5,100 numbers"):
        record(endless, np.ones(100) * 1.0, sites=True)
    assert record(decay, np.ones(100), sites=True)[1].n_values == 4100


@pytest.mark.parametrize("show", [play, draw, table, Trace.of])
def test_whatever_shows_a_run_has_the_limit(show: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(inspect.unwrap(record).__kwdefaults__, "most", 60)
    with pytest.raises(EndlessError):
        show(endless, 1.0)


def test_looking_for_a_nan_has_no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(inspect.unwrap(record).__kwdefaults__, "most", 10)
    assert trace_nonfinite(decay, 1.0) is None
