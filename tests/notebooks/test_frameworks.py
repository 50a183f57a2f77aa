"""What a notebook shows of PyTorch, JAX and TensorFlow is what they printed, with version and month."""

import datetime

import pytest

from .frameworks import said
from .reading import named, read

SAID = said.read()
SHOWN = [(number, name) for number in said.notebooks() for name in said.functions(number)]


@pytest.mark.parametrize("number, name", SHOWN, ids=lambda part: part)
def test_the_notebook_shows_what_ran_and_what_it_printed(number, name):
    printed = SAID[f"{number} {name}"]
    code = said.functions(number)[name].strip()
    cells = [cell.source for cell in read(named(number)).cells if cell.cell_type == "markdown"]
    (cell,) = [cell for cell in cells if code in cell]
    assert printed["text"] in cell
    assert printed["version"] in cell
    assert f"{datetime.date.fromisoformat(printed['date']):%B %Y}" in cell


def test_nothing_is_kept_that_no_function_prints():
    assert set(SAID) == {f"{number} {name}" for number, name in SHOWN}
