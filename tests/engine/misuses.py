"""Misuses: programs that would lose their derivative, or ask for one that is not there.

To add one, add one entry to ``MISUSES``; the tests find it by themselves.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from autodiff_lab import AutodiffError
from autodiff_lab.engine.errors import DetachedError, InputError, MutationError, ShapeError

from .misuses_of_functions import WITHOUT_RULE, Misuse


def _assign(array: Any, index: Any, value: Any) -> Any:
    array[index] = value
    return array


def _fill(x: Any) -> Any:
    array = np.zeros(3)
    array.fill(x)
    return array


def _plus_equals(x: Any) -> Any:
    array = np.ones(3)
    array += x
    return array


def _minus_equals_at(x: Any) -> Any:
    array = np.ones(3)
    array[1:] -= x
    return array


def _copyto(x: Any) -> Any:
    array = np.zeros(3)
    np.copyto(array, x)
    return array


def _if(x: Any) -> Any:
    return x * 2 if x else x


def _while(x: Any) -> Any:
    while x:
        x = x - 1
    return x


D, M, S, H, IN = DetachedError, MutationError, ShapeError, ValueError, InputError
NP_STACK, VALUE = r"np\.stack\(", r"\.value"

MISUSES: dict[str, Misuse] = {
    # A traced value is converted to a plain number
    "math.sin(x)": Misuse(lambda x: math.sin(x), D, r"math\.sin\(x\)\nwrite\n    np\.sin\(x\)\n"),
    "math.sqrt(x)": Misuse(
        lambda x: math.sqrt(x), D, r"math\.sqrt\(x\)\nwrite\n    np\.sqrt\(x\)\n"
    ),
    "math.floor(x)": Misuse(lambda x: math.floor(x), D, VALUE),
    "float(x)": Misuse(lambda x: float(x), D, r"In place of\n +float\(x\)\nwrite\n +x\n"),
    "int(x)": Misuse(lambda x: int(x), D, VALUE),
    "complex(x)": Misuse(lambda x: complex(x), D, r"real and imaginary parts"),
    "round(x)": Misuse(lambda x: round(x), D, r"Write np\.round\(x\)"),
    "round(x, 1)": Misuse(lambda x: round(x, 1), D, r"Write np\.round\(x\)"),
    "math.trunc(x)": Misuse(lambda x: math.trunc(x), D, r"Write np\.trunc\(x\)"),
    "math.ceil(x)": Misuse(lambda x: math.ceil(x), D, r"Write np\.ceil\(x\)"),
    "range(x)": Misuse(lambda x: sum(range(x)), D, VALUE),
    "[1, 2, 3][x]": Misuse(lambda x: [1.0, 2.0, 3.0][x], D, VALUE),
    "a[x]": Misuse(lambda x: np.arange(9.0)[x], D, VALUE),
    "operator.index(x)": Misuse(lambda x: operator.index(x), D, VALUE),
    "np.float64(x)": Misuse(lambda x: np.float64(x), D, r"write\n +x\nor take `\.value`"),
    "np.array([x, x])": Misuse(
        lambda x: np.array([x, x]),
        D,
        r"In place of\n +np\.array\(\[x, x\]\)\nwrite\n +np\.stack\(\[x, x\]\)",
    ),
    "np.array([x, 1.0])": Misuse(lambda x: np.array([x, 1.0]), D, NP_STACK),
    "np.array(x)": Misuse(lambda x: np.array(x), D, VALUE),
    "np.array([[x]], float)": Misuse(
        lambda x: np.array([[x]], dtype=float), D, r"write\n +np\.block\(\[\[x\]\]\)\n"
    ),
    "np.asarray(x)": Misuse(lambda x: np.asarray(x), D, VALUE),
    "np.asarray([x], object)": Misuse(
        lambda x: np.sum(np.asarray([x, x], dtype=object)), AutodiffError, ""
    ),
    "np.full(3, x)": Misuse(lambda x: np.full(3, x), D, r"write\n +np\.broadcast_to\(x, 3\)\n"),
    "np.sum([x, x])": Misuse(lambda x: np.sum([x, x]), D, NP_STACK),
    "np.sin([x, x])": Misuse(lambda x: np.sin([x, x]), D, NP_STACK),
    "np.linspace(0, 1, x)": Misuse(lambda x: np.linspace(0.0, 1.0, x), D, VALUE),
    "np.arange(x)": Misuse(lambda x: np.arange(x), AutodiffError, VALUE),
    "np.random.normal(x)": Misuse(lambda x: np.random.default_rng(0).normal(x), D, VALUE),
    "[x, x] * np.ones(2)": Misuse(lambda x: np.ones(2) * [x, x], D, NP_STACK),
    "x * [x, x]": Misuse(lambda x: x * [x, x], D, NP_STACK),
    "np.array(x), an array": Misuse(lambda x: np.array(x), D, VALUE, True),
    "np.array([x, x]), arrays": Misuse(lambda x: np.array([x, x]), D, NP_STACK, True),
    "np.max([x, x])": Misuse(lambda x: np.max([x, x]), D, NP_STACK),
    "np.prod([x, x])": Misuse(lambda x: np.prod([x, x]), D, NP_STACK),
    "np.dot([1, 2], [x, x])": Misuse(lambda x: np.dot([1.0, 2.0], [x, x]), D, NP_STACK),
    "np.linalg.norm([x, x])": Misuse(lambda x: np.linalg.norm([x, x]), D, NP_STACK),
    "np.atleast_1d([x])": Misuse(lambda x: np.atleast_1d([x]), D, NP_STACK),
    "np.repeat(a, x)": Misuse(lambda x: np.repeat(x, x), D, VALUE, True),
    "math.fsum([x, x])": Misuse(lambda x: math.fsum([x, x]), D, VALUE),
    "math.hypot(x, 1)": Misuse(lambda x: math.hypot(x, 1.0), D, VALUE),
    "x.item()": Misuse(
        lambda x: x.item(), AttributeError, r"no `\.item`.*`\.value` for the plain number"
    ),
    "x.tolist()": Misuse(
        lambda x: x.tolist(), AttributeError, r"no `\.tolist`.*`\.value` for the plain array", True
    ),
    "x.astype(complex)": Misuse(lambda x: x.astype(complex), D, VALUE),
    "x.astype(str)": Misuse(lambda x: x.astype(str), D, VALUE, True),
    "np.asarray(x, np.float32)": Misuse(
        lambda x: np.asarray(x, dtype=np.float32), D, r"write\s+x\.astype\(np\.float32\)"
    ),
    "np.array([x], np.float32)": Misuse(lambda x: np.array([x], dtype=np.float32), D, NP_STACK),
    "np.float32(x)": Misuse(lambda x: np.float32(x), D, r"x\.astype"),
    "np.float32(x), an array": Misuse(lambda x: np.float32(x), D, r"x\.astype", True),
    "np.eye(x)": Misuse(lambda x: np.eye(x), D, VALUE),
    "np.testing.assert_allclose(x, 1)": Misuse(
        lambda x: np.testing.assert_allclose(x, 1.0), D, VALUE
    ),
    "np.nditer(x)": Misuse(lambda x: list(np.nditer(x)), (TypeError, AutodiffError), r"", True),
    "np.ndenumerate(x)": Misuse(lambda x: list(np.ndenumerate(x)), D, VALUE, True),
    "w.dot(x)": Misuse(lambda x: np.ones((2, 3)).dot(x), D, VALUE, True),
    "np.vectorize(math.sin)(x)": Misuse(
        lambda x: np.vectorize(math.sin)(x), AutodiffError, VALUE, True
    ),
    "np.random.shuffle(x)": Misuse(
        lambda x: np.random.default_rng(0).permutation(x), AutodiffError, VALUE, True
    ),
    # Something is written in place
    "a[0] = x": Misuse(
        lambda x: _assign(np.zeros(3), 0, x), D, r"append\(value\), then array = np\.stack\(parts\)"
    ),
    "a[:] = x": Misuse(lambda x: _assign(np.zeros(3), slice(None), x), D, NP_STACK),
    "a[mask] = x": Misuse(
        lambda x: _assign(np.zeros(3), np.array([True, False, True]), x), D, NP_STACK
    ),
    # NumPy drops our message
    "a.flat[0] = x": Misuse(lambda x: _assign(np.zeros(3).flat, 0, x), H, r"setting"),
    "a.fill(x)": Misuse(_fill, D, NP_STACK),
    "a[:] = x, an array": Misuse(lambda x: _assign(np.zeros(3), slice(None), x), D, NP_STACK, True),
    "a[0] = x[0]": Misuse(lambda x: _assign(np.zeros(3), 0, x[0]), D, NP_STACK, True),
    "a[0] = np.sum(x)": Misuse(lambda x: _assign(np.zeros(3), 0, np.sum(x)), D, NP_STACK, True),
    "x[0] = 1": Misuse(lambda x: _assign(x, 0, 1.0), M, r"np\.where\(.*np\.stack", True),
    "x[0] += 1": Misuse(
        lambda x: operator.setitem(x, 0, x[0] + 1), M, r"np\.where\(.*np\.stack", True
    ),
    "x[x < 0] = 0": Misuse(lambda x: _assign(x, x < 0, 0.0), M, r"np\.where\(", True),
    "del x[0]": Misuse(lambda x: operator.delitem(x, 0), (TypeError, AttributeError), r"", True),
    "a += x": Misuse(_plus_equals, M, r"a = a \+ x"),
    "a += x, an array": Misuse(_plus_equals, M, r"a = a \+ x", True),
    "a[1:] -= x": Misuse(_minus_equals_at, M, r"a = np\.subtract\(a, x\)"),
    "np.add(a, x, out=a)": Misuse(lambda x: np.add(np.ones(3), x, out=np.ones(3)), M, r"new value"),
    "np.sin(x, out=a)": Misuse(lambda x: np.sin(x, out=np.ones(3)), M, r"np\.sin\(", True),
    "np.sin(1.0, out=x)": Misuse(lambda x: np.sin(np.ones(3), out=x), M, r"new value", True),
    "np.sum(x, out=a)": Misuse(lambda x: np.sum(x, out=np.ones(())), M, r"Drop `out`", True),
    "np.mean(x, out=a)": Misuse(lambda x: np.mean(x, 0, None, np.ones(())), M, r"Drop `out`", True),
    "np.matmul(a, x, out=b)": Misuse(
        lambda x: np.matmul(np.ones((3, 3)), x, out=np.ones(3)), M, r"np\.matmul\(", True
    ),
    "np.stack([x], out=a)": Misuse(
        lambda x: np.stack([x, x], out=np.ones((2, 3))), M, r"Drop `out`", True
    ),
    "np.copyto(a, x)": Misuse(_copyto, M, r"np\.where"),
    "np.copyto(x, a)": Misuse(lambda x: np.copyto(x, np.ones(3)), M, r"np\.where", True),
    "np.put(a, [0], x)": Misuse(lambda x: np.put(np.zeros(3), [0], x), M, r"np\.where"),
    "np.put(x, [0], 1)": Misuse(lambda x: np.put(x, [0], 1.0), M, r"np\.where", True),
    "np.putmask(a, mask, x)": Misuse(
        lambda x: np.putmask(np.zeros(3), np.ones(3) > 0, x), M, r"np\.where", True
    ),
    "np.place(a, mask, x)": Misuse(
        lambda x: np.place(np.zeros(3), np.ones(3) > 0, x), M, r"np\.where", True
    ),
    "np.full_like(a, x)": Misuse(
        lambda x: np.full_like(np.ones(3), x), M, r"np\.broadcast_to\(x, shape\)"
    ),
    "np.fill_diagonal(a, x)": Misuse(lambda x: np.fill_diagonal(np.zeros((3, 3)), x), D, NP_STACK),
    "np.put_along_axis": Misuse(
        lambda x: np.put_along_axis(np.zeros(3), np.array([0]), x, 0),
        AutodiffError,
        r"np\.put_along_axis",
    ),
    "x.fill(0)": Misuse(lambda x: x.fill(0.0), AttributeError, r"no `\.fill`", True),
    "x.sort()": Misuse(lambda x: x.sort() or x, AttributeError, r"no `\.sort`", True),
    "x.flat[0] = 1": Misuse(
        lambda x: _assign(x.flat, 0, 1.0), AttributeError, r"no `\.flat`", True
    ),
    "x.put(0, 1)": Misuse(lambda x: x.put(0, 1.0), AttributeError, r"no `\.put`", True),
    "x.sum(out=a)": Misuse(lambda x: x.sum(out=np.zeros(())), M, r"Drop `out`", True),
    "x.round(out=a)": Misuse(lambda x: x.round(out=np.zeros(3)), M, r"Drop `out`", True),
    "np.median(x, 0, a)": Misuse(lambda x: np.median(x, 0, np.ones(())), M, r"Drop `out`", True),
    "np.ptp(x, 0, a)": Misuse(lambda x: np.ptp(x, 0, np.ones(())), M, r"Drop `out`", True),
    "np.take(x, [0], 0, a)": Misuse(
        lambda x: np.take(x, [0], 0, np.ones(1, int)), M, r"Drop `out`", True
    ),
    "np.dot(x, x, a)": Misuse(lambda x: np.dot(x, x, np.ones(())), M, r"Drop `out`", True),
    "np.clip(x, 0, 1, a)": Misuse(lambda x: np.clip(x, 0, 1, np.ones(3)), M, r"Drop `out`", True),
    "np.var(x, 0, None, a)": Misuse(
        lambda x: np.var(x, 0, None, np.ones(())), M, r"Drop `out`", True
    ),
    # What is not a real number
    "x * 1j": Misuse(lambda x: x * 1j, TypeError, r"complex"),
    "1j * x": Misuse(lambda x: 1j * x, TypeError, r"complex"),
    "x * np.complex128(1j)": Misuse(lambda x: x * np.complex128(1j), AutodiffError, r"complex"),
    "x + np.array([1j])": Misuse(lambda x: x + np.array([1j, 2j, 3j]), AutodiffError, r"complex"),
    "np.array([1j]) * x": Misuse(
        lambda x: np.array([1j, 2j, 3j]) * x, AutodiffError, r"complex", True
    ),
    "np.multiply(x, 1j)": Misuse(lambda x: np.multiply(x, 1j), AutodiffError, r"complex"),
    "(x * 1j).real by np.where": Misuse(
        lambda x: np.where(True, x, np.complex128(1j)), AutodiffError, r"complex"
    ),
    "x * an object array": Misuse(
        lambda x: np.sum(np.array([1.0, 2.0, 3.0], object) * x), AutodiffError, r"object"
    ),
    "x + 'a'": Misuse(lambda x: x + "a", TypeError, r"str"),
    "x * None": Misuse(lambda x: x * None, TypeError, r"NoneType"),
    "x < 'a'": Misuse(lambda x: x if x < "a" else -x, TypeError, r"str"),
    "returns None": Misuse(lambda x: None, IN, r"None.*(real numbers|return)"),
    "returns a str": Misuse(lambda x: "x", IN, r"real numbers"),
    "returns a yes": Misuse(lambda x: x > 0, IN, r"yes or no"),
    "returns yeses": Misuse(lambda x: x > 0, AutodiffError, r"bool|vjp", True),
    "returns a complex": Misuse(lambda x: 1j, IN, r"complex"),
    "returns a function": Misuse(lambda x: lambda y: x * y, IN, r"real numbers"),
    "returns a set": Misuse(lambda x: {x}, IN, r"real numbers"),
    # Decisions and loops
    "if x:": Misuse(_if, S, r"np\.all\(.*np\.any\(.*np\.where\(", True),
    "while x:": Misuse(_while, S, r"np\.where\(", True),
    "if x > 0:": Misuse(lambda x: x if x > 0 else -x, H, r"any|np\.where", True),
    "x and x": Misuse(lambda x: x and x * 2, S, r"np\.where\(", True),
    "not x": Misuse(lambda x: x * (not x), S, r"np\.where\(", True),
    "max(x, 0.0)": Misuse(lambda x: max(x, 0.0), H, r"", True),
    "for v in x": Misuse(
        lambda x: sum(v for v in x), AutodiffError, r"single number.*(np\.|array|list)"
    ),
    "a, b = x": Misuse(
        lambda x: sum(a + b for a, b in [x]), AutodiffError, r"single number.*(np\.|array|list)"
    ),
    "len(x)": Misuse(lambda x: x * len(x), AutodiffError, r"single number.*(np\.|array|list)"),
    "x[0] of a number": Misuse(lambda x: x[0], (AutodiffError, IndexError), r""),
    "x[5] of three": Misuse(lambda x: x[5], IndexError, r"out of bounds", True),
    "x @ x of numbers": Misuse(lambda x: x @ x, (AutodiffError, ValueError, TypeError), r""),
    "shapes that do not fit": Misuse(lambda x: x + np.ones(2), ValueError, r"broadcast", True),
}

MISUSES |= WITHOUT_RULE

NUMBER, ARRAY = 0.5, np.array([0.5, -1.5, 2.0])
