import functools
import linecache
import operator
import sys
import textwrap

import numpy as np
import pytest

from autodiff_lab import Trace


def marked(trace, line):
    """The text under the innermost span of a line."""
    span = trace.lines[line].where[-1]
    rows = trace.sources[span.source].text[span.line : span.end_line + 1]
    if len(rows) == 1:
        return rows[0][span.column : span.end_column]
    return "\n".join([rows[0][span.column :], *rows[1:-1], rows[-1][: span.end_column]])


def operations(trace):
    return range(len(trace.inputs), len(trace.lines))


def test_a_function_in_a_file(example_function, example_trace):
    (source,) = example_trace.sources
    assert source.name == "example"
    assert source.first_line == example_function.__code__.co_firstlineno
    assert source.text[:2] == ("def example(x1, x2):", "    a = np.log(x1)")
    assert example_trace.note == ""
    assert [marked(example_trace, i) for i in operations(example_trace)] == [
        "np.log(x1)",
        "x1 * x2",
        "a + b",
        "np.sin(x2)",
        "s - c",
    ]


def test_an_indented_function_is_dedented():
    def f(x):
        if x > 0:
            return np.sin(x)
        return x

    trace = Trace.of(f, 1.0)
    assert trace.sources[0].text[0] == "def f(x):"
    assert marked(trace, 1) == "np.sin(x)"


def test_a_lambda_is_its_own_expression():
    trace = Trace.of(lambda x, y: np.exp(x) * y, 1.0, 2.0)
    assert trace.sources[0].text == ("lambda x, y: np.exp(x) * y",)
    assert [marked(trace, i) for i in operations(trace)] == ["np.exp(x)", "np.exp(x) * y"]


def test_two_lambdas_on_one_line():
    f, g = (lambda x: x * 2), (lambda x: x * 3 + 1)
    assert Trace.of(f, 1.0).sources[0].text == ("lambda x: x * 2",)
    assert Trace.of(g, 1.0).sources[0].text == ("lambda x: x * 3 + 1",)


# fmt: off
def test_a_lambda_over_several_lines():
    trace = Trace.of(
        lambda x, y: (x * y
                      + np.sin(x)), 1.0, 2.0)
    assert trace.sources[0].text == ("lambda x, y: (x * y", "+ np.sin(x))")
    assert marked(trace, 4) == "x * y\n+ np.sin(x)"
    assert marked(trace, 3) == "np.sin(x)"


def test_an_expression_over_several_lines():
    def f(x):
        return np.sin(
            x
        ) * 2

    trace = Trace.of(f, 1.0)
    assert marked(trace, 1) == "np.sin(\n        x\n    )"


def test_columns_are_characters_not_bytes():
    def f(θ, 速度):
        "Größe"; λ = θ * 速度; return λ + np.sin(θ)  # noqa: E702

    trace = Trace.of(f, 1.0, 2.0)
    assert trace.parameters == ("θ", "速度")
    assert [marked(trace, i) for i in operations(trace)] == ["θ * 速度", "np.sin(θ)", "λ + np.sin(θ)"]
# fmt: on


def square(x):
    return x * x


def test_a_function_that_is_called_is_a_second_source():
    def f(x):
        return square(x) + 1

    trace = Trace.of(f, 3.0)
    assert [source.name for source in trace.sources] == ["f", "square"]
    assert [span.source for span in trace.lines[1].where] == [0, 1]
    outer, _inner = trace.lines[1].where
    assert trace.sources[0].text[outer.line][outer.column : outer.end_column] == "square(x)"
    assert marked(trace, 1) == "x * x"


def test_a_function_defined_inside_is_shown_where_it_stands():
    def f(x):
        def inner(z):
            return z * z

        return sum(inner(x) for _ in range(2)) + np.sum([np.sin(z) for z in [x]].pop())

    trace = Trace.of(f, 3.0)
    assert [source.name for source in trace.sources] == ["f"]
    assert marked(trace, 1) == "z * z"
    assert "np.sin(z)" in [marked(trace, i) for i in operations(trace)]


def doubled(f):
    @functools.wraps(f)
    def wrapper(*args):
        return f(*args) * 2

    return wrapper


def test_a_decorated_function_comes_first_with_its_decorator():
    @doubled
    def f(x):
        return np.sin(x)

    trace = Trace.of(f, 1.0)
    assert trace.sources[0].text[:2] == ("@doubled", "def f(x):")
    assert trace.sources[1].name == "wrapper"
    assert marked(trace, 1) == "np.sin(x)"
    assert marked(trace, 2) == "f(*args) * 2"


class Model:
    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return self.w * x

    def loss(self, x):
        return self(x) ** 2

    @staticmethod
    def half(x):
        return x / 2


@pytest.mark.parametrize(
    ("f", "name", "text"),
    [
        (functools.partial(lambda a, x: a * x, 2.0), "<lambda>", "a * x"),
        (Model(3.0), "__call__", "self.w * x"),
        (Model(3.0).loss, "loss", "self.w * x"),
        (Model.half, "half", "x / 2"),
        (functools.partial(Model(3.0)), "__call__", "self.w * x"),
    ],
)
def test_other_callables(f, name, text):
    trace = Trace.of(f, 2.0)
    assert trace.sources[0].name == name
    assert marked(trace, 1) == text
    assert trace.note == ""


def test_a_callable_object_is_called_by_its_class():
    assert Trace.of(Model(3.0), 2.0).function == "Model"


def test_no_source_is_no_error():
    space = {"np": np}
    exec("def f(x):\n    return np.sin(x) * 2", space)
    trace = Trace.of(space["f"], 1.0)
    assert trace.sources == ()
    assert trace.note.startswith("The source of f is not available")
    assert [line.where for line in trace.lines] == [(), (), ()]
    assert trace.gradient[0].value == pytest.approx(2 * np.cos(1.0))


def test_a_helper_without_source():
    space = {"np": np}
    exec("def helper(x):\n    return np.sin(x)", space)

    def f(x):
        return space["helper"](x) * 2

    trace = Trace.of(f, 1.0)
    assert [source.name for source in trace.sources] == ["f"]
    assert trace.note.startswith("The source of helper is not available")
    assert marked(trace, 1) == 'space["helper"](x)'


def test_a_function_that_is_not_python():
    trace = Trace.of(np.sin, 1.0)
    assert "not written in Python" in trace.note
    assert trace.lines[1].text == "sin(v0)"


def test_what_came_with_python_is_not_shown():
    def f(x):
        return functools.reduce(operator.mul, [x, x]) + textwrap_free(x)

    def textwrap_free(x):
        return linear_part(x)

    trace = Trace.of(f, 2.0)
    assert all(source.name in ("f", "textwrap_free", "linear_part") for source in trace.sources)


def linear_part(x):
    return 3 * x


def test_a_cell_of_a_notebook():
    """IPython compiles a cell under a name of its own and keeps the text in linecache."""
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell.instance()
    cell = textwrap.dedent(
        """
        import numpy as np
        %precision 4
        def f(x):
            return np.sin(x) * 2
        """
    )
    assert shell.run_cell(cell).success
    trace = Trace.of(shell.user_ns["f"], 1.0)
    assert trace.sources[0].text == ("def f(x):", "    return np.sin(x) * 2")
    assert marked(trace, 1) == "np.sin(x)"
    # The same name in a later cell is another function.
    assert shell.run_cell("def f(x):\n    return np.cos(x)").success
    assert Trace.of(shell.user_ns["f"], 1.0).sources[0].text[1] == "    return np.cos(x)"


def test_a_file_that_changed_on_disk_does_not_break(tmp_path):
    path = tmp_path / "changing.py"
    path.write_text("import numpy as np\ndef f(x):\n    return np.sin(x)\n")
    space = {}
    exec(compile(path.read_text(), str(path), "exec"), space)
    path.write_text("x = 1\n")
    linecache.checkcache(str(path))
    trace = Trace.of(space["f"], 1.0)
    assert trace.sources == ()
    assert "not available" in trace.note


def test_python_without_columns(tmp_path):
    """`python -X no_debug_ranges` keeps lines only: the whole line is marked."""
    import subprocess

    path = tmp_path / "plain.py"
    path.write_text(
        "import numpy as np\nfrom autodiff_lab import Trace\n"
        "def f(x):\n    return np.sin(x)\nprint(Trace.of(f, 1.0).lines[1].where)\n"
    )
    done = subprocess.run(
        [sys.executable, "-X", "no_debug_ranges", str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Span(source=0, line=1, column=4, end_line=1, end_column=20)" in done.stdout
