"""A saved program runs alone: in a Python that has NumPy and cannot import this package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from autodiff_lab import custom_gradient, value_and_grad
from autodiff_lab.engine.errors import UnsupportedError
from autodiff_lab.programs import program


def alone(folder: Path, code: str) -> str:
    """What an isolated Python prints; this package cannot be imported there."""
    start = f"import sys\nsys.path.insert(0, {str(folder)!r})\nsys.modules['autodiff_lab'] = None\n"
    command = [sys.executable, "-I", "-W", "ignore", "-c", start + code]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


def test_a_scalar_program(tmp_path: Path) -> None:
    def f(x1: Any, x2: Any) -> Any:
        return np.log(x1) + x1 * x2 - np.sin(x2)

    p = program(f, 2.0, 5.0, argnums=(0, 1))
    assert p.save(tmp_path / "mine.py") == [tmp_path / "mine.py"]
    assert p.source in (tmp_path / "mine.py").read_text(encoding="utf-8")
    out = alone(
        tmp_path,
        """
from mine import f
import numpy as np
print(repr((f(2.0, 5.0), f(0.0, 5.0))))
try:
    f(np.ones(2), 1.0)
except ValueError as error:
    print(error)
""",
    )
    at_zero = "(-inf, (inf, -0.28366218546322625))"
    numbers, message = out.splitlines()
    assert numbers == f"((11.652071455223084, (5.5, 1.7163378145367738)), {at_zero})"
    assert message == "f was compiled for other arguments: x1 a number, x2 a number"


class Layer(NamedTuple):
    w: Any
    b: Any


def test_arrays_containers_branches_and_large_constants(tmp_path: Path) -> None:
    data = np.sin(np.arange(600.0)).reshape(200, 3)
    small = np.array([0.1, np.inf, -0.0])

    def loss(p: Any, n: int) -> Any:
        h = np.tanh(data @ p["layer"].w + p["layer"].b)
        if np.sum(h) < 1e6:
            h = h * n
        return np.sum(np.minimum(h, small)) * p["scale"]

    p = {"layer": Layer(np.eye(3), np.ones(3)), "scale": 2.0}
    compiled = program(loss, p, 3)
    assert {path.name for path in compiled.save(tmp_path / "net.py")} == {"net.py", "net.npz"}
    value, gradient = value_and_grad(loss)(p, 3)
    out = alone(
        tmp_path,
        """
import net, numpy as np
p = {"layer": net.Layer(np.eye(3), np.ones(3)), "scale": 2.0}
value, gradient = net.loss(p, 3)
again = net.loss({"layer": net.Layer(np.zeros((3, 3)), np.ones(3)), "scale": 2.0}, 3)
print(value, *gradient["layer"].w.ravel(), *gradient["layer"].b, gradient["scale"])
try:
    net.loss({"layer": net.Layer(np.eye(3), np.full(3, np.nan)), "scale": 2.0}, 3)
except net.BranchChanged as error:
    print(type(error).__name__)
""",
    )
    numbers, branch = out.splitlines()
    expected = [value, *gradient["layer"].w.ravel(), *gradient["layer"].b, gradient["scale"]]
    np.testing.assert_allclose([float(x) for x in numbers.split()], expected, rtol=1e-13)
    assert branch == "BranchChanged"


def test_a_program_in_parts(tmp_path: Path) -> None:
    def f(x: Any) -> Any:
        y = x
        for _ in range(3_000):
            y = np.sin(y) * x + 0.5 * y
        return y

    p = program(f, 0.7)
    assert p.source.count("def ") > 2
    p.save(tmp_path / "long.py")
    assert alone(tmp_path, "from long import f\nprint(f(0.8))") == str(p(0.8))


def test_what_cannot_be_written_down_is_refused(tmp_path: Path) -> None:
    @custom_gradient(partials=lambda y, x: 3 * x * x)
    def opaque(x: Any) -> Any:
        return float(x) ** 3

    with pytest.raises(UnsupportedError, match="opaque could not be taken apart"):
        program(lambda x: opaque(x) * 2, 1.0).save(tmp_path / "no.py")
