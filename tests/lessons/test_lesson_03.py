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


def test_the_picture_has_an_arrow_for_each_link_and_the_adjoints():
    x = cells.Cell(3)
    y = x * x
    source = cells.draw([x, y], {x: 6.0}, x=x).source
    assert source.count("0 -> 1 [label=3]") == 2
    assert '0 [label="x = 3\nadjoint 6"]' in source and "1 [label=9]" in source
    cells.tape.clear()
