"""`tape`: the cells that the notebook `adjoint_flow` imports are those that the reader has read."""

import inspect

from autodiff_lab.lessons.tape import cells

from ..notebooks.reading import named, read


def test_the_module_is_the_listing_of_the_notebook():
    (listed,) = (cell.source for cell in read(named("tape")).cells if cell.id == "cell-class")
    assert listed in inspect.getsource(cells)


def test_the_module_has_only_the_square_and_pictures():
    (listed,) = (cell.source for cell in read(named("tape")).cells if cell.id == "cell-class")
    rest = inspect.getsource(cells).replace(listed, "")
    assert [line.split("(")[0] for line in rest.splitlines() if line.startswith(("def ", "class "))] == [
        "def square",
        "def draw",
        "def draw_closure",
    ]


def test_the_picture_has_every_link_and_adjoint():
    x = cells.Cell(3)
    y = x * x
    source = cells.draw([x, y], {x: 6.0}, x=x).source
    assert source.count("0 -> 1 [label=3]") == 2
    assert '0 [label="x = 3\nadjoint 6"]' in source and "1 [label=9]" in source
    cells.tape.clear()


def test_the_picture_of_a_closure_has_what_it_keeps():
    def make(factor):
        return lambda number: factor * number

    assert '"factor = 3"' in cells.draw_closure(make(3)).source
