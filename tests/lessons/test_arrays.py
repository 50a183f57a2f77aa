"""The checks of the notebook `arrays`: their numbers are the reference's, and other good answers pass too."""

import json
from pathlib import Path

import numpy as np
import pytest

from autodiff_lab import grad
from autodiff_lab.lessons import arrays
from autodiff_lab.lessons.arrays.exercises import HEADS, attention, softmax_rows

from .test_every_exercise import submit

REFERENCE = json.loads(
    (Path(__file__).parents[1] / "data" / "reference_cases.json").read_text(encoding="utf-8")
)
GRADIENTS = {case["name"]: case["gradient"] for case in REFERENCE["cases"]}


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (arrays.ex_2.expected, GRADIENTS["mean_var"]["x"]),
        (arrays.ex_3.expected, [11.0, 0.0, 100.0]),
        (next(iter(arrays.ex_4.expected.values())), GRADIENTS["matmul_sum"]["A"]),
        (list(arrays.ex_4.expected.values())[1], GRADIENTS["matmul_sum"]["B"]),
        (arrays.ex_5.expected, GRADIENTS["trace_AA"]["A"]),
        (next(iter(arrays.ex_6.expected.values())), GRADIENTS["inv_sum"]["A"]),
    ],
    ids=["mean and variance", "gather", "product, A", "product, B", "trace", "inverse"],
)
def test_the_numbers_are_those_of_the_reference(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


BY_TUPLES = """
def unbroadcast(g, shape):
    ahead = np.ndim(g) - len(shape)
    stretched = [k + ahead for k, n in enumerate(shape) if n == 1]
    return np.reshape(np.sum(g, axis=tuple([*range(ahead), *stretched])), shape)
"""
BY_INDICES = """
def matmul(A, B):
    return Array(
        A.value @ B.value,
        (A, lambda g: np.einsum("ij,kj->ik", g, B.value)),
        (B, lambda g: np.einsum("ik,ij->kj", A.value, g)),
    )
"""
BY_SOLVING = """
def inverse(A):
    def pullback(g):
        return -np.linalg.solve(A.value.T, np.linalg.solve(A.value, g.T).T)
    return Array(np.linalg.inv(A.value), (A, pullback))
"""


@pytest.mark.parametrize(
    ("exercise", "written"),
    [
        (arrays.ex_1, BY_TUPLES),
        (
            arrays.ex_2,
            "answer = ad.grad(lambda x: np.mean(x) + np.var(x))(np.array([1.0, 2.0, 4.0, 8.0]))",
        ),
        (arrays.ex_3, "answer = np.array([11, 0, 100])"),
        (arrays.ex_4, BY_INDICES),
        (arrays.ex_5, "answer = 2 * np.array([[2.0, 1.0], [0.5, 3.0]]).T"),
        (arrays.ex_6, BY_SOLVING),
        (arrays.ex_7, "answer = 2 * 4 * (2 * 3 + 1) - 1, 3"),
    ],
    ids=lambda thing: getattr(thing, "name", "written"),
)
def test_another_good_answer_passes(exercise, written):
    reply = submit("arrays", exercise, written)
    assert reply.passed, reply


@pytest.mark.parametrize(
    ("exercise", "written", "said"),
    [
        (
            arrays.ex_1,
            "def unbroadcast(g, shape):\n    return g.sum()",
            "(3,) I expect (9, 18, 36), and you get 63",
        ),
        (
            arrays.ex_4,
            "def matmul(A, B):\n    return A.value @ B.value",
            "In the case the sum of A @ B",
        ),
        (
            arrays.ex_4,
            "def matmul(A, B):\n    return Array(A.value @ B.value)",
            "the adjoint of A I expect",
        ),
        (arrays.ex_6, "def inverse(A):\n    return 1 / A", "TypeError"),
        (arrays.ex_5, "answer = [4, 1, 2, 6]", "I expect two rows of two numbers"),
        (arrays.ex_7, "answer = (55, 4)", "only the second is not right"),
        (
            arrays.ex_8,
            "def attention_pullback(G, Q, K, V, P):\n    return Q, K, V, P",
            "you get 4 things in place of the three to_Q, to_K, to_V",
        ),
    ],
    ids=lambda thing: getattr(thing, "name", ""),
)
def test_what_nobody_foresaw_is_answered_with_the_case(exercise, written, said):
    reply = submit("arrays", exercise, written)
    assert reply.status == "not yet" and said in reply.text, reply


def test_the_learners_tape_is_given_back():
    before = "tape.append(Array([1.0, 2.0]))\nkept = list(tape)\n"
    after = "\ncheck.ex_4(matmul)\nassert tape == kept, 'the check left its cells behind'\n"
    assert submit("arrays", arrays.ex_4, before + arrays.ex_4.reference + after).passed


def test_an_attention_head_by_hand_is_the_engines():
    names = {}
    exec(arrays.ex_8.reference, names)
    q, k, v, g = HEADS["4 queries, 4 keys"]
    by_hand = names["attention_pullback"](g, q, k, v, softmax_rows(q @ k.T / np.sqrt(q.shape[1])))
    by_engine = grad(lambda *qkv: np.sum(attention(*qkv) * g), argnums=(0, 1, 2))(q, k, v)
    for ours, theirs in zip(by_hand, by_engine, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=1e-12)
