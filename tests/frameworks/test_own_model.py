"""The saved runs of the notebook `own_model` are what PyTorch does here and now."""

import json
import math
import re
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed; the package does without it")

from autodiff_lab.lessons.own_model import runs  # noqa: E402

from ..notebooks.own_model import fresh_runs  # noqa: E402

NUMBER = re.compile(r"[-−]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def is_alike(fresh: Any, saved: Any) -> bool:
    """Whether two pieces of JSON are the same up to rounding: PyTorch's last digits belong to the processor."""
    if isinstance(saved, dict):
        return fresh.keys() == saved.keys() and all(
            is_alike(fresh[key], saved[key]) for key in saved
        )
    if isinstance(saved, list):
        return len(fresh) == len(saved) and all(map(is_alike, fresh, saved))
    if isinstance(saved, float):
        return isinstance(fresh, float) and math.isclose(fresh, saved, rel_tol=1e-3, abs_tol=1e-6)
    if isinstance(saved, str):
        numbers = zip(NUMBER.findall(fresh), NUMBER.findall(saved), strict=False)
        alike = all(
            is_alike(float(a.replace("−", "-")), float(b.replace("−", "-"))) for a, b in numbers
        )
        return alike and NUMBER.sub("#", fresh) == NUMBER.sub("#", saved)
    return bool(fresh == saved)


def test_the_saved_runs_are_those_of_pytorch() -> None:
    saved = json.loads(runs.FILE.read_text(encoding="utf-8"))
    fresh = json.loads(json.dumps(fresh_runs()))
    assert fresh.keys() == saved.keys()
    for key in saved:
        assert fresh[key]["program"] == saved[key]["program"], (
            f"{key}: run python -m tests.notebooks.own_model"
        )
        assert is_alike(fresh[key]["returned"], saved[key]["returned"]), key


def test_a_run_of_another_kind_is_not_alike() -> None:
    assert is_alike({"a": [1.0, "x is 2.0000001"]}, {"a": [1.0000001, "x is 2"]})
    assert not is_alike({"a": [1.0]}, {"a": [1.1]})
    assert not is_alike("a b c", "a c b")
    assert not is_alike("line 3", "line 4")


def test_with_pytorch_the_programs_run_and_may_be_changed() -> None:
    def mine(x: float) -> list[float]:
        leaf = torch.tensor(x, requires_grad=True)
        (leaf * leaf).backward()
        return [float(leaf.grad)]

    assert runs.run_or_load(mine, 3.0) == [6.0]
