import html.parser
import re

import numpy as np
import pytest

from autodiff_lab import Trace, table
from autodiff_lab.figures.notation import display_width

EXPECTED = """\
Evaluation trace of example(x1, x2)
line    operation    value
──────  ─────────  ───────
v₋₁     x1          2
v₀      x2          5
v₁      log v₋₁     0.6931
v₂      v₋₁ · v₀   10
v₃      v₁ + v₂    10.6931
v₄      sin v₀     −0.9589
v₅ = y  v₃ − v₄    11.6521

Reverse sweep, in the order it runs
line      adjoint  sends
────────  ───────  ───────────────────────────────────────────────
v₅         1       v̄₃ = 1 · 1 = 1;  v̄₄ = 1 · (−1) = −1
v₄        −1       v̄₀ = −1 · 0.2837 = −0.2837
v₃         1       v̄₁ = 1 · 1 = 1;  v̄₂ = 1 · 1 = 1
v₂         1       v̄₋₁ = 1 · 5 = 5;  v̄₀ = −0.2837 + 1 · 2 = 1.7163
v₁         1       v̄₋₁ = 5 + 1 · 0.5 = 5.5
v₀ = x2    1.7163
v₋₁ = x1   5.5"""

LATEX = r"""\begin{array}{llr}
\hline
\text{line} & \text{operation} & \text{value} \\
\hline
v_{-1} & x_{1} & 2 \\
v_{0} & x_{2} & 5 \\
v_{1} & \log v_{-1} & 0.6931 \\
v_{2} & v_{-1} \, v_{0} & 10 \\
v_{3} & v_{1} + v_{2} & 10.6931 \\
v_{4} & \sin v_{0} & -0.9589 \\
v_{5} = y & v_{3} - v_{4} & 11.6521 \\
\hline
\end{array}"""


def test_text(example_trace):
    shown = table(example_trace)
    assert str(shown) == EXPECTED
    assert repr(shown) == EXPECTED


def test_a_function_and_its_arguments_do_as_well(example_function):
    assert str(table(example_function, 2.0, 5.0)) == EXPECTED


def test_latex(example_trace):
    shown = table(example_trace)
    assert shown.forward.latex() == LATEX
    assert r"v_{4} & -1 & \bar{v}_{0} = -1 \cdot 0.2837 = -0.2837 \\" in shown.reverse.latex()
    assert shown.latex().count(r"\begin{array}") == 3 == shown.latex().count(r"\end{array}")


CASES = [
    (lambda x: 3.0, (2.0,)),
    (lambda x: x, (2.0,)),
    (lambda x: np.log(x) * 1e-9 / 3e12, (2.0,)),
    (lambda x, y: x * 2, (2.0, 3.0)),
    (lambda x: np.sign(x) * x, (2.0,)),
    (lambda x: np.sum(x[0] @ np.ones(2)) + np.stack([x, x], axis=1)[0, 0, 0], (np.ones((2, 2)),)),
    (lambda p, y: p["a_b"] * y["<script>"], ({"a_b": 1.0}, {"<script>": 2.0})),
    (lambda x: np.array([np.inf, 1.0]) * x, (2.0,)),
]


@pytest.mark.parametrize(("f", "args"), CASES)
def test_text_is_aligned(f, args):
    shown = table(f, *args)
    for grid in filter(None, (shown.forward, shown.reverse)):
        rows = grid.text().splitlines()[2:]
        rule = [i for i, char in enumerate(rows[0]) if char == " "]
        for row in rows[1:]:
            columns = []
            for char in row:
                columns += [char] * display_width(char)
            assert all(columns[i] == " " for i in rule if i < len(columns)), grid.text()


@pytest.mark.parametrize(("f", "args"), CASES)
def test_html_is_well_formed_and_labelled(f, args):
    page = table(f, *args).html()

    class Checker(html.parser.HTMLParser):
        def __init__(self):
            super().__init__()
            self.open, self.seen = [], []

        def handle_starttag(self, tag, attrs):
            self.open.append(tag)
            self.seen.append((tag, dict(attrs)))

        def handle_endtag(self, tag):
            assert self.open.pop() == tag

    checker = Checker()
    checker.feed(page)
    assert checker.open == []
    tags = [tag for tag, _ in checker.seen]
    assert set(tags) <= {"table", "caption", "thead", "tbody", "tr", "th", "td", "p"}
    assert tags.count("caption") == tags.count("table")
    assert all(attrs.get("scope") in ("row", "col") for tag, attrs in checker.seen if tag == "th")
    # The page's own colours work in the light and in the dark theme; a colour of ours would not.
    assert "color" not in page
    assert "<script>" not in page


@pytest.mark.parametrize(("f", "args"), CASES)
def test_latex_has_only_what_mathjax_and_latex_know(f, args):
    shown = table(f, *args).latex()
    assert shown.count("{") == shown.count("}")
    assert not set("−·∞…₀\N{COMBINING MACRON}") & set(shown)
    for row in shown.splitlines():
        if " & " in row:
            assert row.count(" & ") == 2


def test_a_caption_stays_on_one_line(example_trace):
    captions = re.findall(r"<caption style=\"([^\"]*)\"", table(example_trace).html())
    assert len(captions) == 2
    assert all("white-space:nowrap" in style for style in captions)


def test_a_notebook_gets_html(example_trace):
    assert table(example_trace)._repr_html_().startswith("<table><caption")


def test_the_result_is_not_called_like_a_parameter():
    shown = str(table(Trace.of(lambda x, y: x * y, 2.0, 3.0)))
    assert "v₁ = result" in shown


def test_not_reached_is_not_zero():
    shown = str(table(lambda x, y: x * 2, 2.0, 3.0))
    assert "v₀ = y   not reached" in shown


def test_a_constant_result_has_no_reverse_table():
    shown = table(lambda x: 3.0, 2.0)
    assert shown.reverse is None
    assert "does not depend on the inputs" in str(shown)
