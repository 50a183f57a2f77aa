"""Misuses: programs that would lose their derivative, or ask for one that is not there.

To add one, add one entry to ``MISUSES``; the tests find it by themselves.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autodiff_lab import AutodiffError
from autodiff_lab.engine.errors import DetachedError, InputError, MutationError, ShapeError, UnsupportedError


class Misuse(NamedTuple):
    """A program of one input that must not give a number."""

    f: Callable[[Any], Any]
    error: type[Exception] | tuple[type[Exception], ...]
    says: str  # a regular expression for the remedy
    array: bool = False  # whether the input is an array


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


D, M, S, U, H, IN = DetachedError, MutationError, ShapeError, UnsupportedError, ValueError, InputError
NP_STACK, VALUE = r"np\.stack\(", r"\.value"

MISUSES: dict[str, Misuse] = {
    # Something asks for the bare number
    "math.sin(x)": Misuse(lambda x: math.sin(x), D, r"np\.sin\(x\) instead of math\.sin"),
    "math.sqrt(x)": Misuse(lambda x: math.sqrt(x), D, r"instead of math\."),
    "math.floor(x)": Misuse(lambda x: math.floor(x), D, VALUE),
    "float(x)": Misuse(lambda x: float(x), D, r"keep x itself instead of float\(x\)"),
    "int(x)": Misuse(lambda x: int(x), D, VALUE),
    "complex(x)": Misuse(lambda x: complex(x), D, r"real and imaginary parts"),
    "round(x)": Misuse(lambda x: round(x), TypeError, r"round"),
    "range(x)": Misuse(lambda x: sum(range(x)), D, VALUE),
    "[1, 2, 3][x]": Misuse(lambda x: [1.0, 2.0, 3.0][x], D, VALUE),
    "a[x]": Misuse(lambda x: np.arange(9.0)[x], D, VALUE),
    "operator.index(x)": Misuse(lambda x: operator.index(x), D, VALUE),
    "np.float64(x)": Misuse(lambda x: np.float64(x), D, VALUE),
    "np.array([x, x])": Misuse(lambda x: np.array([x, x]), D, r"np\.stack\(\[x, y\]\) instead of np\.array"),
    "np.array([x, 1.0])": Misuse(lambda x: np.array([x, 1.0]), D, NP_STACK),
    "np.array(x)": Misuse(lambda x: np.array(x), D, VALUE),
    "np.array([[x]], float)": Misuse(lambda x: np.array([[x]], dtype=float), D, NP_STACK),
    "np.asarray(x)": Misuse(lambda x: np.asarray(x), D, VALUE),
    "np.asarray([x], object)": Misuse(lambda x: np.sum(np.asarray([x, x], dtype=object)), AutodiffError, ""),
    "np.full(3, x)": Misuse(lambda x: np.full(3, x), D, NP_STACK),
    "np.sum([x, x])": Misuse(lambda x: np.sum([x, x]), D, NP_STACK),
    "np.sin([x, x])": Misuse(lambda x: np.sin([x, x]), D, NP_STACK),
    "np.linspace(0, x)": Misuse(lambda x: np.linspace(0, x), AutodiffError, r"np\.linspace|" + VALUE),
    "np.arange(x)": Misuse(lambda x: np.arange(x), AutodiffError, VALUE),
    "np.random.normal(x)": Misuse(lambda x: np.random.default_rng(0).normal(x), D, VALUE),
    "[x, x] * np.ones(2)": Misuse(lambda x: np.ones(2) * [x, x], D, NP_STACK),
    "x * [x, x]": Misuse(lambda x: x * [x, x], D, NP_STACK),
    "np.array(x), an array": Misuse(lambda x: np.array(x), D, VALUE, True),
    "np.array([x, x]), arrays": Misuse(lambda x: np.array([x, x]), D, NP_STACK, True),
    "w.dot(x)": Misuse(lambda x: np.ones((2, 3)).dot(x), D, VALUE, True),
    "np.vectorize(math.sin)(x)": Misuse(lambda x: np.vectorize(math.sin)(x), AutodiffError, VALUE, True),
    "np.random.shuffle(x)": Misuse(lambda x: np.random.default_rng(0).permutation(x), AutodiffError, VALUE, True),
    # Something is written in place
    "a[0] = x": Misuse(lambda x: _assign(np.zeros(3), 0, x), D, r"np\.stack\(\[\.\.\.\]\) instead of a\[0\] = x"),
    "a[:] = x": Misuse(lambda x: _assign(np.zeros(3), slice(None), x), D, NP_STACK),
    "a[mask] = x": Misuse(lambda x: _assign(np.zeros(3), np.array([True, False, True]), x), D, NP_STACK),
    "a.flat[0] = x": Misuse(lambda x: _assign(np.zeros(3).flat, 0, x), H, r"setting"),  # NumPy drops our message
    "a.fill(x)": Misuse(_fill, D, NP_STACK),
    "a[:] = x, an array": Misuse(lambda x: _assign(np.zeros(3), slice(None), x), D, NP_STACK, True),
    "a[0] = x[0]": Misuse(lambda x: _assign(np.zeros(3), 0, x[0]), D, NP_STACK, True),
    "a[0] = np.sum(x)": Misuse(lambda x: _assign(np.zeros(3), 0, np.sum(x)), D, NP_STACK, True),
    "x[0] = 1": Misuse(lambda x: _assign(x, 0, 1.0), M, r"np\.where\(.*np\.stack", True),
    "x[0] += 1": Misuse(lambda x: operator.setitem(x, 0, x[0] + 1), M, r"np\.where\(.*np\.stack", True),
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
    "np.matmul(a, x, out=b)": Misuse(lambda x: np.matmul(np.ones((3, 3)), x, out=np.ones(3)), M, r"np\.matmul\(", True),
    "np.stack([x], out=a)": Misuse(lambda x: np.stack([x, x], out=np.ones((2, 3))), M, r"Drop `out`", True),
    "np.copyto(a, x)": Misuse(_copyto, AutodiffError, r"np\.copyto"),
    # A function, a method or an option without a rule
    "np.sinh(x)": Misuse(
        lambda x: np.sinh(x), U, r"np\.sinh has no derivative rule .*\n.*\n    elementwise\(np\.sinh,"
    ),
    "np.hypot(x, 1)": Misuse(lambda x: np.hypot(x, 1.0), U, r"np\.hypot has no derivative rule"),
    "np.floor_divide(x, 2)": Misuse(lambda x: np.floor_divide(x, 2), U, r"np\.floor_divide"),
    "np.float64(2) // x": Misuse(lambda x: np.float64(2) // x, U, r"np\.floor_divide"),
    "x // 2": Misuse(lambda x: x // 2, TypeError, r"//"),
    "x % 2": Misuse(lambda x: x % 2, TypeError, r"%"),
    "divmod(x, 2)": Misuse(lambda x: divmod(x, 2), TypeError, r"divmod"),
    "x & 1": Misuse(lambda x: x & 1, TypeError, r"&"),
    "np.modf(x)": Misuse(lambda x: np.modf(x)[0], U, r"np\.modf"),
    "np.max(x)": Misuse(lambda x: np.max(x), U, r"np\.max", True),
    "np.cumsum(x)": Misuse(lambda x: np.cumsum(x), U, r"np\.cumsum has no derivative rule .*\n.*\n    ", True),
    "np.linalg.norm(x)": Misuse(lambda x: np.linalg.norm(x), U, r"np\.linalg\.norm", True),
    "np.fft.fft(x)": Misuse(lambda x: np.fft.fft(x), U, r"np\.fft\.fft", True),
    "np.sort(x)": Misuse(lambda x: np.sort(x), U, r"np\.sort", True),
    "np.argmax(x)": Misuse(lambda x: np.argmax(x), U, r"np\.argmax", True),
    "x.max()": Misuse(lambda x: x.max(), AttributeError, r"max", True),
    "x.dot(x)": Misuse(lambda x: x.dot(x), AttributeError, r"dot", True),
    "np.add.at": Misuse(lambda x: np.add.at(np.zeros(3), [0], x), U, r"np\.add\.at.*Call np\.add\("),
    "np.add.accumulate": Misuse(lambda x: np.add.accumulate(x), U, r"np\.add\.accumulate.*Call np\.add\(", True),
    "np.add.reduceat": Misuse(lambda x: np.add.reduceat(x, [0, 1]), U, r"np\.add\.reduceat.*Call np\.add\(", True),
    "np.multiply.reduce": Misuse(
        lambda x: np.multiply.reduce(x), U, r"np\.multiply\.reduce.*Call np\.multiply\(", True
    ),
    "np.multiply.outer": Misuse(
        lambda x: np.multiply.outer(x, x), U, r"np\.multiply\.outer.*Call np\.multiply\(", True
    ),
    "np.sin(x, dtype=)": Misuse(lambda x: np.sin(x, dtype=np.float32), U, r"np\.sin with dtype=.*without options"),
    "np.add(x, 1, where=)": Misuse(lambda x: np.add(x, 1.0, where=False), U, r"np\.add with where=.*without options"),
    "np.sin(x, casting=)": Misuse(lambda x: np.sin(x, casting="unsafe"), U, r"np\.sin with casting="),
    "np.sum(x, dtype=)": Misuse(
        lambda x: np.sum(x, dtype=np.float32), U, r"np\.sum with dtype=.*Leave `dtype` out", True
    ),
    "np.sum(x, where=)": Misuse(
        lambda x: np.sum(x, where=np.array([True, False, True])), U, r"Leave `where` out", True
    ),
    "np.sum(x, initial=)": Misuse(lambda x: np.sum(x, initial=5.0), U, r"Options that work here: axis, keepdims", True),
    "np.mean(x, where=)": Misuse(lambda x: np.mean(x, where=x > 0), U, r"Leave `where` out", True),
    "np.add.reduce(x, initial=)": Misuse(lambda x: np.add.reduce(x, initial=5.0), U, r"initial", True),
    "np.reshape(x, order='F')": Misuse(lambda x: np.reshape(x, (3, 1), order="F"), U, r"Leave `order` out", True),
    "np.stack([x], dtype=)": Misuse(lambda x: np.stack([x, x], dtype=np.float32), U, r"Leave `dtype` out", True),
    # What is not a real number
    "x * 1j": Misuse(lambda x: x * 1j, TypeError, r"complex"),
    "1j * x": Misuse(lambda x: 1j * x, TypeError, r"complex"),
    "x * np.complex128(1j)": Misuse(lambda x: x * np.complex128(1j), AutodiffError, r"complex"),
    "x + np.array([1j])": Misuse(lambda x: x + np.array([1j, 2j, 3j]), AutodiffError, r"complex"),
    "np.array([1j]) * x": Misuse(lambda x: np.array([1j, 2j, 3j]) * x, AutodiffError, r"complex", True),
    "np.multiply(x, 1j)": Misuse(lambda x: np.multiply(x, 1j), AutodiffError, r"complex"),
    "(x * 1j).real by np.where": Misuse(lambda x: np.where(True, x, np.complex128(1j)), AutodiffError, r"complex"),
    "x * an object array": Misuse(lambda x: np.sum(np.array([1.0, 2.0, 3.0], object) * x), AutodiffError, r"object"),
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
    "for v in x": Misuse(lambda x: sum(v for v in x), AutodiffError, r"single number.*(np\.|array|list)"),
    "a, b = x": Misuse(lambda x: sum(a + b for a, b in [x]), AutodiffError, r"single number.*(np\.|array|list)"),
    "len(x)": Misuse(lambda x: x * len(x), AutodiffError, r"single number.*(np\.|array|list)"),
    "x[0] of a number": Misuse(lambda x: x[0], (AutodiffError, IndexError), r""),
    "x[5] of three": Misuse(lambda x: x[5], IndexError, r"out of bounds", True),
    "x @ x of numbers": Misuse(lambda x: x @ x, (AutodiffError, ValueError, TypeError), r""),
    "shapes that do not fit": Misuse(lambda x: x + np.ones(2), ValueError, r"broadcast", True),
}

NUMBER, ARRAY = 0.5, np.array([0.5, -1.5, 2.0])
