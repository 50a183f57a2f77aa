"""`static_graphs`: the abilities of the notebook's graph, and the cases of `run` in its first exercise."""

import ast
import inspect

import pytest

from autodiff_lab.lessons.static_graphs import ex_1, nodes

from ..notebooks.reading import listing
from .test_every_exercise import in_the_notebook, submit


@pytest.mark.parametrize(
    ("written", "value", "slope"),
    [("1 + x", 5, 1), ("1 - x", -3, -1), ("2 * x", 8, 2), ("8 / x", 2, -0.5)],
)
def test_a_plain_number_may_stand_on_the_left(written, value, slope):
    names = in_the_notebook(
        "static_graphs", f"x = Variable(4.0)\ny = {written}\nvalues = run([y], {{}})\nbackward([y])"
    )
    assert names["values"] == [value] and names["x"].grad == slope


def test_run_gives_a_value_for_each_target():
    returned = "return [node.value for node in targets]"
    assert returned in ex_1.reference
    for instead in ("return targets[0].value", "return [node.value]"):
        reply = submit("static_graphs", ex_1, ex_1.reference.replace(returned, instead))
        assert not reply.passed and "two targets" in reply.text


def definitions(source):
    """The classes, functions and tables of a program by name, the last of each name, without comments."""
    named = {}
    for part in ast.parse(source).body:
        if isinstance(part, ast.FunctionDef | ast.ClassDef):
            named[part.name] = ast.unparse(part)
        elif isinstance(part, ast.Assign):
            named[ast.unparse(part.targets[0])] = ast.unparse(part.value)
    return named


def test_the_module_is_what_the_reader_writes():
    written = definitions(listing("static_graphs")) | definitions(ex_1.reference)
    module = definitions(inspect.getsource(nodes))
    assert {"Node", "Operator", "needed", "draw", "COMPUTE", "run"} <= set(module)
    assert {name: written[name] for name in module} == module


def test_a_constant_cannot_be_changed_and_receives_no_gradient():
    names = in_the_notebook(
        "static_graphs", "x = Variable(4.0)\ny = 2 * x\nrun([y], {})\nbackward([y])"
    )
    (constant,) = (node for node in names["y"].inputs if node is not names["x"])
    with pytest.raises(AttributeError):
        constant.value = 100
    assert constant.value == 2 and not hasattr(constant, "grad") and names["x"].grad == 2


@pytest.mark.parametrize(
    ("written", "nodes_left"),
    [
        ("log((x - 7.0) * (x - 7.0) + Constant(2.0) * 5.0)", 7),
        ("(x + 1.0) * (x - 1.0)", 5),
        ("x / 2.0 - 2.0 / x", 5),
        ("(x * x) * (x * x)", 3),
    ],
)
def test_the_rewrite_keeps_value_and_slope(written, nodes_left):
    names = in_the_notebook(
        "static_graphs",
        f"x = Variable(3.0)\ny = {written}\nbefore = len(needed([y]))\n(short,) = simplify([y])\n"
        "found = []\n"
        "for target in (y, short):\n"
        "    values = run([target], {})\n    zero_grad([target])\n    backward([target])\n"
        "    found.append((*values, x.grad))\n"
        "after, still = len(needed([short])), len(needed([y]))",
    )
    assert names["found"][0] == pytest.approx(names["found"][1], rel=1e-14)
    assert (names["after"], names["still"]) == (nodes_left, names["before"])


def test_a_later_sum_gives_both_numbers_of_the_page():
    names = in_the_notebook(
        "static_graphs",
        "a, b = Variable(10.0), Variable(4.0)\nf = a * b + log(a + b)\ng = merging_add(f, b)\n"
        "(value,) = run([f], {})\nbackward([f])",
    )
    assert (round(float(names["value"]), 5), round(float(names["a"].grad), 5)) == (
        46.63906,
        4.07143,
    )
