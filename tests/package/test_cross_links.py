"""Which lesson uses which public name: read from its code, so that the reference and the lessons link to each other."""

import sys
from pathlib import Path

import nbformat
import pytest

import autodiff_lab as ad

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / ".ci/site"))

import cross_links  # noqa: E402

USED = {
    "by the package's alias": ("import autodiff_lab as ad\nad.grad(f)(2.0)", {"grad"}),
    "by its own name": ("from autodiff_lab import grad, play\nplay(f, 2.0)", {"play"}),
    "under another name": ("from autodiff_lab import grad as slope\nslope(f)", {"grad"}),
    "from where it is written": ("from autodiff_lab.optimize import Adam\nAdam()", {"Adam"}),
    "in a function": ("import autodiff_lab as ad\ndef g(x):\n    return ad.jvp(f, x, x)", {"jvp"}),
    "beside a magic": ("%matplotlib inline\nimport autodiff_lab as ad\nad.draw(f)", {"draw"}),
    "before it is bound anew": ("from autodiff_lab import grad\ngrad = grad(f)", {"grad"}),
    "not another of the same name": (
        "from autodiff_lab.systems.gradient_tape import Variable\nVariable(2.0)",
        set(),
    ),
    "not one's own": ("from autodiff_lab import grad\ndef grad(f): ...\ngrad(f)", set()),
    "not a parameter": ("from autodiff_lab import grad\ndef g(grad):\n    grad(1)", set()),
    "not an import alone": ("from autodiff_lab import grad", set()),
    "not of another module": ("import numpy as ad\nad.grad(f)", set()),
    "not a name that isn't public": ("import autodiff_lab as ad\nad.systems", set()),
}


def cells(*sources):
    return [nbformat.v4.new_code_cell(source, id=f"cell-{k}") for k, source in enumerate(sources)]


@pytest.mark.parametrize("source, names", USED.values(), ids=USED)
def test_a_use_is(source, names):
    assert set(cross_links.names_used(cells(source))) == names


def test_a_name_is_found_in_the_first_cell_that_uses_it():
    notebook = cells(
        "import autodiff_lab as ad", "1 +", "ad.grad(f)", "ad.grad(g)\nad.jvp(f, x, x)"
    )
    assert cross_links.names_used(notebook) == {"grad": "cell-2", "jvp": "cell-3"}


def test_every_lesson_is_read_and_the_cells_are_there():
    found = cross_links.lessons_by_name()
    assert set(found) == set(ad.__all__)
    named = {use.page for uses in found.values() for use in uses}
    lessons = {path.stem for path in (ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb")}
    assert named == lessons
    assert {use.page[3:] for use in found["hvp"]} >= {"higher_order"}
    for uses in found.values():
        for use in uses:
            notebook = nbformat.read(ROOT / f"notebooks/{use.page}.ipynb", as_version=4)
            assert use.cell in {cell.id for cell in notebook.cells}


def test_a_class_that_a_lesson_constructs_is_shown_with_its_constructor():
    for notebook in (ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"):
        code = "\n".join(
            cell.source
            for cell in nbformat.read(notebook, as_version=4).cells
            if cell.cell_type == "code"
        )
        for name in ad.__all__:
            if isinstance(getattr(ad, name), type) and f"ad.{name}(" in code:
                assert cross_links.is_made_by_readers(getattr(ad, name)), (notebook.name, name)


def test_a_player_comes_from_play_and_has_no_constructor():
    assert not cross_links.is_made_by_readers(ad.Player)
    assert list(cross_links.makers(ad.Player)) == ["play"]
    assert list(cross_links.makers(ad.Tape)) == ["record"]
    assert cross_links.is_made_by_readers(ad.Adam)


def test_only_names_that_the_lesson_uses_become_links_in_its_code():
    page = '<span class="n">ad</span><span class="o">.</span><span class="n">{}</span>'
    linked = cross_links.link_code(page.format("grad"), {"grad"})
    assert '<a class="n" href="reference/autodiff_lab.grad.html">grad</a>' in linked
    assert cross_links.link_code(page.format("grad"), {"jvp"}) == page.format("grad")


def test_a_long_list_of_lessons_is_folded_and_an_empty_one_is_left_out():
    use = cross_links.Use("01_a", "01 · A < B", "cell-1")
    assert cross_links.list_lessons([]) == "" and cross_links.list_names([]) == ""
    assert '<a href="../01_a.html#cell-id=cell-1">01 · A &lt; B</a>' in cross_links.list_lessons(
        [use]
    )
    assert "<details" not in cross_links.list_lessons([use])
    assert "In 20 lessons" in cross_links.list_lessons([use] * 20)
