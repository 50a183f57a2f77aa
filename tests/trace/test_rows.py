"""What pictures say about each kind of row of the table: its operation, its partial or its map."""

import numpy as np
import pytest

from autodiff_lab import Trace, checkpoint, custom_gradient, stop_gradient

A = np.array([[3.0, 1.0], [1.0, 2.0]])
V = np.array([1.0, 2.0])
X = np.arange(1.0, 13.0).reshape(3, 4)
BAR = "\N{COMBINING MACRON}"


@custom_gradient(partials=lambda y, x: 1 / (1 + np.exp(-x)))
def softplus(x):
    return np.logaddexp(0.0, x)


@custom_gradient(vjp=lambda g, y, x: g * 3)
def thrice(x):
    return x * 3


def inner(x):
    return np.sin(x) * x


# The operation as it reads, its sign in the graph, and what its edges say; v̄ stands for the line's adjoint.
ROWS = {
    "sum": (lambda x: np.sum(x, axis=0), (X,), "sum(v₀, axis=0)", "sum", ["1"]),
    "mean": (lambda x: np.mean(x), (X,), "mean v₀", "mean", ["0.0833"]),
    "max": (lambda x: np.max(x, axis=1), (A,), "max(v₀, axis=1)", "max", ["[[1 0] [0 1]]"]),
    "prod": (lambda x: np.prod(x), (V,), "prod v₀", "prod", ["[2 1]"]),
    "norm": (lambda x: np.linalg.norm(x), (V,), "norm v₀", "norm", ["x / v₁"]),
    "norm along": (
        lambda x: np.linalg.norm(x, axis=1, keepdims=True),
        (A,),
        "norm(v₀, axis=1, keepdims=True)",
        "norm",
        ["x / v₁"],
    ),
    "entry": (lambda x: x[0], (X,), "v₀[0]", "[0]", ["v̄₁ at [0], else 0"]),
    "slice": (lambda x: x[1:, ::2], (X,), "v₀[1:, ::2]", "[1:, ::2]", ["v̄₁ at [1:, ::2], else 0"]),
    "concatenate": (
        lambda x, y: np.concatenate([x, y]),
        (V, V),
        "concatenate([v₋₁, v₀], axis=0)",
        "concatenate",
        ["v̄₁[0:2]", "v̄₁[2:4]"],
    ),
    "einsum": (
        lambda a, x: np.einsum("ij,j->i", a, x),
        (A, V),
        "einsum('ij,j→i', v₋₁, v₀)",
        "einsum",
        ["einsum('i,j→ij', v̄₁, x)", "einsum('i,ij→j', v̄₁, a)"],
    ),
    "solve": (
        lambda a, b: np.linalg.solve(a, b),
        (A, V),
        "solve(v₋₁, v₀)",
        "solve",
        ["pullback of solve", "pullback of solve"],
    ),
    "det": (lambda a: np.linalg.det(a), (A,), "det v₀", "det", ["pullback of det"]),
    "where": (
        lambda x, y: np.where(x > 1.5, x, y),
        (V, 2 * V),
        "where([False, True], v₋₁, v₀)",
        "where",
        ["", "where([0 1], v̄₁, 0)", "where([0 1], 0, v̄₁)"],
    ),
    "clip": (
        lambda x: np.clip(x, 0, 1),
        (V,),
        "clip(v₀, 0, 1)",
        "clip",
        ["(x > 0) · (x < 1)", "", ""],
    ),
    "clip below": (
        lambda x: np.clip(x, 0, None),
        (2.0,),
        "clip(v₀, 0, ∞)",
        "clip",
        ["(x > 0) · (x < ∞) = 1", "", ""],
    ),
    "cumsum": (lambda x: np.cumsum(x), (V,), "cumsum v₀", "cumsum", ["transpose of cumsum"]),
    "transpose": (lambda a: a.T, (A,), "v₀.T", "transpose", ["v̄₁.T"]),
    "reshape": (
        lambda a: np.reshape(a, (4,)),
        (A,),
        "reshape(v₀, (4,))",
        "reshape",
        ["reshape(v̄₁, (2, 2))"],
    ),
    "broadcast": (
        lambda x: np.broadcast_to(x, (3, 2)),
        (V,),
        "broadcast_to(v₀, (3, 2))",
        "broadcast_to",
        ["sum(v̄₁, axis=(0,))"],
    ),
    "stack of products": (
        lambda a, b: a @ b,
        (np.ones((2, 2, 2)), A),
        "v₋₁ @ v₀",
        "@",
        ["transpose of matmul", "transpose of matmul"],
    ),
    "flat": (lambda x: np.floor(x), (2.5,), "floor v₀", "floor", ["0"]),
    "flat with a sign": (lambda x: x // 2, (3.0,), "v₀ // 2", "//", ["0", ""]),
    "stop": (stop_gradient, (2.0,), "stop_gradient v₀", "stop_gradient", ["0"]),
    "own partial": (softplus, (0.5,), "softplus v₀", "softplus", ["1 / (1 + exp(−x)) = 0.6225"]),
    "own pullback": (thrice, (0.5,), "thrice v₀", "thrice", ["pullback of thrice"]),
    "checkpoint": (checkpoint(inner), (0.5,), "inner v₀", "inner", ["pullback of inner"]),
    "nameless": (checkpoint(lambda x: x * x), (0.5,), "λ v₀", "λ", ["pullback of λ"]),
}


@pytest.mark.parametrize("row", ROWS)
def test_one_line_says_what_it_is(row):
    f, args, expression, symbol, edges = ROWS[row]
    trace = Trace.of(f, *args)
    assert len(trace.lines) == len(args) + 1
    line = trace.lines[-1]
    assert (line.expression, line.symbol) == (expression, symbol)
    assert [operand.edge for operand in line.operands] == edges
    assert Trace.from_json(trace.to_json()) == trace


@pytest.mark.parametrize("row", ROWS)
def test_nothing_of_the_engine_s_own_spelling_is_left(row):
    f, args, *_ = ROWS[row]
    trace = Trace.of(f, *args)
    said = [line.source_expression for line in trace.lines] + [
        step.sentence for step in trace.steps
    ]
    said += [operand.edge_title or operand.edge for operand in trace.lines[-1].operands]
    said += [equation.text for step in trace.steps for equation in step.equations]
    for text in said:
        for engine in (
            "keepdims=False",
            "axis=None",
            "scatter",
            "->",
            "−>",
            "inf",
            "<lambda>",
            "slice(",
            " * ",
        ):
            assert engine not in text


REDUCTIONS = [np.sum, np.mean, np.prod, np.max, np.min, np.linalg.norm]


@pytest.mark.parametrize("f", REDUCTIONS)
@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("keepdims", [False, True])
def test_the_partial_of_a_reduction_is_its_weights(f, axis, keepdims):
    """An array of the operand's shape; times the adjoint of the line it is the contribution."""
    trace = Trace.of(lambda x: f(x, axis=axis, keepdims=keepdims), A)
    (operand,) = trace.lines[1].operands
    send = trace.steps[-1].sends[0]
    assert operand.partial.shape == A.shape
    assert operand.partial == send.contribution  # the seed is 1 everywhere


def test_a_reduction_spreads_and_broadcasting_is_summed():
    trace = Trace.of(lambda x: np.sum(x, axis=0) * 2, X)
    assert (
        trace.steps[-1]
        .equations[0]
        .text.startswith(
            f"v{BAR}₀ = not reached + v{BAR}₁ · ∂v₁/∂v₀ = v{BAR}₁ × 1 spread to the shape (3, 4) = "
        )
    )
    assert "· 1, spread over the entries, = (3, 4) all 2 to x" in trace.steps[-1].sentence
    trace = Trace.of(lambda x, c: x * c, X, 2.0)
    assert "× v₋₁ summed to the shape () = 78" in trace.steps[-1].equations[0].text
    assert "the sum of" in trace.steps[-1].sentence


def test_a_long_formula_gives_way_to_the_numbers():
    trace = Trace.of(lambda table: np.max(table, axis=1), A)
    assert f"y{BAR} · [[1 0] [0 1]], spread over the entries," in trace.steps[-1].sentence
    assert trace.lines[1].operands[0].edge_title.startswith("(table == v₁) / sum(")


def test_a_general_row_is_named_in_words_and_numbers():
    trace = Trace.of(np.linalg.det, A)
    assert (
        "sends its adjoint through the pullback of det = [[2 −1] [−1 3]]"
        in trace.steps[-1].sentence
    )
    equation = trace.steps[-1].equations[0].text
    assert (
        equation == f"v{BAR}₀ = not reached + v{BAR}₁ through the pullback of det = [[2 −1] [−1 3]]"
    )


def test_a_composed_function_is_its_lines():
    trace = Trace.of(np.var, V)
    assert [line.expression for line in trace.lines[1:]] == [
        "mean(v₀, keepdims=True)",
        "v₀ − v₁",
        "v₂ · v₂",
        "sum v₃",
        "v₄ / 2",
    ]


@pytest.mark.parametrize(
    "row", ["einsum", "where", "reshape", "broadcast", "transpose", "concatenate"]
)
def test_the_formula_of_a_map_is_the_map(row):
    """Each is evaluated on numbers and compared with what the engine sends."""
    f, args, *_ = ROWS[row]
    trace = Trace.of(lambda *x: f(*x) * 2, *args)
    sends = next(
        step.sends for step in trace.steps if step.phase == "sweep" and step.line == len(args)
    )
    for send in sends:
        names = {f"v{BAR}₁": "g", "v-1": "first", "v0": "second"}
        formula = trace.lines[len(args)].operands[send.slot].formula
        if "subscripts" in formula:
            formula = formula.replace("einsum(", "einsum_named(")
        for name, plain in names.items():
            formula = formula.replace(name, plain)
        g = np.full(trace.lines[len(args)].value.shape, 2.0)
        known = {
            **{
                name: getattr(np, name)
                for name in ("where", "reshape", "transpose", "sum", "einsum", "broadcast_to")
            },
            "einsum_named": lambda *x, subscripts: np.einsum(subscripts, *x),
            "first": args[0],
            "second": args[-1],
            "g": g,
        }
        shown = eval(formula.replace("[0 1]", "[0, 1]"), known)
        np.testing.assert_allclose(shown, np.array(send.contribution.value))


@pytest.mark.parametrize(
    ("x", "short"),
    [
        (2.0, ""),
        (V, ""),
        (A, ""),
        (A / 3, ""),
        (X, "(3, 4) min 1, max 12"),
        (np.full(3, 1 / 3), ""),
        (np.array([np.nan] * 9), "(9,) no finite entry"),
        (np.zeros((0, 3)), ""),
    ],
)
def test_a_node_lists_a_small_array_and_shows_the_shape_and_range_of_a_larger_one(x, short):
    value = Trace.of(lambda x: x, x).lines[0].value
    assert value.short == short
    assert value.in_node == short or value.in_node == value.text
