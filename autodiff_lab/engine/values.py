"""Checking and converting the values that enter and leave a derivative: inputs, constants, seeds, gradients."""

import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from .broadcasting import shape_of
from .errors import InputError, ShapeError
from .printing import format_value

# NumPy's letters for the kinds of real numbers: floats, integers, booleans.
REAL_KINDS = "fiub"

FLOAT64 = np.dtype(np.float64)

# The types of numbers that an operation takes without conversion.
NUMBER_TYPES = frozenset({float, int, np.float64})

# This line makes glibc keep freed memory for the whole process. When a block of 16 MB is freed, glibc raises
# M_MMAP_THRESHOLD and M_TRIM_THRESHOLD to that size, and no longer returns smaller blocks to the system. Without it,
# each sweep frees its arrays and the next one starts with page faults: 222 for the Hessian of 100 inputs, which then
# takes 0.92 ms instead of 0.36. The block is never touched; with other C libraries the line has no effect.
np.empty(1 << 24, np.uint8)


class Traced:
    """A traced value: the base class of Variable, Dual and Symbol, by which dispatch knows them among the operands.

    It has a `value`, one level down, and the `level` it belongs to.
    """

    __slots__ = ()
    # Whether it holds the values of many examples (vmap), so that as an index it differs from example to example.
    of_many = False
    level: Any  # a `Level`, whose module imports this one
    value: Any


def innermost_value(x: Any) -> Any:
    """The plain value, a number or an array, below all the levels at which it is traced."""
    return innermost_value(x.value) if isinstance(x, Traced) else x


def is_plain(x: np.ndarray) -> bool:
    """Whether an array can be an operand without conversion: double precision, and at least one axis."""
    return x.dtype == FLOAT64 and x.ndim > 0


def as_plain_array(x: np.ndarray, name: str = "an operand") -> np.ndarray:
    """Convert an array of a harmless subclass to a plain one; refuse a subclass with its own arithmetic.

    ``np.memmap``, an array in a file, becomes a plain view of that file; code that keeps it must copy it. Masked
    arrays, ``np.matrix`` and unknown subclasses may compute other numbers than the plain arrays that rules are for.

    Raises
    ------
    InputError
        For any subclass except ``np.memmap``; the message says what to write instead.
    """
    if type(x) is np.ndarray:
        return x
    if is_refused_subclass(type(x)):
        raise refuse_subclass(type(x), name)
    return x.view(np.ndarray)


def is_refused_subclass(kind: type) -> bool:
    """Whether values of this class are arrays that may compute differently from NumPy's own."""
    return (
        issubclass(kind, np.ndarray) and kind is not np.ndarray and not issubclass(kind, np.memmap)
    )


def refuse_subclass(kind: type, name: str = "an operand") -> InputError:
    """The error for an array of a subclass of NumPy's array, with what to write instead."""
    said = f"{name[:1].upper()}{name[1:]} is"
    if issubclass(kind, np.ma.MaskedArray):
        return InputError(
            f"{said} a masked array, and derivative rules ignore its mask: masked entries would count. Write "
            "x.filled(0.0), with the number that masked entries should have, or choose with "
            "np.where(mask, 0.0, x.data)."
        )
    if issubclass(kind, np.matrix):
        return InputError(
            f"{said} an np.matrix, whose * is a product of matrices, and derivative rules are those of arrays. Write "
            "np.asarray(M), and @ where you mean the product of matrices."
        )
    return InputError(
        f"{said} an array of the class {kind.__name__}, whose arithmetic may differ from that of NumPy's arrays, and "
        "derivative rules are for these. Write np.asarray(x)."
    )


def as_value(x: Any, name: str = "the input") -> Any:
    """Check and convert an input value: to ``numpy.float64`` (float32 stays) or an array of floats.

    Raises
    ------
    InputError
        For anything that is not a real number or an array of real numbers.
    """
    kind = type(x)
    if (
        kind is np.float64
        or (kind is np.ndarray and x.dtype == FLOAT64 and x.ndim)
        or isinstance(x, Traced)
    ):
        return x
    if kind is float:
        return np.float64(x)
    if isinstance(x, (bool, np.bool_)):
        raise InputError(
            f"{name} is {x!r}, a yes or no, which has no derivative. Pass 1.0 or 0.0 for a number."
        )
    if not isinstance(x, (int, float, complex, np.generic, np.ndarray)):
        raise InputError(
            f"{name} is {_shorten(x)}, and a derivative is taken with respect to real numbers. "
            f"Pass a float, a NumPy array of floats, or a tuple, list or dict of these.{_advise_on(x)}"
        )
    a = as_plain_array(x, name) if isinstance(x, np.ndarray) else np.asarray(x)
    if a.dtype.kind not in "fiu":
        why = "real numbers have; convert with np.asarray(x, dtype=float)"
        if a.dtype.kind == "c":
            why = "complex numbers are not supported: pass the real and the imaginary part as two inputs"
        raise InputError(f"{name} has dtype {a.dtype}, which has no derivative here ({why}).")
    if a.dtype.kind != "f":
        a = a.astype(np.float64)
    return a[()] if a.ndim == 0 else a


def as_operand(x: Any) -> Any:
    """Convert an operand before dispatch: lists become arrays, 0-d arrays numbers; numbers must be real."""
    x_type = type(x)
    if (
        x_type is np.float64
        or x_type is float
        or (x_type is np.ndarray and x.ndim and x.dtype.kind in REAL_KINDS)
    ):
        return x  # nearly always
    if isinstance(x, Traced):
        return x
    if isinstance(x, (list, tuple)):
        x = np.asarray(x)
    if isinstance(x, np.ndarray):
        x = as_plain_array(x)
    kind = "c" if isinstance(x, complex) else getattr(getattr(x, "dtype", None), "kind", "f")
    if kind == "c":
        raise InputError(
            "complex numbers are not supported: keep the real and the imaginary part as two real values, such as "
            "np.cos(t) and np.sin(t) for exp(1j * t), or re**2 + im**2 for abs(z) ** 2."
        )
    if kind not in REAL_KINDS:
        raise InputError(
            f"An array of dtype {x.dtype} cannot be computed with here; convert with np.asarray(x, dtype=float)."
        )
    return x[()] if isinstance(x, np.ndarray) and x.ndim == 0 else x


# Arrays up to this size are copied at each use. Copying is faster than comparing up to 256 kB (1.4 instead of 3 µs for
# 64 kB), but then a loop of 10,000 steps `x = A @ x` would keep 10,000 copies of A on its tape.
MAX_COPIED_BYTES = 1 << 14

_copies: dict[int, tuple[weakref.ref[np.ndarray], np.ndarray]] = {}


def copy_constant(constant: Any) -> Any:
    """Return a copy of a constant for the tape, so that the program may overwrite an array that it has used.

    A small array is copied each time. A large one is copied once, and compared with its copy when it is used again: so
    a training loop reads its data at each step, but doesn't copy it. A read-only array is copied too, because a view
    that was taken earlier may still be writable.
    """
    kind = type(constant)
    # A shape or a tuple of axes: nothing in it can be changed in place.
    if kind is tuple and _is_hashable(constant):
        return constant
    if kind is tuple or kind is list:
        return kind(map(copy_constant, constant))
    if kind is not np.ndarray:
        if isinstance(constant, np.ndarray):
            return copy_constant(as_plain_array(constant))
        return constant
    array: np.ndarray = constant
    if array.nbytes <= MAX_COPIED_BYTES:
        return array.copy("K")
    key = id(array)
    known = _copies.get(key)
    if known is None or known[0]() is not array or not _have_same_bits(known[1], array):
        # A local name, because this module's globals may be gone when Python exits and frees the array.
        forget = _copies.pop
        known = _copies[key] = weakref.ref(array, lambda _: forget(key, None)), array.copy("K")
    return known[1]


def _is_hashable(x: Any) -> bool:
    try:
        hash(x)
    except TypeError:
        return False
    return True


# Integers as wide as an element, to compare its bits: then 0.0 and -0.0 differ, and NaN equals itself.
_BITS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def _have_same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays hold the same bits, in the same shape and type."""
    bits = _BITS.get(a.itemsize)
    if a.dtype != b.dtype or a.shape != b.shape or bits is None or not a.ndim:
        return False
    # This is faster than np.array_equal.
    return int(np.count_nonzero(a.view(bits) == b.view(bits))) == a.size


def as_number(x: Any, name: str = "the input") -> float:
    """Check an input value and convert it to one plain float, for the systems that work number by number.

    Raises
    ------
    InputError, ShapeError, DetachedError
        For anything that is not a real number; for an array; for a value that is being differentiated.
    """
    value = as_value(x, name)
    if shape_of(value) != ():
        raise ShapeError(
            f"{name} is an array of shape {shape_of(value)}, and this system works number by number. Pass its entries "
            "one by one, or use autodiff_lab.grad, which takes arrays."
        )
    return float(value)


def as_numpy_number(x: Any) -> Any:
    """Convert a Python number to NumPy's float64, for which 1 / 0 is infinite; Python would raise."""
    return np.float64(x) if type(x) is float or type(x) is int else x


def as_shaped(t: Any, x: Any, name: str = "the tangent") -> Any:
    """Check a tangent, a cotangent or a new value for `x`, and convert it: floats of the same shape."""
    t = as_value(t, name)
    if type(t) is not type(x) or type(t) is np.ndarray:
        like = getattr(x, "dtype", None)
        if like is not None and isinstance(t, (np.generic, np.ndarray)) and t.dtype != like:
            t = t.astype(like)
    if shape_of(t) != shape_of(x):
        raise ShapeError(
            f"{name} has shape {shape_of(t)}, but it must have the shape {shape_of(x)} of the value it belongs to "
            f"({format_value(x) if not isinstance(x, Traced) else repr(x)})."
        )
    return t


def zeros(x: Any) -> Any:
    """The gradient 0 for the input `x`, in its shape and type."""
    if type(x) is np.float64:
        return np.float64(0.0)
    return np.zeros(shape_of(x), dtype=getattr(x, "dtype", float))[()]


def zeros_like(x: Any) -> Any:
    """Zeros of the shape and type of the value `x`; for a Python number, 0.0."""
    return np.zeros(shape_of(x), dtype=x.dtype) if hasattr(x, "dtype") else 0.0


def ones(x: Any) -> Any:
    """The seed 1 for the result `x`, in its shape and type, from which a sweep starts."""
    if type(x) is np.float64:
        return np.float64(1.0)
    return np.ones(shape_of(x), dtype=getattr(x, "dtype", float))[()]


def to_output(x: Any) -> Any:
    """Convert a result for the caller: ``numpy.float64`` becomes a plain float, which prints as such.

    An array is copied, so the caller may change it in place.
    """
    if type(x) is np.float64:
        return float(x)
    return x.copy() if type(x) is np.ndarray else x


def to_outputs(gradients: list[Any], inputs: Sequence[Any], taken: Sequence[Any] = ()) -> list[Any]:
    """Convert gradients for the caller to the types of their inputs; arrays are copied only if they are shared.

    A gradient is shared if another gradient is the same array, or if it is one of `taken`, such as a seed.
    """
    held: set[int] = set()
    out: list[Any] = []
    for g, x in zip(gradients, inputs):  # noqa: B905 — `strict` costs as much as the rest for a number
        kind = type(g)
        if kind is np.float64 and type(x) is np.float64:
            g = float(g)
        elif kind is np.ndarray:
            held = held or set(map(id, taken))
            if type(x) is np.ndarray and g.dtype != x.dtype:
                g = g.astype(x.dtype)
            if g.base is not None or not g.flags.writeable or id(g) in held:
                g = g.copy()
            held.add(id(g))
        elif isinstance(g, np.generic) and isinstance(x, np.generic):
            g = to_output(type(x)(g))
        out.append(g)
    return out


def _advise_on(x: Any) -> str:
    """Advice on an input that is not a number: pass the parts of an object; bind None beforehand."""
    if x is None:
        return " Leave None out of the inputs: bind it first, as in partial(f, bias=None)."
    if getattr(x, "__dict__", None) and not isinstance(x, type):
        kind = type(x).__name__
        return f" Pass the parts of an object as a dict, vars(p), and put it together in the function: {kind}(**parts)."
    return ""


def _shorten(x: Any) -> str:
    text = repr(x)
    return f"{text if len(text) < 40 else text[:37] + '…'} ({type(x).__name__})"
