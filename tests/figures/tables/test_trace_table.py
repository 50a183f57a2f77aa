import csv
import html.parser
import io
import json
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autodiff_lab import Trace, grad, jvp, table
from autodiff_lab.engine.errors import InputError
from autodiff_lab.text.notation import display_width

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
v_{-1} & x_{1} & 2\phantom{.6931} \\
v_{0} & x_{2} & 5\phantom{.6931} \\
v_{1} & \log v_{-1} & 0.6931 \\
v_{2} & v_{-1} \, v_{0} & 10\phantom{.6931} \\
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
    assert (
        r"v_{4} & -1\phantom{.7163} & \bar{v}_{0} = -1 \cdot 0.2837 = -0.2837 \\"
        in shown.reverse.latex()
    )
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


def example(x1, x2):
    return np.log(x1) + x1 * x2 - np.sin(x2)


BESIDE = """\
Evaluation trace of example(x1, x2)
line    operation  value ↓  tangent by x1 ↓  tangent by x2 ↓  adjoint ↑
──────  ─────────  ───────  ───────────────  ───────────────  ─────────
v₋₁     x1          2                   1             0          5.5
v₀      x2          5                   0             1          1.7163
v₁      log v₋₁     0.6931              0.5           0          1
v₂      v₋₁ · v₀   10                   5             2          1
v₃      v₁ + v₂    10.6931              5.5           2          1
v₄      sin v₀     −0.9589              0             0.2837    −1
v₅ = y  v₃ − v₄    11.6521              5.5           1.7163     1"""


def test_primal_tangent_and_adjoint_beside_each_other(example_function):
    assert str(table(example_function, 2.0, 5.0, mode="both")) == BESIDE


def test_the_tangent_columns_of_the_example(example_function):
    """The columns that the second notebook asks a learner to fill in."""
    data = table(example_function, 2.0, 5.0, mode="forward").data()
    assert data["tangent by x1"] == [1.0, 0.0, 0.5, 5.0, 5.5, 0.0, 5.5]
    assert data["tangent by x2"] == [0.0, 1.0, 0.0, 2.0, 2.0, math.cos(5.0), 1.7163378145367738]


def test_directions_are_columns(example_function):
    shown = table(example_function, 2.0, 5.0, mode="forward", direction=["x2", (1.0, 0.5)])
    titles = [column.title for column in shown.whole.columns]
    assert titles == ["line", "operation", "value", "tangent by x2", "tangent, ẋ1 = 1, ẋ2 = 0.5"]
    _, slope = jvp(example_function, (2.0, 5.0), (1.0, 0.5))
    assert shown.data()["tangent, ẋ1 = 1, ẋ2 = 0.5"][-1] == slope


@settings(deadline=None, max_examples=20)
@given(st.floats(0.1, 10), st.floats(-10, 10), st.floats(-2, 2), st.floats(-2, 2))
def test_the_last_tangent_is_the_directional_derivative(x1, x2, t1, t2):
    """And the adjoints of the inputs, with the same direction, give the same number."""
    data = table(example, x1, x2, mode="both", direction=(t1, t2)).data()
    (tangents,) = (column for title, column in data.items() if title.startswith("tangent"))
    assert tangents[-1] == jvp(example, (x1, x2), (t1, t2))[1]
    assert data["adjoint"][:2] == list(grad(example, (0, 1))(x1, x2))


def test_the_run_itself_happens_once():
    runs = []
    table(lambda x: runs.append(x) or x * 2, 1.0, mode="both")
    assert len(runs) == 1


def test_a_trace_that_exists_is_not_run_again(example_function, example_trace):
    forward = Trace.of(example_function, 2.0, 5.0, mode="forward", direction="all")
    assert table(forward).data() == table(example_function, 2.0, 5.0, mode="forward").data()
    with pytest.raises(
        InputError, match="a trace of reverse mode; for mode='forward' give the function"
    ):
        table(example_trace, mode="forward")


def test_tangents_in_latex(example_function):
    shown = table(example_function, 2.0, 5.0, mode="forward", direction=(1.0, 0.5)).latex()
    assert r"\text{tangent, $\dot{x}$1 = 1, $\dot{x}$2 = 0.5} \downarrow" in shown
    assert shown.isascii()


def test_one_table_or_two(example_function):
    def titles(**options):
        return [
            [column.title for column in grid.columns]
            for grid in table(example_function, 2.0, 5.0, **options).grids
        ]

    tangents = ["tangent by x1", "tangent by x2"]
    assert titles() == [["line", "operation", "value"], ["line", "adjoint", "sends"]]
    assert titles(layout="beside") == [["line", "operation", "value", "adjoint"]]
    assert titles(mode="forward") == titles(mode="forward", layout="stacked")
    assert titles(mode="both") == [["line", "operation", "value", *tangents, "adjoint"]]
    stacked = titles(mode="both", layout="stacked", partials=True)
    assert stacked == [
        ["line", "operation", "value", *tangents, "local partials"],
        ["line", "adjoint", "sends"],
    ]


def test_each_local_partial_beside_its_line(example_function):
    partials = table(example_function, 2.0, 5.0, partials=True).data()["local partials"]
    assert partials == [
        *("", "", "∂v₁/∂v₋₁ = 1 / v₋₁ = 0.5", "∂v₂/∂v₋₁ = v₀ = 5;  ∂v₂/∂v₀ = v₋₁ = 2"),
        *("∂v₃/∂v₁ = 1;  ∂v₃/∂v₂ = 1", "∂v₄/∂v₀ = cos v₀ = 0.2837", "∂v₅/∂v₃ = 1;  ∂v₅/∂v₄ = −1"),
    ]
    latex = table(example_function, 2.0, 5.0, partials=True).forward.latex()
    assert r"\partial v_{4} / \partial v_{0} = \cos v_{0} = 0.2837" in latex


def test_a_map_has_no_table_of_partials():
    shown = table(lambda a, x: np.sum(np.sign(a) @ x), np.eye(2), np.ones(2), partials=True)
    partials = shown.data()["local partials"]
    assert partials[2] == "∂v₁/∂v₋₁ = 0"
    assert partials[3] == "to v̄₁: outer(v̄₂, v₀);  to v̄₀: v₁.T @ v̄₂"


def test_csv_has_every_digit(example_function):
    rows = list(csv.reader(io.StringIO(table(example_function, 2.0, 5.0, mode="both").csv())))
    assert rows[0] == ["line", "operation", "value", "tangent by x1", "tangent by x2", "adjoint"]
    assert rows[6] == ["v4", "sin(v0)", "-0.9589242746631385", "0.0", "0.28366218546322625", "-1.0"]
    assert float(rows[2][-1]) == 1.7163378145367738
    assert {len(row) for row in rows} == {6}


def test_csv_of_arrays_is_json_in_a_field():
    shown = table(
        lambda x, y: x * np.array([np.inf, 1.0]) + 0 * y['a,\n"b'],
        np.array([1.0, 2.0]),
        {'a,\n"b': 1.0},
    )
    rows = list(csv.reader(io.StringIO(shown.csv())))
    assert json.loads(rows[1][2]) == [1.0, 2.0]
    assert json.loads(rows[3][2]) == ["inf", 2.0]
    assert rows[2][1] == "y['a,\\n\"b']"
    large = table(lambda x: np.sum(x), np.ones((20, 20)))
    assert "(20, 20) array, all 1" in large.csv()


def cells_of(row):
    return re.split(r"(?<!\\)\|", row)[1:-1]


@pytest.mark.parametrize("mode", ["reverse", "forward", "both"])
@pytest.mark.parametrize(("f", "args"), CASES)
def test_markdown_is_a_table(f, args, mode):
    shown = table(f, *args, mode=mode, partials=True)
    text = shown.markdown()
    tables = [
        [row for row in part.splitlines() if row.startswith("|")]
        for part in text.split("**Evaluation")
    ]
    for grid, rows in zip(shown.grids[:1], tables[1:2], strict=True):
        rows = rows[: len(grid.rows) + 2]
        assert {len(cells_of(row)) for row in rows} == {len(grid.columns)}
        assert set(cells_of(rows[1])) <= {" :--- ", " ---: "}
    assert "<script>" not in text


def test_markdown_signs_in_names_are_escaped():
    shown = table(lambda p: p["a|b*_<i>`$[x]"] * 2, {"a|b*_<i>`$[x]": 1.0}).markdown()
    assert r"p\['a\|b\*\_&lt;i&gt;\`\$\[x\]'\]" in shown


def test_digits_stand_under_each_other_in_html(example_trace):
    """With digits of one width, a figure space takes the place of each digit that is missing."""
    page = table(example_trace).html()
    cells = re.findall(r'<td style="(text-align:right[^"]*)">([^<]*)</td>', page)
    assert '<tbody style="font-variant-numeric:tabular-nums">' in page
    assert all("white-space:pre" in style for style, _ in cells)
    values = [text for _, text in cells[:7]]
    assert (
        len(
            {
                len(text) - (text.find(".") if "." in text else text.find("\N{PUNCTUATION SPACE}"))
                for text in values
            }
        )
        == 1
    )
    assert values[0] == "2\N{PUNCTUATION SPACE}" + 4 * "\N{FIGURE SPACE}"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "backward"}, "mode must be 'reverse', 'forward' or 'both'"),
        ({"layout": "wide"}, "layout must be 'stacked' or 'beside'"),
        ({"partials": 1}, "partials must be True or False"),
        ({"direction": "x1"}, "belongs to forward mode: add mode='forward'"),
        ({"mode": "forward", "direction": "z"}, "z"),
    ],
)
def test_an_option_that_is_not_allowed(example_function, options, message):
    with pytest.raises(InputError, match=re.escape(message)):
        table(example_function, 2.0, 5.0, **options)


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
