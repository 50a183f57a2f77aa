"""Who handles an operation: rows of the table, levels, and NumPy's two protocols.

Read in this order: an :class:`Op` is one row of the table. A :class:`Level` is one derivative in progress (a tape, a
forward pass). :func:`apply` gives an operation to the highest level among its operands; to that level everything
lower is a constant. :class:`Traced` makes operators and plain NumPy calls end up in :func:`apply`.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NoReturn

import numpy as np

from .errors import DetachedError, LeakError, MutationError, ShapeError, UnsupportedError

__all__ = ["TABLE", "Level", "Op", "Traced", "apply", "shape_of", "unbroadcast"]

NOTHING: Mapping[str, Any] = {}

TABLE: dict[Any, Op] = {}
"""The rows, by the public NumPy function (or Python operator) that a learner calls. Filled by ``rules.py``."""


def one(y: Any, *operands: Any) -> float:
    """The partial of ``+``. The interpreters know it by identity and skip the multiplication."""
    return 1.0


class Op:
    """One row of the table: a primitive operation and how to differentiate it.

    Parameters
    ----------
    name : str
        What tapes, tables and drawings call it: ``"log"``, ``"multiply"``.
    fn : callable
        Computes the value, ``fn(*operands, **static)``. Called on whatever is one level down, so it must be built of
        functions that the table knows.
    kind : str
        ``"elementwise"``: `rules` are local partials ``partial(y, *operands)``, one per operand.
        ``"linear"``: linear in all operands together; `rules` are transposes ``transpose(g, y, *operands, **static)``.
        ``"multilinear"``: linear in each operand while the others are held; `rules` as for ``"linear"``.
        ``"flat"``: the derivative is zero wherever there is one; no rules.
        ``"comparison"``: flat, and the answer is plain booleans.
        ``"shape"``: answers about shape or type, never about value; no rules, nothing is recorded.
    rules : tuple of callables
        See `kind`. ``None`` stands for an operand that no derivative flows to (the condition of ``where``).
    symbol : str, optional
        The infix operator, if there is one: ``"*"``.
    variadic : bool
        The only rule serves every operand and is called with the operand's position first (``stack``).
    signature : inspect.Signature, optional
        The signature of the NumPy function, to tell operands from static arguments such as ``axis``.
    """

    __slots__ = ("fn", "kind", "name", "partials", "rules", "signature", "static", "symbol", "variadic")

    def __init__(
        self,
        name: str,
        fn: Callable[..., Any],
        kind: str,
        rules: tuple[Callable[..., Any] | None, ...] = (),
        symbol: str | None = None,
        variadic: bool = False,
        signature: inspect.Signature | None = None,
    ) -> None:
        self.name, self.fn, self.kind, self.rules = name, fn, kind, rules
        self.symbol, self.variadic, self.signature = symbol, variadic, signature
        self.partials = rules if kind == "elementwise" else None
        self.static = () if self.partials or not rules else _static_names(rules, variadic)

    def __call__(self, *operands: Any, **static: Any) -> Any:
        """Apply the row to numbers, or to traced values."""
        return apply(self, operands, static)

    def __repr__(self) -> str:
        return f"Op({self.name!r}, {self.kind})"

    def local_partial(self, k: int, y: Any, *operands: Any) -> Any:
        """The local partial ∂y/∂(operand k) of an elementwise row: a number, an array, or a formula on Symbols."""
        if self.partials is None:
            raise UnsupportedError(
                f"{self.name} is a {self.kind} map, not an elementwise one: it has no array of local partials. "
                "Its derivative is the map itself; use pullback (reverse) or pushforward (forward)."
            )
        return self.rules[k](y, *operands)  # type: ignore[misc]

    def pullback(self, k: int, g: Any, y: Any, operands: tuple[Any, ...], static: Mapping[str, Any] = NOTHING) -> Any:
        """What the adjoint `g` of the result adds to the adjoint of operand `k`; None where nothing flows.

        For an elementwise row: g · ∂y/∂(operand k), summed over the axes along which the operand was broadcast.
        For a linear row: the transposed map, applied to g.
        """
        if self.partials is not None:
            rule = self.partials[k]
            return unbroadcast(g if rule is one else g * rule(y, *operands), operands[k])  # type: ignore[misc]
        if self.variadic:
            return as_operand(self.rules[0](k, g, y, *operands, **static))  # type: ignore[misc]
        rule = self.rules[k] if self.rules else None
        return None if rule is None else as_operand(rule(g, y, *operands, **static))

    def pushforward(
        self,
        y: Any,
        operands: tuple[Any, ...],
        tangents: tuple[Any, ...],
        static: Mapping[str, Any] = NOTHING,
    ) -> Any:
        """The tangent of the result, from the operands' tangents (None: constant); None where nothing flows."""
        if self.kind == "linear":
            filled = tuple(
                (_zeros(x) if t is None else t) if self.variadic or self.rules[k] is not None else x
                for k, (x, t) in enumerate(zip(operands, tangents, strict=True))
            )
            return self.fn(*filled, **static)
        total = None
        for k, t in enumerate(tangents):
            if t is None or not self.rules:
                continue
            if self.partials is None:
                term = self.fn(*operands[:k], t, *operands[k + 1 :], **static)
            else:
                rule = self.partials[k]
                term = t if rule is one else t * rule(y, *operands)  # type: ignore[misc]
            total = term if total is None else total + term
        if total is not None and shape_of(total) != shape_of(y):
            total = np.broadcast_to(total, shape_of(y))
        return total


class Level:
    """One derivative in progress. Later levels have higher numbers; a level is open while its function runs.

    Unique numbers keep nested derivatives apart (perturbation confusion); being closed makes a value that escaped
    stop with a message instead of giving a wrong number. See Siskind and Pearlmutter, *Nesting forward-mode AD in a
    functional framework* (2008).
    """

    __slots__ = ("number", "open")
    _numbers: ClassVar[itertools.count[int]] = itertools.count(1)

    def __init__(self) -> None:
        self.number: float = next(Level._numbers)
        self.open = True

    def process(self, op: Op, operands: tuple[Any, ...], static: Mapping[str, Any]) -> Any:
        """Handle one operation, at least one operand of which belongs to this level."""
        raise NotImplementedError


def apply(op: Op, operands: tuple[Any, ...], static: Mapping[str, Any] = NOTHING) -> Any:
    """Run `op`: the highest level among the operands handles it; without one it is computed as it stands."""
    level: Level | None = None
    for x in operands:
        if isinstance(x, Traced) and (level is None or x.level.number > level.number):
            level = x.level
    if level is None:
        return op.fn(*operands, **static)
    if not level.open:
        raise_leak(op, operands, level)
    return level.process(op, operands, static)


def raise_leak(op: Op, operands: tuple[Any, ...], level: Level) -> NoReturn:
    """Say which value escaped, and how to keep it."""
    escaped = next(x for x in operands if isinstance(x, Traced) and x.level is level)
    raise LeakError(
        f"{op.name} was given {escaped!r}, which belongs to a derivative call that has already ended. "
        "Its derivative cannot be followed any more. Return the value from the function you differentiate "
        "(value_and_grad(..., has_aux=True) passes extra results out), or keep its plain number with `.value`."
    )


def shape_of(x: Any) -> tuple[int, ...]:
    """The shape of a number, an array or a traced value; () for a Python number."""
    return getattr(x, "shape", ())


def unbroadcast(g: Any, x: Any) -> Any:
    """Sum `g` over the axes along which `x` was broadcast: the adjoint of copying is adding."""
    have, want = shape_of(g), shape_of(x)
    if have == want:
        return g
    extra = len(have) - len(want)
    if extra:
        g = np.sum(g, axis=tuple(range(extra)))
    axes = tuple(i for i, n in enumerate(want) if n == 1 and have[i + extra] != 1)
    return np.sum(g, axis=axes, keepdims=True) if axes else g


class Traced:
    """Base of everything that flows through a program in a number's place: Variable, Dual, Symbol.

    Subclasses have a `value` (one level down) and a `level`.
    """

    __slots__ = ()
    level: Any
    value: Any

    # NumPy's two protocols. Functions are looked up in the table one by one; nothing is guessed.

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        op = TABLE.get(ufunc)
        if op is not None and method == "__call__" and not kwargs:
            return apply(op, tuple(map(as_operand, inputs)) if len(inputs) > 1 else inputs)
        if kwargs.pop("out", None) is not None:
            raise MutationError(
                f"np.{ufunc.__name__} was asked to write a recorded value into an existing array (`a += x` or "
                f"`out=`). Writing in place would lose the derivative: write `a = np.{ufunc.__name__}(a, x)` "
                "(or `a = a + x`) so that the result is a new value."
            )
        if method == "reduce" and ufunc is np.add:
            return np.sum(*inputs, **{"axis": 0, **kwargs})
        if method != "__call__" or kwargs:
            asked = f"np.{ufunc.__name__}.{method}" if method != "__call__" else f"np.{ufunc.__name__}"
            options = f" with {', '.join(kwargs)}=…" if kwargs else ""
            raise UnsupportedError(
                f"{asked}{options} has no derivative rule. Call np.{ufunc.__name__}(…) itself, without options"
                + (", or np.sum / np.cumsum / indexing for what the method does." if method != "__call__" else ".")
            )
        raise_unregistered(ufunc, f"np.{ufunc.__name__}")

    def __array_function__(self, func: Callable[..., Any], types: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        op = TABLE.get(func)
        if op is None:
            raise_unregistered(func, f"{func.__module__.replace('numpy', 'np')}.{func.__name__}")
        operands, static = split_arguments(op, args, kwargs)
        return apply(op, operands, static)

    # What would lose the derivative in silence raises, and says what to write instead.

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        raise DetachedError(
            f"NumPy asked for the bare numbers of {self!r}, which would lose its derivative. "
            "Build arrays from recorded values with np.stack([x, y]) instead of np.array([x, y]); use a NumPy "
            "function or a method instead of one that converts; or take `.value` if you want a constant."
        )

    def _detached(self, what: str, instead: str) -> NoReturn:
        raise DetachedError(
            f"{what} of {self!r} would lose its derivative. {instead} Use `.value` if you want the plain number."
        )

    def __float__(self) -> float:
        self._detached(
            "The float()",
            "Write np.sin(x) instead of math.sin(x), keep x itself instead of float(x), and build an array with "
            "np.stack([...]) instead of a[0] = x.",
        )

    def __int__(self) -> int:
        self._detached("The int()", "An integer has no derivative.")

    def __index__(self) -> int:
        self._detached("The integer index", "A position has no derivative.")

    def __complex__(self) -> complex:
        self._detached("The complex()", "Complex numbers are not supported; keep real and imaginary parts apart.")

    def __setitem__(self, index: Any, new: Any) -> None:
        raise MutationError(
            f"{self!r} cannot be written to: a tape remembers values, and a changed value would no longer be the one "
            "that was used. Build a new array instead, with np.where(mask, new, x) or np.stack([...])."
        )

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

    def __len__(self) -> int:
        if self.shape == ():
            raise TypeError(f"{self!r} is a single number and has no len().")
        return int(self.shape[0])

    def __iter__(self) -> Any:
        if self.shape == ():
            raise TypeError(f"{self!r} is a single number and cannot be iterated over.")
        return (self[i] for i in range(len(self)))

    __hash__ = object.__hash__

    def __getitem__(self, index: Any) -> Any:
        return apply(TABLE["getitem"], (self,), {"index": index})

    # The parts of an array's interface that have a rule.

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the value; () for a number."""
        return shape_of(self.value)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of entries."""
        return int(np.prod(self.shape))

    @property
    def dtype(self) -> Any:
        """NumPy's type of the entries."""
        return getattr(self.value, "dtype", np.dtype(float))

    @property
    def T(self) -> Any:
        """The transpose."""
        return np.transpose(self)

    def sum(self, axis: Any = None, keepdims: bool = False) -> Any:
        """The sum over all entries, or along an axis; see ``numpy.sum``."""
        return np.sum(self, axis=axis, keepdims=keepdims)

    def mean(self, axis: Any = None, keepdims: bool = False) -> Any:
        """The mean over all entries, or along an axis; see ``numpy.mean``."""
        return np.mean(self, axis=axis, keepdims=keepdims)

    def reshape(self, *shape: Any) -> Any:
        """The same entries in another shape; see ``numpy.reshape``."""
        return np.reshape(self, shape[0] if len(shape) == 1 else shape)

    def transpose(self, *axes: Any) -> Any:
        """The axes in another order; see ``numpy.transpose``."""
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes or None
        return np.transpose(self, order)


OPERATORS: dict[str, np.ufunc] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.divide,
    "pow": np.power,
    "matmul": np.matmul,
}
COMPARISONS = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}
COMPARISONS |= {"eq": np.equal, "ne": np.not_equal}


def _install_operators() -> None:
    def binary(ufunc: np.ufunc) -> tuple[Callable[..., Any], Callable[..., Any]]:
        return (
            lambda self, other: apply(TABLE[ufunc], (self, other)) if is_operand(other) else NotImplemented,
            lambda self, other: apply(TABLE[ufunc], (other, self)) if is_operand(other) else NotImplemented,
        )

    for name, ufunc in OPERATORS.items():
        forward, reflected = binary(ufunc)
        setattr(Traced, f"__{name}__", forward)
        setattr(Traced, f"__r{name}__", reflected)
    for name, ufunc in COMPARISONS.items():
        setattr(Traced, f"__{name}__", binary(ufunc)[0])
    for name, ufunc in {"neg": np.negative, "abs": np.absolute}.items():
        setattr(Traced, f"__{name}__", lambda self, ufunc=ufunc: apply(TABLE[ufunc], (self,)))


def is_operand(x: Any) -> bool:
    """Whether `x` can stand beside a traced value in arithmetic."""
    return isinstance(x, (Traced, int, float, np.ndarray, np.generic, list, tuple))


def as_operand(x: Any) -> Any:
    """Lists become arrays, arrays without axes become numbers; the rest stays as it is."""
    if isinstance(x, (list, tuple)):
        x = np.asarray(x)
    return x[()] if isinstance(x, np.ndarray) and x.ndim == 0 else x


def _static_names(rules: tuple[Callable[..., Any] | None, ...], variadic: bool) -> tuple[str, ...]:
    """The names behind the operands in a transpose's own signature: ``(g, y, x, axis=None)`` gives ``axis``."""
    rule = next(rule for rule in rules if rule is not None)
    parameters = list(inspect.signature(rule).parameters.values())
    behind = parameters[4 if variadic else 2 + len(rules) :]
    return tuple(p.name for p in behind)


def _zeros(x: Any) -> Any:
    return np.zeros(shape_of(x), dtype=getattr(x, "dtype", float))


def split_arguments(op: Op, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Tell the operands of a NumPy call from its static arguments (``axis``, ``shape``, …), by NumPy's signature."""
    if op.signature is None or op.kind in ("shape", "flat", "comparison"):
        return tuple(as_operand(a) for a in args), kwargs
    bound = op.signature.bind(*args, **kwargs).arguments
    names = list(op.signature.parameters)
    count = 1 if op.variadic else len(op.rules)
    operands = tuple(bound.pop(name) for name in names[:count] if name in bound)
    if op.variadic:
        operands = tuple(operands[0])
    static = {}
    for name, given in bound.items():
        if name in op.static:
            static[name] = given
        elif name == "out" and given is not None:
            raise MutationError(
                f"np.{op.name} was asked to write a recorded value into an existing array (out=…). "
                f"Drop `out` and use the array that np.{op.name} returns."
            )
        elif given is not op.signature.parameters[name].default:
            known = ", ".join(op.static) or "none"
            raise UnsupportedError(
                f"np.{op.name} with {name}={given!r} has no derivative rule. "
                f"Options that work here: {known}. Leave `{name}` out."
            )
    return tuple(as_operand(x) for x in operands), static


def raise_unregistered(func: Any, name: str) -> NoReturn:
    raise UnsupportedError(
        f"{name} has no derivative rule here, so its derivative would be lost. Write it with functions that have "
        f"one, or add a row to the table:\n"
        f"    from autodiff_lab.engine.rules import elementwise\n"
        f"    elementwise({name}, lambda y, x: ...)   # the local partial, from the result y and the operand x"
    )


_install_operators()
