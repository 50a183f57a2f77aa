"""The table of kinks in notebook 13 has the numbers that PyTorch and JAX printed, and those of this package."""

import re

import numpy as np

from autodiff_lab import grad

from .frameworks import said
from .reading import named, read

HERE = {
    "abs": lambda: grad(np.abs)(0.0),
    "maximum": lambda: grad(lambda x: np.maximum(x, 0.0))(0.0),
    "relu": lambda: "–",  # the package has none
    "clip": lambda: grad(lambda x: np.clip(x, -1.0, 1.0))(1.0),
    "power 0": lambda: grad(lambda x: x**0)(0.0),
    "power 0.0": lambda: grad(lambda x: x**0.0)(0.0),
    "hypot": lambda: grad(lambda x: np.hypot(x, 0.0))(0.0),
    "norm": lambda: grad(np.linalg.norm)(np.zeros(2)).tolist(),
    "max": lambda: grad(np.max)(np.array([2.0, 2.0, 1.0])).tolist(),
}


def printed(name):
    """What a framework printed, by the name at the head of each line."""
    return dict(line.split(": ", 1) for line in said.read()[f"13 {name}"]["text"].splitlines())


def test_each_cell_of_the_table_is_what_came_out():
    (cell,) = [cell for cell in read(named("13")).cells if cell.id == "frameworks"]
    rows = re.findall(r"^\| (.+?) at .+? \| (.+) \| (.+) \| (.+) \|$", cell.source, flags=re.M)
    torch, jax = printed("torch_kinks"), printed("jax_kinks")
    assert len(rows) == len(torch) == len(jax) == len(HERE)
    for (name, *shown), key in zip(rows, HERE, strict=True):
        assert name.strip("`").partition("(")[0].replace("x ** ", "power ") == key
        assert shown == [torch[key], jax[key], str(HERE[key]())], name
