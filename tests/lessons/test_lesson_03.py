"""Notebook 03: the cells that notebook 04 imports are those that the reader has read."""

import inspect

import pytest

from autodiff_lab.lessons.lesson_03 import cells

from ..notebooks.reading import named, read


@pytest.mark.parametrize("name", ["cell-class", "draw-function"])
def test_the_module_is_the_listing_of_the_notebook(name):
    (listed,) = (cell.source for cell in read(named("03")).cells if cell.id == name)
    assert listed in inspect.getsource(cells)


def test_the_module_has_nothing_else():
    listed = {cell.id: cell.source for cell in read(named("03")).cells}
    rest = inspect.getsource(cells).replace(listed["cell-class"], "").replace(listed["draw-function"], "")
    assert rest.split('"""')[2].split() == ["import", "graphviz", "import", "numpy", "as", "np"]
