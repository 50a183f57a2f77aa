"""Operator overloading on traced values: Python's operators, array methods, and NumPy's two dispatch protocols.

Each function is looked up in the table, and nothing is guessed. Whatever would silently lose the derivative raises an
error that says what to write instead.
"""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np

from .calls import call_composed, numpy_name, split_arguments
from .dispatch import TABLE, apply
from .errors import AutodiffError, DetachedError, MutationError, ShapeError, UnsupportedError
from .frames import is_asked_by_masked_array
from .levels import is_paused, note_caught, open_levels
from .rules.special import add_special_rows
from .values import Traced, as_operand, as_plain_array, is_refused_subclass, refuse_subclass

Method = Callable[..., Any]


def is_operand(x: Any) -> bool:
    """Whether `x` can be the other operand of an overloaded operator, next to a traced value."""
    return isinstance(x, (Traced, int, float, complex, np.ndarray, np.generic, list, tuple))


def _raise_lost(x: Any, error: AutodiffError) -> NoReturn:
    """Raise the error of an overloaded operation that would lose a derivative, and note it with the outermost level.

    If the user's function catches the error and goes on, the derivative warns about it when the function returns.
    """
    level, lower = None, x
    while isinstance(lower, Traced):
        if lower.level in open_levels and not is_paused(lower.level):
            level = lower.level
        lower = getattr(lower, "value", None)
    if level is not None and level.caught is None:
        note_caught(level, error)
    raise error


class Overloaded(Traced):
    """The overloaded operators, array methods and NumPy protocols that Variable, Dual and Symbol inherit."""

    __slots__ = ()
    # The two functions of an operator, for ``self * x`` and for ``x * self``, by its ufunc.
    binary: ClassVar[dict[Any, tuple[Callable[..., Any], Callable[..., Any]]]] = {}

    # NumPy's two protocols.

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        op = TABLE.get(ufunc)
        if op is None and add_special_rows():
            op = TABLE.get(ufunc)
        if op is not None and method == "__call__" and not kwargs:
            # An operator gets here if its left operand is an array, or if it is called by name (np.add).
            if ufunc in self.binary:
                a, b = inputs
                forward, reflected = self.binary[ufunc]
                found = forward(self, b) if a is self else reflected(self, a)
                if found is NotImplemented:
                    return apply(op, tuple(map(as_operand, inputs)))
                return found
            if op.kind == "composed":
                return op.fn(*map(as_operand, inputs))
            return apply(op, tuple(map(as_operand, inputs)) if len(inputs) > 1 else inputs)
        name = numpy_name(ufunc)
        # Imported at the first error, so that importing the package stays fast.
        from .remedies import explain_in_place, missing_rule

        if kwargs.pop("out", None) is not None:
            written = MutationError(
                f"{name} was asked to write a recorded value into an existing array (`a += x` or "
                f"`out=`). Writing in place would lose the derivative: write `a = {name}(a, x)` "
                f"(or `a = a + x`) so that the result is a new value.{explain_in_place()}"
            )
            _raise_lost(self, written)
        if method == "__call__" and op is not None and op.kind == "composed":
            return call_composed(op, ufunc, inputs, kwargs)
        row = TABLE.get(f"{ufunc.__name__}.{method}") if name.startswith("np.") else None
        if row is not None:
            # NumPy has already put an operand that was passed by name among the inputs.
            kwargs.pop("array", None)
            return call_composed(row, row.fn, inputs, kwargs)
        if method == "outer" and op is not None and not kwargs:
            a, b = map(as_operand, inputs)
            return ufunc(np.reshape(a, np.shape(a) + (1,) * np.ndim(b)), b)
        if method != "__call__" or kwargs:
            called, instead = name, ""
            if method != "__call__":
                called = f"{name}.{method}"
                instead = ", or np.sum / np.cumsum / indexing for what the method does"
            options = f" with {', '.join(kwargs)}=…" if kwargs else ""
            refused = UnsupportedError(
                f"{called}{options} has no derivative rule. Call {name}(…) itself, without options{instead}."
            )
            _raise_lost(self, refused)
        _raise_lost(self, missing_rule(ufunc))

    def __array_function__(
        self, func: Callable[..., Any], types: Any, args: Any, kwargs: dict[str, Any]
    ) -> Any:
        for kind in types:
            if is_refused_subclass(kind):
                _raise_lost(self, refuse_subclass(kind))
        op = TABLE.get(func)
        if op is None:
            from .remedies import missing_rule

            _raise_lost(self, missing_rule(func))
        if op.kind == "composed":
            return call_composed(op, func, args, kwargs)
        operands, static = split_arguments(op, func, args, kwargs)
        return apply(op, operands, static)

    # Conversions that would silently lose the derivative: they raise an error that says what to write instead.

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        if is_asked_by_masked_array():
            _raise_lost(self, refuse_subclass(np.ma.MaskedArray))
        from .remedies import explain_conversion

        _raise_lost(self, DetachedError(explain_conversion(self)))

    def _raise_detached(self, what: str, instead: str | None) -> NoReturn:
        from .remedies import explain_float

        text = f"{what} of {self!r} would lose its derivative. {instead} Use `.value` if you want the plain number."
        _raise_lost(self, DetachedError(explain_float(self) if instead is None else text))

    def __format__(self, form: str) -> str:
        """Format the value, as in ``f"{x:.3f}"``: text is for reading, so no derivative is lost."""
        x: Any = self
        while form and isinstance(x, Overloaded) and hasattr(x, "value"):
            x = x.value
        return str(self) if not form or isinstance(x, Overloaded) else format(x, form)

    def _flat_value(self, what: str, instead: str | None) -> Any:
        """The plain number of a piecewise constant value (of floor, of sign), which has no derivative to lose."""
        if self.shape != () or not self.is_flat():
            self._raise_detached(what, instead)
        number: Any = self
        while isinstance(number, Traced):
            number = number.value
        # A comparison is recorded, so that running the tape again checks that the number is still the same.
        bool(self == number)
        return number

    def is_flat(self) -> bool:
        """Whether overloaded ``int()`` and ``float()`` may return a bare number: the value is piecewise constant."""
        return False

    def __float__(self) -> float:
        return float(self._flat_value("The float()", None))

    def __int__(self) -> int:
        step = "An integer has no derivative: write int(np.floor(x)), which is a step."
        return int(self._flat_value("The int()", step))

    def __round__(self, digits: int | None = None) -> int:
        self._raise_detached("The round()", "Write np.round(x): its derivative is 0.")

    def __trunc__(self) -> int:
        self._raise_detached("The math.trunc()", "Write np.trunc(x): its derivative is 0.")

    def __floor__(self) -> int:
        self._raise_detached("The math.floor()", "Write np.floor(x): its derivative is 0.")

    def __ceil__(self) -> int:
        self._raise_detached("The math.ceil()", "Write np.ceil(x): its derivative is 0.")

    def __divmod__(self, other: Any) -> NoReturn:
        raise UnsupportedError(
            f"divmod(a, b), here with {self!r}, has no derivative rule: write a // b and a % b."
        )

    __rdivmod__ = __divmod__

    def __index__(self) -> int:
        self._raise_detached(
            "The integer index",
            "A position or a count has no derivative: write int(x.value), or keep it out of the inputs, "
            "lambda x: f(x, 4).",
        )

    def __complex__(self) -> complex:
        self._raise_detached(
            "The complex()",
            "Complex numbers are not supported; keep real and imaginary parts apart.",
        )

    def __setitem__(self, index: Any, new: Any) -> None:
        written = MutationError(
            f"{self!r} cannot be written to: a tape remembers values, and a changed value would no longer be the one "
            "that was used. Build a new array instead, with np.where(mask, new, x) or np.stack([...])."
        )
        _raise_lost(self, written)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("_"):
            raise AttributeError(name)
        plain = "array" if self.shape else "number"
        raise AttributeError(
            f"A value that is being differentiated has no `.{name}`. Use a NumPy function of it, np.…(x), "
            f"or `.value` for the plain {plain}."
        )

    def __copy__(self) -> Any:
        return self  # it cannot be written to, so it is as good as a copy

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        self._raise_detached("Pickling", "A value on a tape cannot leave its process.")

    # Operators, derived from the table.

    def __bool__(self) -> bool:
        if self.shape != ():
            raise ShapeError(
                f"`if` needs one yes or no, and {self!r} has shape {self.shape}. Ask for one: np.all(x > 0), "
                "np.any(x > 0), or choose elementwise with np.where(condition, a, b)."
            )
        return bool(apply(TABLE[np.not_equal], (self, 0)))

    def __pos__(self) -> Any:
        return self

    def __invert__(self) -> Any:
        return apply(TABLE[np.invert], (self,))

    def __len__(self) -> int:
        if self.shape == ():
            raise UnsupportedError(
                f"{self!r} is a single number and has no len(). Use np.size(x), which is 1."
            )
        return int(self.shape[0])

    def __iter__(self) -> Any:
        if self.shape == ():
            raise UnsupportedError(
                f"{self!r} is a single number and cannot be iterated over. Pass an array, or a list of numbers."
            )
        return (self[i] for i in range(len(self)))

    __hash__ = object.__hash__

    def __getitem__(self, index: Any) -> Any:
        for part in index if isinstance(index, tuple) else (index,):
            if isinstance(part, np.ndarray):
                as_plain_array(part, "an index")
        return apply(TABLE["getitem"], (self,), {"index": index})

    if TYPE_CHECKING:  # what `_install_all_operators` installs

        def __add__(self, other: Any) -> Any: ...
        def __radd__(self, other: Any) -> Any: ...
        def __sub__(self, other: Any) -> Any: ...
        def __rsub__(self, other: Any) -> Any: ...
        def __mul__(self, other: Any) -> Any: ...
        def __rmul__(self, other: Any) -> Any: ...
        def __truediv__(self, other: Any) -> Any: ...
        def __rtruediv__(self, other: Any) -> Any: ...
        def __pow__(self, other: Any) -> Any: ...
        def __rpow__(self, other: Any) -> Any: ...
        def __matmul__(self, other: Any) -> Any: ...
        def __rmatmul__(self, other: Any) -> Any: ...
        def __floordiv__(self, other: Any) -> Any: ...
        def __rfloordiv__(self, other: Any) -> Any: ...
        def __mod__(self, other: Any) -> Any: ...
        def __rmod__(self, other: Any) -> Any: ...
        def __and__(self, other: Any) -> Any: ...
        def __rand__(self, other: Any) -> Any: ...
        def __or__(self, other: Any) -> Any: ...
        def __ror__(self, other: Any) -> Any: ...
        def __xor__(self, other: Any) -> Any: ...
        def __rxor__(self, other: Any) -> Any: ...
        def __lt__(self, other: Any) -> Any: ...
        def __le__(self, other: Any) -> Any: ...
        def __gt__(self, other: Any) -> Any: ...
        def __ge__(self, other: Any) -> Any: ...
        def __eq__(self, other: object) -> Any: ...
        def __ne__(self, other: object) -> Any: ...
        def __neg__(self) -> Any: ...
        def __abs__(self) -> Any: ...

        # These take the arguments of NumPy's functions of the same names.
        sum: Method
        mean: Method
        prod: Method
        max: Method
        min: Method
        ptp: Method
        var: Method
        std: Method
        cumsum: Method
        cumprod: Method
        all: Method
        any: Method
        argmax: Method
        argmin: Method
        argsort: Method
        clip: Method
        round: Method
        dot: Method
        trace: Method
        diagonal: Method
        ravel: Method
        repeat: Method
        squeeze: Method
        swapaxes: Method
        take: Method

    # The parts of an array's interface that have a rule.

    @property
    def shape(self) -> tuple[int, ...]:
        """The array attribute ``x.shape`` of a traced value; () for a number."""
        return getattr(self.value, "shape", ())

    @property
    def ndim(self) -> int:
        """The array attribute ``x.ndim`` of a traced value: its number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The array attribute ``x.size`` of a traced value: its number of entries."""
        return math.prod(self.shape)

    @property
    def dtype(self) -> Any:
        """The array attribute ``x.dtype`` of a traced value: NumPy's type of its entries."""
        return getattr(self.value, "dtype", np.dtype(float))

    @property
    def T(self) -> Any:
        """The array attribute ``x.T`` of a traced value: its transpose."""
        return np.transpose(self)

    def reshape(self, *shape: Any, **options: Any) -> Any:
        """The array method ``x.reshape(shape)`` on a traced value; see ``numpy.reshape``."""
        return np.reshape(self, shape[0] if len(shape) == 1 else shape, **options)

    def transpose(self, *axes: Any) -> Any:
        """The array method ``x.transpose(axes)`` on a traced value: axes in another order; see ``numpy.transpose``."""
        if len(axes) == 1 and not isinstance(axes[0], int):  # a tuple of axes, or None
            return np.transpose(self, axes[0])
        return np.transpose(self, axes or None)

    def flatten(self, order: Any = "C") -> Any:
        """The array method ``x.flatten()`` on a traced value: all entries in one axis; see ``numpy.ravel``."""
        return np.ravel(self, order=order)

    def astype(self, dtype: Any, *args: Any, **options: Any) -> Any:
        """The array method ``x.astype(dtype)``: floats are rounded; integers and booleans have derivative 0."""
        dtype = np.dtype(dtype)
        if dtype.kind == "b":
            return apply(TABLE[np.not_equal], (self, 0))
        if dtype.kind not in "fiu":
            self._raise_detached(f"The conversion to {dtype}", "Derivatives are of real numbers.")
        key = "astype" if dtype.kind == "f" else "as integers"
        return self if dtype == self.dtype else apply(TABLE[key], (self,), {"dtype": dtype})

    def copy(self, order: Any = "C") -> Any:
        """The array method ``x.copy()`` on a traced value: the value itself, since it cannot be written to."""
        return self


# Indices that are recorded as they are: they cannot be changed later, and they pick a number or a plain array.
BASIC_INDICES = frozenset({int, slice})

# The array methods that call NumPy's functions of the same names.
# fmt: off
METHODS = (
    "sum", "mean", "prod", "max", "min", "ptp", "var", "std", "cumsum", "cumprod", "all", "any", "argmax", "argmin",
    "argsort", "clip", "round", "dot", "trace", "diagonal", "ravel", "repeat", "squeeze", "swapaxes", "take",
)
# fmt: on

ELEMENTWISE_OPERATORS: dict[str, np.ufunc] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.divide,
    "pow": np.power,
}
OPERATORS = {
    **ELEMENTWISE_OPERATORS,
    "matmul": np.matmul,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
}
COMPARISONS = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}
COMPARISONS |= {"eq": np.equal, "ne": np.not_equal}
# For masks that are traced themselves, as in vmap. All other masks are plain arrays, and NumPy's own operators work.
OF_MASKS = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}


def install_operator(
    traced: type[Overloaded],
    name: str,
    ufunc: np.ufunc,
    forward: Callable[..., Any],
    reflected: Callable[..., Any],
) -> None:
    """Overload an operator on a class of traced values, for Python (``__mul__``, ``__rmul__``) and for NumPy."""
    setattr(traced, f"__{name}__", _refuse_modulus(forward) if name == "pow" else forward)
    setattr(traced, f"__r{name}__", reflected)
    traced.binary = {**traced.binary, ufunc: (forward, reflected)}


def _refuse_modulus(power: Callable[..., Any]) -> Callable[..., Any]:
    """Make ``x ** n`` refuse a modulus, ``pow(x, n, m)``, which has no rule."""

    def checked(self: Overloaded, exponent: Any, modulus: Any = None) -> Any:
        if modulus is not None:
            text = "pow(x, n, m) has no derivative rule. Write pow(x, n) % m, or x**n % m."
            _raise_lost(self, UnsupportedError(text))
        return power(self, exponent)

    return checked


def _make_binary(ufunc: np.ufunc) -> tuple[Method, Method]:
    """The two functions of an operator, for ``self * x`` and for ``x * self``."""

    def forward(self: Any, x: Any) -> Any:
        if not is_operand(x):
            return NotImplemented
        return apply(TABLE[ufunc], (self, as_operand(x)))

    def reflected(self: Any, x: Any) -> Any:
        if not is_operand(x):
            return NotImplemented
        return apply(TABLE[ufunc], (as_operand(x), self))

    return forward, reflected


def _make_unary(ufunc: np.ufunc) -> Method:
    """The function of an operator such as ``-x``: it calls the protocol, where subclasses have their fast paths."""
    return lambda self: self.__array_ufunc__(ufunc, "__call__", self)


def _make_method(function: Callable[..., Any]) -> Method:
    """The array method that calls a NumPy function."""
    return lambda self, *args, **options: function(self, *args, **options)


def _install_all_operators() -> None:
    for name, ufunc in {**OPERATORS, **OF_MASKS}.items():
        install_operator(Overloaded, name, ufunc, *_make_binary(ufunc))
    for name, ufunc in COMPARISONS.items():
        setattr(Overloaded, f"__{name}__", _make_binary(ufunc)[0])
    for name in METHODS:
        setattr(Overloaded, name, _make_method(getattr(np, name)))
    for name, ufunc in {"neg": np.negative, "abs": np.absolute}.items():
        setattr(Overloaded, f"__{name}__", _make_unary(ufunc))


_install_all_operators()
