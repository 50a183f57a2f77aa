import dataclasses
import itertools
import json

import hypothesis.extra.numpy as arrays_of
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autodiff_lab import (
    Trace,
    elementwise_grad,
    grad,
    hessian,
    jacfwd,
    jacobian,
    jacrev,
    record,
    value_and_grad,
)
from autodiff_lab.engine.errors import ShapeError
from autodiff_lab.trace.faulty_engines import FAULTS
from autodiff_lab.trace.model import Line, Number, Step
from autodiff_lab.trace.model.equation import KINDS


def test_lines_of_the_example(example_trace):
    assert [line.name for line in example_trace.lines] == [
        "v-1",
        "v0",
        "v1",
        "v2",
        "v3",
        "v4",
        "v5",
    ]
    assert [line.text for line in example_trace.lines[2:]] == [
        "log(v-1)",
        "v-1 * v0",
        "v1 + v2",
        "sin(v0)",
        "v3 - v4",
    ]
    assert [line.symbol for line in example_trace.lines] == [
        "x1",
        "x2",
        "log",
        "×",
        "+",
        "sin",
        "−",
    ]
    assert [line.latex for line in example_trace.lines[2:4]] == [r"\log v_{-1}", r"v_{-1} \, v_{0}"]
    assert example_trace.title == "f(x1, x2)".replace("f", "example")
    assert example_trace.result == 6
    assert example_trace.value.value == 11.652071455223084
    sine = example_trace.lines[5].operands[0]
    assert (sine.formula, sine.latex, sine.partial.text) == ("cos(v0)", r"\cos v_{0}", "0.2837")


def test_steps_of_the_example(example_trace):
    assert [step.phase for step in example_trace.steps] == ["record"] * 7 + ["seed"] + ["sweep"] * 8
    assert [step.line for step in example_trace.steps[7:]] == [6, 6, 6, 5, 4, 4, 3, 3, 2]
    assert [step.sentence for step in example_trace.steps] == [
        "The input x1 is 2.",
        "The input x2 is 5.",
        "a = log x1 = log 2 = 0.6931.",
        "b = x1 · x2 = 2 · 5 = 10.",
        "s = a + b = 0.6931 + 10 = 10.6931.",
        "c = sin x2 = sin 5 = −0.9589.",
        "y = s − c = 10.6931 − (−0.9589) = 11.6521.",
        "Start the sweep: y is the result, so its adjoint is 1.",
        "y = s − c sends 1 · 1 = 1 to s; s now holds 1.",
        "y = s − c sends 1 · (−1) = −1 to c; c now holds −1.",
        "c = sin x2 sends −1 · cos 5 = −0.2837 to x2; x2 now holds −0.2837. "
        "x2 is also used in b: one more contribution is still to come.",
        "s = a + b sends 1 · 1 = 1 to a; a now holds 1.",
        "s = a + b sends 1 · 1 = 1 to b; b now holds 1.",
        "b = x1 · x2 sends 1 · 5 = 5 to x1; x1 now holds 5. "
        "x1 is also used in a: one more contribution is still to come.",
        "b = x1 · x2 sends 1 · 2 = 2 to x2; x2 now holds −0.2837 + 2 = 1.7163.",
        "a = log x1 sends 1 · (1 / 2) = 0.5 to x1; x1 now holds 5 + 0.5 = 5.5.",
    ]


def test_arithmetic_of_the_example(example_trace):
    steps = [[equation.text for equation in step.equations] for step in example_trace.steps]
    assert steps[:7] == [
        ["v₋₁ = x1 = 2"],
        ["v₀ = x2 = 5"],
        ["v₁ = log v₋₁ = log 2 = 0.6931"],
        ["v₂ = v₋₁ · v₀ = 2 · 5 = 10"],
        ["v₃ = v₁ + v₂ = 0.6931 + 10 = 10.6931"],
        ["v₄ = sin v₀ = sin 5 = −0.9589"],
        ["v₅ = v₃ − v₄ = 10.6931 − (−0.9589) = 11.6521"],
    ]
    assert steps[7] == ["v̄₅ = 1  the seed: the result with respect to itself"]
    assert steps[10] == [
        "v̄₀ = not reached + v̄₄ · ∂v₄/∂v₀ = (−1) × cos v₀ = (−1) × 0.2837 = −0.2837"
    ]
    assert steps[14] == [
        "v̄₀ = −0.2837 + v̄₂ · ∂v₂/∂v₀ = −0.2837 + 1 × v₋₁ = −0.2837 + 1 × 2 = 1.7163"
    ]
    assert steps[15] == [
        "v̄₋₁ = 5 + v̄₁ · ∂v₁/∂v₋₁ = 5 + 1 × (1 / v₋₁) = 5 + 1 × 0.5 = 5.5",
        "∂example/∂x1 = 5.5   ∂example/∂x2 = 1.7163",
    ]
    assert {kind for step in example_trace.steps for e in step.equations for kind in e.form} <= {
        *KINDS,
        *"=+×·",
    }


def test_an_input_that_is_never_reached_has_derivative_0():
    last = Trace.of(lambda x, b: 3.0, 2.0, 5.0).steps[-1].equations[-1]
    assert last.text == "∂y/∂x = 0 (never reached)   ∂y/∂b = 0 (never reached)"


@pytest.mark.parametrize(
    ("f", "args"), [(lambda x, y: x * y, (np.ones((2, 3)), np.ones(3))), (np.sum, (np.ones(3),))]
)
def test_arithmetic_ends_in_the_new_number(f, args):
    for step in Trace.of(f, *args).steps:
        for send, equation in zip(step.sends, step.equations, strict=False):
            assert equation.text.endswith(f" = {send.after.text}")


def test_the_state_at_a_step(example_trace):
    assert example_trace.recorded_at(-1) == 0
    assert example_trace.recorded_at(3) == 4
    assert example_trace.adjoints_at(6) == [None] * 7
    halfway = example_trace.adjoints_at(10)
    assert halfway[1].value == -0.28366218546322625
    assert halfway[0] is None
    assert [a.value for a in example_trace.gradient] == [5.5, 1.7163378145367738]


def f_matrix(w, x):
    h = np.tanh(w @ x + x[0])
    return np.mean(np.stack([h, h * 2.0]) ** 2)


ARRAYS = (np.array([[1.0, 2.0], [3.0, -4.0]]), np.array([0.1, 0.2]))
FUNCTIONS = [
    (lambda x, y: np.log(x) + x * y - np.sin(y), (2.0, 5.0)),
    (lambda x: x * x * x, (3.0,)),
    (lambda x: (x + x) * (x - x), (3.0,)),
    (lambda x, y: x**y / y + np.maximum(x, y) - abs(x), (2.0, 3.0)),
    (lambda x, y: np.sign(x) * y + np.exp(-x), (2.0, 3.0)),
    (lambda x: np.sum(x**2 + 1), (np.arange(100.0),)),
    (f_matrix, ARRAYS),
    (lambda w: np.sum(w.T.reshape(4)[1:] * w[1, 1]), (ARRAYS[0],)),
    (lambda x: 3.0, (2.0,)),
    (lambda x: x, (2.0,)),
]


@pytest.mark.parametrize(("f", "args"), FUNCTIONS)
def test_contributions_add_up_to_adjoints_and_gradient(f, args):
    """What the views show is what the engine computed: entry by entry, and in the end."""
    trace = Trace.of(f, *args)
    total = [0.0 for _ in trace.lines]
    if trace.result is not None:
        total[trace.result] = 1.0
    for step in trace.steps:
        for send in step.sends:
            if send.contribution.value is not None:
                total[send.parent] = total[send.parent] + np.array(send.contribution.value)
    for line, (summed, adjoint) in enumerate(
        zip(total, trace.adjoints_at(len(trace.steps)), strict=True)
    ):
        if adjoint is not None and adjoint.value is not None:
            np.testing.assert_allclose(
                summed, adjoint.value, rtol=1e-12, err_msg=trace.lines[line].name
            )
    expected = grad(f, argnums=tuple(range(len(args))))(*args)
    for shown, gradient in zip(trace.gradient, expected, strict=True):
        if shown is None:
            assert not np.any(gradient)
        elif shown.value is not None:
            np.testing.assert_array_equal(np.array(shown.value), gradient)


@pytest.mark.parametrize("fault", ["", *FAULTS])
@pytest.mark.parametrize(("f", "args"), FUNCTIONS)
def test_each_contribution_is_a_step_with_its_own_questions(f, args, fault):
    trace = Trace.of(f, *args, fault=fault)
    _, tape = record(f, *args)
    sent = 0
    for before, step in itertools.pairwise(trace.steps):
        if step.phase == "sweep":
            assert len(step.sends) <= 1 and len(step.equations) - (step is trace.steps[-1]) == 1
            assert {question.kind for question in step.questions} <= {"partial", "adjoint"}
            assert len(step.questions) in (0, 2 * len(step.sends))
            assert step.meter.products == before.meter.products + len(step.sends)
            sent += len(step.sends)
    assert trace.cost.products == sent
    if not fault:
        edges = [(step.line, send.slot) for step in trace.steps for send in step.sends]
        assert len(set(edges)) == len(edges)
        reached = [
            i
            for i, adjoint in enumerate(trace.adjoints_at(len(trace.steps)))
            if adjoint and tape.ops[i]
        ]
        assert sorted({step.line for step in trace.steps if step.phase == "sweep"}) == reached


@pytest.mark.parametrize(("f", "args"), FUNCTIONS)
def test_every_contribution_says_what_it_is_and_how_large(f, args):
    sends = [send for step in Trace.of(f, *args).steps for send in step.sends]
    sizes = [
        np.max(np.abs(send.contribution.value))
        for send in sends
        if send.contribution.value is not None
    ]
    assert all(send.term and 0 <= send.share <= 1 for send in sends)
    if sends and len(sizes) == len(sends) and max(sizes):
        np.testing.assert_allclose(
            [send.share for send in sends], np.array(sizes) / max(sizes), atol=6e-4
        )


def test_terms_of_products_of_maps_and_of_arrays(example_trace):
    assert [send.term for step in example_trace.steps for send in step.sends] == [
        *("1 × 1", "1 × (−1)", "(−1) × 0.2837", "1 × 1", "1 × 1", "1 × 5", "1 × 2", "1 × 0.5"),
    ]
    matrix = Trace.of(f_matrix, *ARRAYS)
    terms = [
        (matrix.lines[step.line].op, send.term) for step in matrix.steps for send in step.sends
    ]
    assert [term for op, term in terms if op == "matmul"] == ["outer(v̄₁, v₀)", "v₋₁.T @ v̄₁"]
    assert [term for op, term in terms if op == "tanh"] == ["v̄₄ × ((1 / cosh(v₃))²)"]


@pytest.mark.parametrize(("f", "args"), FUNCTIONS)
def test_before_and_after_follow_on_each_other(f, args):
    trace = Trace.of(f, *args)
    held = [None] * len(trace.lines)
    for step in trace.steps:
        if step.phase == "seed":
            held[step.line] = step.adjoint
        if step.phase == "sweep":
            assert step.adjoint == held[step.line]
        for send in step.sends:
            assert send.before == held[send.parent]
            held[send.parent] = send.after


@pytest.mark.parametrize(("f", "args"), FUNCTIONS)
def test_json_round_trip(f, args):
    trace = Trace.of(f, *args)
    again = Trace.from_json(trace.to_json())
    assert again == trace
    assert hash(again) == hash(trace)
    assert json.loads(trace.to_json()) == trace.to_dict()


def test_json_round_trip_of_what_is_not_finite():
    with np.errstate(all="ignore"):
        trace = Trace.of(lambda x, y: np.log(x) / y + np.stack([x / y, -1 / y]), -1.0, 0.0)
    again = Trace.from_json(trace.to_json())
    assert again == trace
    assert '"nan"' in trace.to_json()
    assert '"-inf"' in trace.to_json()


numbers = arrays_of.arrays(
    float, arrays_of.array_shapes(min_dims=0, max_dims=3, max_side=5), elements=st.floats()
)


@given(numbers)
def test_every_number_survives_json(example_trace, x):
    trace = dataclasses.replace(example_trace, value=Number.of(x))
    again = Trace.from_json(trace.to_json())
    assert again == trace
    if again.value.value is not None:
        np.testing.assert_array_equal(np.array(again.value.value, dtype=float).reshape(x.shape), x)
    else:
        assert x.size > 64


@pytest.mark.parametrize(
    "text",
    [
        "no JSON",
        "[]",
        "null",
        "{}",
        '{"numbers": []}',
        '{"numbers": [], "lines": 3}',
        '{"numbers": [], "title": "f", "shown": "another field"}',
    ],
)
def test_text_that_is_no_trace_is_refused(text):
    with pytest.raises(ValueError, match=r"not a trace .* Make one with Trace\.of"):
        Trace.from_json(text)


def test_a_place_beyond_the_numbers_is_refused(example_trace):
    data = example_trace.to_dict()
    data["value"] = len(data["numbers"])
    with pytest.raises(ValueError, match="not a trace"):
        Trace.from_json(json.dumps(data))


def test_the_json_has_the_agreed_form(example_trace):
    data = example_trace.to_dict()
    fields = [field.name for field in dataclasses.fields(Trace)]
    assert [name for name in data if name in fields] == [name for name in fields if name in data]
    assert set(data) - set(fields) == {"numbers"}
    assert data["lines"][2]["where"] == [[0, 1, 8, 1, 18]]
    assert data["numbers"][data["lines"][0]["value"]] == {"text": "2", "value": 2.0}
    contribution = data["numbers"].index({"text": "−0.2837", "value": -0.28366218546322625})
    assert data["steps"][10]["sends"] == [
        {
            "slot": 0,
            "parent": 1,
            "contribution": contribution,
            "after": contribution,
            "term": "(−1) × 0.2837",
            "share": 0.057,
        },
    ]


def test_the_json_says_nothing_twice(example_trace):
    data = example_trace.to_dict()
    texts = [json.dumps(number) for number in data["numbers"]]
    assert len(set(texts)) == len(texts)
    assert "null" not in json.dumps(data["steps"])
    assert len(example_trace.to_json()) < 13000


def test_a_result_that_needs_no_input():
    trace = Trace.of(lambda x: 3.0, 2.0)
    assert trace.result is None
    assert trace.value.text == "3"
    assert [step.phase for step in trace.steps] == ["record"]
    assert "does not depend on the inputs" in trace.note
    assert trace.gradient == (None,)


def test_lines_that_the_sweep_never_reaches():
    def f(x, y):
        z = np.exp(y)
        assert z > 0
        return x * 3

    trace = Trace.of(f, 2.0, 1.0)
    assert [trace.lines[i].name for i in trace.unreached] == ["v0", "v1"]
    assert not {step.line for step in trace.steps if step.phase == "sweep"} & set(trace.unreached)


def test_an_array_result_is_summed_and_says_so():
    trace = Trace.of(lambda x: x * x, np.arange(3.0))
    assert (
        trace.note
        == "The result is an array of shape (3,): the sum of its entries is differentiated."
    )
    assert trace.gradient[0].value == (0.0, 2.0, 4.0)


def test_a_constant_operand():
    line = Trace.of(lambda x: 3 * x, 2.0).lines[1]
    constant, x = line.operands
    assert (constant.line, constant.name, constant.partial, constant.formula) == (
        None,
        "3",
        None,
        "",
    )
    assert (x.partial.text, x.formula) == ("3", "3")


def test_one_line_used_twice_in_one_operation():
    steps = Trace.of(lambda x: x * x, 3.0).steps[-2:]
    sends = [send for step in steps for send in step.sends]
    assert [(send.slot, send.before and send.before.text, send.after.text) for send in sends] == [
        (0, None, "3"),
        (1, "3", "6"),
    ]
    assert [step.freed_lines for step in steps] == [(), (1,)]
    assert steps[0].sentence.endswith(
        "x is also used in another place of y: one more contribution is still to come."
    )
    assert "still to come" not in steps[1].sentence


def test_nothing_comes_back_through_a_flat_operation():
    step = Trace.of(lambda x: np.sign(x) * x, 2.0).steps[-1]
    assert step.sends == ()
    assert (
        step.sentence == "v₁ = sign x sends nothing back: its derivative is 0 wherever it has one."
    )


def test_large_arrays_are_summarised():
    trace = Trace.of(lambda x: np.sum(x * 2), np.ones((128, 64)))
    assert trace.lines[0].value == Number("(128, 64) array, all 1", None, (128, 64), cells="1")
    assert len(trace.to_json()) < 5000


def test_names_that_look_like_lines_of_the_tape():
    """A parameter called v2 must not be taken for the line v₂."""
    steps = Trace.of(lambda v2, x: v2 * x, 2.0, 3.0).steps
    assert [step.sentence for step in steps[::2][:2]] == [
        "v₋₁ is the input v2 = 2.",
        "y = v₋₁ · x = 2 · 3 = 6.",
    ]


def test_inputs_in_a_structure():
    trace = Trace.of(lambda p, x: p["w"][0] * x + p["b"], {"w": [1.0, 2.0], "b": 3.0}, 4.0)
    assert trace.title == "lambda p, x"
    assert trace.lines[0].label == "p['w'][0]"
    assert [adjoint and adjoint.text for adjoint in trace.gradient] == ["4", None, "1", "1"]


@pytest.mark.parametrize("a", [np.ones(2), np.ones((3, 2))])
@pytest.mark.parametrize("b", [np.arange(2.0), np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])])
def test_the_maps_shown_for_a_product_are_the_engine_s(a, b):
    """They are the only formulas written here and not run from the table, so each is evaluated and compared."""
    trace = Trace.of(lambda a, b: a @ b, a, b)
    _, tape = record(lambda a, b: a @ b, a, b)
    adjoint = np.arange(1.0, 1.0 + np.size(tape.values[2])).reshape(np.shape(tape.values[2]))[()]
    for slot, operand in enumerate(trace.lines[2].operands):
        formula = (
            operand.formula.replace("v\N{COMBINING MACRON}₁", "g")
            .replace("v-1", "a")
            .replace("v0", "b")
        )
        shown = eval(formula, {"g": adjoint, "a": a, "b": b, "outer": np.outer})
        np.testing.assert_allclose(
            shown, tape.ops[2].pullback(slot, adjoint, tape.values[2], tape.args[2], {})
        )


def test_a_rule_of_the_learner_s_own_that_does_not_run_on_names():
    from autodiff_lab.engine.dispatch import apply
    from autodiff_lab.engine.primitives import Op

    cube = Op("cube", lambda x: x**3, "elementwise", (lambda y, x: float(3 * x**2),))
    trace = Trace.of(lambda x: apply(cube, (x,)), 2.0)
    assert trace.lines[1].operands[0].formula == ""
    assert trace.steps[-1].sentence == "y = cube x sends 1 · 12 = 12 to x; x now holds 12."


def test_a_tape_that_was_recorded_without_sites(example_function):
    _, tape = record(example_function, 2.0, 5.0)
    trace = Trace.from_tape(tape, example_function)
    assert trace.sources[0].name == "example"
    assert all(line.where == () for line in trace.lines)


def test_repr_has_no_address(example_trace):
    assert repr(example_trace) == "<Trace of example(x1, x2): 7 lines, 16 steps>"


def cubes(x):
    return np.sum(x**3)


def squares(x):
    return x * x


@pytest.mark.parametrize(
    ("g", "title", "last"),
    [
        (cubes, "cubes(x)", "∂cubes/∂x = [3 12]"),
        (squares, "squares(x)", "∂Σsquares/∂x = [2 4]"),
        (grad(cubes), "cubes′(x)", "∂Σcubes′/∂x = [6 12]"),
        (hessian(cubes), "hessian(cubes)(x)", "∂Σy/∂x = [6 6]"),
        (jacobian(squares), "jacobian(squares)(x)", "∂Σy/∂x = [2 2]"),
        (jacrev(squares), "jacrev(squares)(x)", "∂Σy/∂x = [2 2]"),
        (jacfwd(squares), "jacfwd(squares)(x)", "∂Σy/∂x = [2 2]"),
        (elementwise_grad(squares), "elementwise_grad(squares)(x)", "∂Σy/∂x = [2 2]"),
        (grad(lambda x: np.sum(x**3)), "(lambda x)′", "∂Σy/∂x = [6 12]"),
        (jacrev(lambda x: x * x), "jacrev(lambda x)", "∂Σy/∂x = [2 2]"),
    ],
)
def test_titles_name_what_was_run_and_what_was_differentiated(g, title, last):
    trace = Trace.of(g, np.array([1.0, 2.0]))
    assert trace.title == title
    assert trace.steps[-1].equations[-1].text == last


def test_forward_the_result_itself_is_differentiated():
    trace = Trace.of(lambda x: x * np.array([1.0, 2.0]), 3.0, mode="forward")
    assert trace.steps[-1].equations[-1].text == "∂y/∂x = [1 2]"


def test_an_error_names_the_derivative_and_not_the_function():
    with pytest.raises(
        ShapeError,
        match=r"product′ returned a tuple of results.*`lambda \*x: grad\(…\)\(\*x\)\[0\]`",
    ):
        record(grad(product, argnums=(0, 1)), 2.0, 3.0)
    with pytest.raises(ShapeError, match=r"^value_and_grad\(product\) returned a tuple"):
        record(value_and_grad(product), 2.0, 3.0)


def product(x, y):
    return x * y


def test_json_has_the_names_of_the_fields():
    trace = Trace.of(grad(lambda x: x * x * x), 2.0)
    lines, steps = trace.to_dict()["lines"], trace.to_dict()["steps"]
    assert {"display_name", "source_expression", "adjoint_name", "tangent_name"} <= set(lines[1])
    assert any("sweep_id" in line for line in lines) and any(
        "freed_lines" in step for step in steps
    )
    for kind, found in ((Line, lines), (Step, steps)):
        names = {field.name for field in dataclasses.fields(kind)}
        assert all(data.keys() <= names for data in found)
    assert Trace.from_json(trace.to_json()).lines[-1].sweep_id == trace.lines[-1].sweep_id == 1


def test_a_number_of_an_array_is_no_scalar():
    assert Number.of(2.5).scalar == 2.5
    with pytest.raises(TypeError, match=r"an array of shape \(2,\)"):
        _ = Number.of([1.0, 2.0]).scalar
