"""What a type checker sees of the package: a user's program is checked against its types."""

import ast
import os
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

import autodiff_lab

REPOSITORY = Path(autodiff_lab.__file__).parents[1]

PROGRAM = """
from collections.abc import Callable
from typing import Any, assert_type

import numpy as np

import autodiff_lab as ad
from autodiff_lab import Tape, Variable, grad


def f(x1: Any, x2: Any) -> Any:
    return np.log(x1) + x1 * x2 - np.sin(x2)


slope: float = grad(f)(2.0, 5.0)
value, (by_x1, by_x2) = ad.value_and_grad(f, argnums=(0, 1))(2.0, 5.0)
curvature = ad.grad(ad.grad(f))(2.0, 5.0)
value, tangent = ad.jvp(f, (2.0, 5.0), (1.0, 0.0))
value, pullback = ad.vjp(f, 2.0, 5.0)
gradients: tuple[Any, ...] = pullback(1.0)

value, tape = ad.record(f, 2.0, 5.0)
assert_type(tape, Tape)
assert_type(tape.values, list[Any])
assert_type(tape.name(3), str)
print(tape.replay(3.0, 5.0), len(tape))
for op in tape.ops:
    if op is not None:
        assert_type(op.name, str)

assert_type(ad.play(f, 2.0, 5.0), ad.Player)
assert_type(ad.program(f, 2.0, 5.0), ad.Program)
assert_type(ad.Trace.of(f, 2.0, 5.0), ad.Trace)
assert_type(ad.formula(f), ad.Formula)
assert_type(ad.plot_tangent(lambda x: x**2, 3.0), ad.Plot)
ad.check_grads(f, (2.0, 5.0))


def bend(x: Variable) -> Any:
    if x > 2:
        return x.sum() * 2 - x @ x
    return -x / 3 + np.sin(x)


@ad.custom_gradient(partials=lambda y, x: 1 / (1 + np.exp(-x)))
def softplus(x: Any) -> Any:
    return np.logaddexp(0.0, x)


with ad.no_recording():
    assert_type(ad.Dual(3.0, 1.0).value, Any)
call: Callable[..., Any] = ad.vmap(softplus)
"""

# Each line is wrong, and the error that it gets.
MISTAKES = {
    "ad.grad(2.0)": 'Argument 1 to "grad" has incompatible type "float"',
    "ad.grad(abs, argnums='x')": 'Argument "argnums" to "grad" has incompatible type "str"',
    "ad.record(abs, 2.0)[1].valeus": '"Tape" has no attribute "valeus"',
    "ad.program(abs, 2.0).pythn": '"Program" has no attribute "pythn"',
    "ad.value_and_gard(abs)": 'Module has no attribute "value_and_gard"',
}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mypy_cache")


@pytest.fixture
def check(tmp_path: Path, cache: Path) -> Callable[[str], list[str]]:
    """Return a function that gives the errors of a program, by mypy with all its flags and none of our settings."""
    # The package is found as an installed one is, so that it needs its `py.typed`.
    found_as_installed = {**os.environ, "PYTHONPATH": str(REPOSITORY), "MYPYPATH": ""}
    # In a process of its own, as mypy raises the limit of recursion.
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file=",
        f"--cache-dir={cache}",
        "--no-error-summary",
    ]

    def check(program: str) -> list[str]:
        (tmp_path / "program.py").write_text(program, encoding="utf-8")
        run = subprocess.run(
            [*command, "program.py"],
            cwd=tmp_path,
            env=found_as_installed,
            capture_output=True,
            text=True,
        )
        assert not run.stderr, run.stderr
        return [line for line in run.stdout.splitlines() if ": error: " in line]

    return check


def test_a_program_that_uses_the_package_is_checked(check: Callable[[str], list[str]]) -> None:
    assert check(PROGRAM) == []


def test_mistakes_are_found(check: Callable[[str], list[str]]) -> None:
    program = "\n".join(["import autodiff_lab as ad", *MISTAKES])
    errors = check(program)
    assert len(errors) == len(MISTAKES)
    for number, (error, expected) in enumerate(zip(errors, MISTAKES.values(), strict=True), 2):
        assert error.startswith(f"program.py:{number}: ") and expected in error, error


def test_the_stub_has_each_public_name_from_where_it_is_defined() -> None:
    """A module whose names load on first use has a stub, and a name may be missing in one of the two."""
    tree = ast.parse(Path(autodiff_lab.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    told = {name.asname: node.module for node in imports for name in node.names}
    assert sorted(told) == sorted(autodiff_lab.__all__)
    for name, module in told.items():
        defined = getattr(import_module(f"autodiff_lab.{module}"), name)
        assert getattr(autodiff_lab, name) is defined, name
