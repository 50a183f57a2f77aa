"""Optimization passes over the draft of a program: they remove the lines that nobody would write by hand.

The lines are read once, from first to last, and each is passed to the rewrites in turn. A rewrite returns what replaces
the line (an earlier line, or a constant), or None. At the end, lines that nothing needs are dropped. You can leave out
any rewrite to see what it does.

No rewrite may change a value by more than rounding: x · 0 is kept, because x may be infinite, and sums keep their
order. There is one exception: x + 0 becomes x, whereas NumPy turns a negative zero into a positive one.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..engine.dispatch import NO_OPTIONS, TABLE
from ..engine.primitives import Op
from ..engine.variable import Variable
from ..transforms import pytree
from .draft import Constant, Draft
from .program_inputs import freeze
from .recorded_derivative import RecordedDerivative

ADD = TABLE[np.add]
SUBTRACT = TABLE[np.subtract]
MULTIPLY = TABLE[np.multiply]
DIVIDE = TABLE[np.divide]
POWER = TABLE[np.power]
NEGATIVE = TABLE[np.negative]
POSITIVE = TABLE[np.positive]
STOP = TABLE["stop_gradient"]

BROADCAST = TABLE[np.broadcast_to]
RESHAPE = TABLE[np.reshape]
TRANSPOSE = TABLE[np.transpose]
GET = TABLE["getitem"]
SHAPING = (BROADCAST, RESHAPE, TRANSPOSE, GET)

COMMUTATIVE = (ADD, MULTIPLY)
CHOICES = (TABLE[np.where], TABLE["unless"])
REDUCTIONS = {TABLE[f] for f in (np.sum, np.mean, np.max, np.min, np.amax, np.amin, np.prod)}

# The second operand that changes nothing; of a sum or a product, either operand.
NEUTRAL: dict[Op | None, int] = {ADD: 0, SUBTRACT: 0, MULTIPLY: 1, DIVIDE: 1, POWER: 1}


# The rewrites: each returns the replacement of line i, or None


def fold_constants(draft: Draft, i: int) -> Any:
    """The pass of constant folding: a line whose operands are all constant becomes the value it had when recorded."""
    for ref in draft.operands[i]:
        if type(ref) is not Constant:
            return None
    return draft.constant(draft.values[i])


def drop_identities(draft: Draft, i: int) -> Any:
    """The pass that drops identities: x for x · 1, x / 1, x + 0, x - 0, x ** 1 and -(-x), and -x for x · (-1)."""
    op, refs = draft.ops[i], draft.operands[i]
    if op in NEUTRAL:
        return _drop_neutral_operand(draft, i)
    a = refs[0]
    if op is NEGATIVE:
        is_double_minus = type(a) is int and draft.ops[a] is NEGATIVE
        return draft.operands[a][0] if is_double_minus else None
    if op is POSITIVE or op is STOP:
        return a
    if op in SHAPING or (op in REDUCTIONS and draft.shape(a) == ()):
        return a if draft.can_stand_for(i, a) and _keeps_elements(draft, i, a) else None
    return None


def _drop_neutral_operand(draft: Draft, i: int) -> Any:
    """Replace x + 0, x · 1 and the like by x, and x · (-1) by -x."""
    op = draft.ops[i]
    a, b = draft.operands[i]
    for x, other in ((a, b), (b, a)) if op in COMMUTATIVE else ((a, b),):
        if type(other) is not Constant or not draft.can_stand_for(i, x):
            continue
        if other.entry == NEUTRAL[op]:
            return x
        if op is MULTIPLY and other.entry == -1:
            draft.ops[i] = NEGATIVE
            draft.operands[i] = (x,)
            return drop_identities(draft, i)
    return None


def _keeps_elements(draft: Draft, i: int, x: Any) -> bool:
    """Whether line i, whose result has the shape of its operand, leaves every element where it is."""
    op = draft.ops[i]
    static = draft.static.get(i, NO_OPTIONS)
    if op is GET:
        index = static["index"]
        parts = index if isinstance(index, tuple) else (index,)
        return all(p is Ellipsis or (isinstance(p, slice) and p.step in (None, 1)) for p in parts)
    n_axes = len(draft.shape(x))
    if op is TRANSPOSE and n_axes > 1:
        axes = static.get("axes")
        return axes is not None and [a % len(axes) for a in axes] == list(range(n_axes))
    return True


def drop_copies(draft: Draft, i: int) -> Any:
    """The pass that drops copies: arithmetic broadcasts its operands, so they need not be broadcast before it."""
    op, refs = draft.ops[i], draft.operands[i]
    if op.partials is None and op not in CHOICES:  # type: ignore[union-attr]
        return None
    y = draft.values[i]
    for k, ref in enumerate(refs):
        small = _before_broadcasting(draft, ref)
        if small is None or y.dtype != np.float64:
            continue
        others = [draft.shape(r) for r in refs[:k] + refs[k + 1 :]]
        if not others or np.broadcast_shapes(draft.shape(small), *others) != y.shape:
            continue
        if _are_doubles(draft, refs):
            refs = (*refs[:k], small, *refs[k + 1 :])
            draft.operands[i] = refs
    return None


def _before_broadcasting(draft: Draft, ref: Any) -> Any:
    """The operand that `ref` was broadcast from, or the number that all its elements equal; None if there is none."""
    if type(ref) is Constant:
        is_uniform_array = type(ref.value) is np.ndarray and ref.entry is not None
        return draft.constant(ref.entry) if is_uniform_array else None
    return draft.operands[ref][0] if draft.ops[ref] is BROADCAST else None


def _are_doubles(draft: Draft, refs: Iterable[Any]) -> bool:
    return all(getattr(draft.value(r), "dtype", np.float64) in (np.float64, np.bool_) for r in refs)


def simplify_signs(draft: Draft, i: int) -> Any:
    """The pass that simplifies signs and quotients: x - z for x + (-z), x / z for x · (1 / z), which rounds once."""
    op, refs = draft.ops[i], draft.operands[i]
    b = refs[-1]
    # Not for integers: -z of an unsigned integer is not its opposite.
    if type(b) is not int or draft.values[b].dtype.kind != "f":
        return None
    if op is ADD or op is SUBTRACT:
        opposite = draft.operands[b][0] if draft.ops[b] is NEGATIVE else _strip_minus(draft, i, b)
        if opposite is not None:
            draft.ops[i] = SUBTRACT if op is ADD else ADD
            draft.operands[i] = (refs[0], opposite)
    elif op is MULTIPLY and draft.ops[b] is DIVIDE:
        above, below = draft.operands[b]
        is_one = type(above) is Constant and above.entry == 1 and draft.shape(above) == ()
        if is_one and _are_doubles(draft, (*refs, below)):
            draft.ops[i] = DIVIDE
            draft.operands[i] = (refs[0], below)
    return None


def _strip_minus(draft: Draft, i: int, line: int) -> int | None:
    """Remove the minus from a factor of a nameless line that only line i uses; return the line, or None."""
    op, refs = draft.ops[line], draft.operands[line]
    if op is not MULTIPLY and op is not DIVIDE:
        return None
    if line in draft.names or not draft.serves_only(line, i):
        return None
    for k, ref in enumerate(refs):
        if type(ref) is int and draft.ops[ref] is NEGATIVE:
            draft.seen.pop(_lookup_key(draft, line), None)
            draft.operands[line] = (*refs[:k], draft.operands[ref][0], *refs[k + 1 :])
            return line
    return None


def multiply_small_first(draft: Draft, i: int) -> Any:
    """The pass that multiplies small arrays first: A · (b · c) for (A · b) · c, so that the large A is read once."""
    if draft.ops[i] is not MULTIPLY:  # an earlier pass has replaced it
        return None
    y = draft.values[i]
    for inner, c in (draft.operands[i], draft.operands[i][::-1]):
        if not _may_multiply_differently(draft, i, inner, c):
            continue
        for large, b in (draft.operands[inner], draft.operands[inner][::-1]):
            small = np.broadcast_shapes(draft.shape(b), draft.shape(c))
            if draft.shape(large) != y.shape or 2 * math.prod(small) > y.size:
                continue
            draft.seen.pop(_lookup_key(draft, inner), None)
            draft.names.pop(inner, None)
            draft.operands[inner] = (b, c)
            draft.values[inner] = np.multiply(draft.value(b), draft.value(c))
            product: Any = inner
            if type(b) is Constant and type(c) is Constant:
                product = draft.constant(draft.values[inner])
            draft.operands[i] = (large, product)
            return None
    return None


def _may_multiply_differently(draft: Draft, i: int, inner: Any, c: Any) -> bool:
    """Whether `inner`, a factor of line i next to `c`, is a product that may be multiplied in another order."""
    if type(inner) is not int or draft.ops[inner] is not MULTIPLY:
        return False
    if not draft.serves_only(inner, i):
        return False
    # With a backward pass, the reader knows the named lines from the tape, so they stay.
    if inner in draft.names and draft.trace.backward_start < len(draft.ops):
        return False
    # The product b · c takes the place of the inner line, so c has to be computed before it.
    if type(c) is int and c > inner:
        return False
    return _are_doubles(draft, (*draft.operands[inner], c))


def share_subexpressions(draft: Draft, i: int) -> Any:
    """The pass of common subexpression elimination: a line that computes the same as an earlier one is replaced."""
    first = draft.seen.setdefault(_lookup_key(draft, i), i)
    if first != i:
        draft.shared.add(first)
        return first
    return None


def _lookup_key(draft: Draft, i: int) -> Any:
    """A key that is equal for two lines that compute the same: x + y and y + x have one key."""
    op, refs = draft.ops[i], draft.operands[i]
    if op is ADD or op is MULTIPLY:
        a, b = refs
        if type(a) is int and type(b) is int and a > b:
            refs = (b, a)
    static = draft.static.get(i)
    if not static:
        return (op, refs)
    return (op, refs, freeze(static))


class Rewrite(NamedTuple):
    """The rewrite of an optimization pass, and the lines it applies to, so that the others skip it.

    Attributes
    ----------
    rewrite : callable
        Called with the draft and the number of a line.
    ops : frozenset of Op, or None
        The operations it applies to; None for all.
    only_arrays : bool
        Whether it applies only to lines whose result is an array.
    """

    rewrite: Callable[[Draft, int], Any]
    ops: frozenset[Any] | None = None
    only_arrays: bool = False


REWRITES = {
    "copies": Rewrite(drop_copies, only_arrays=True),
    "constants": Rewrite(fold_constants),
    "identities": Rewrite(
        drop_identities, frozenset({*NEUTRAL, NEGATIVE, POSITIVE, STOP, *SHAPING, *REDUCTIONS})
    ),
    "signs": Rewrite(simplify_signs, frozenset({ADD, SUBTRACT, MULTIPLY})),
    "small first": Rewrite(multiply_small_first, frozenset({MULTIPLY}), only_arrays=True),
    "sharing": Rewrite(share_subexpressions),
}
# The passes by name, in the order in which they are applied.
PASSES = (*REWRITES, "dead code")


def _choose_rewrites(
    op: Op | None, wanted: set[str], of_array: bool
) -> list[tuple[str, Callable[[Draft, int], Any]]]:
    """The wanted rewrites that apply to a line with this operation, each with its name."""
    chosen = []
    for name, row in REWRITES.items():
        if name not in wanted or (row.only_arrays and not of_array):
            continue
        if row.ops is None or op in row.ops:
            chosen.append((name, row.rewrite))
    return chosen


def optimize(
    trace: RecordedDerivative, passes: Iterable[str], named: Mapping[str, np.ndarray]
) -> Draft:
    """Apply the chosen optimization passes to a recorded derivative; return its draft."""
    draft = Draft(trace, named)
    tape = trace.tape
    at, lines, constant = draft.at, draft.operands, draft.constant
    wanted = set(passes)
    # the rewrites to try, by operation
    for_numbers: dict[Any, Any] = {}
    for_arrays: dict[Any, Any] = {}

    def operand(x: Any, parent: int) -> Any:
        return at[parent] if parent >= 0 else constant(x)

    columns = zip(tape.ops, tape.args, tape.parents, tape.values, strict=True)
    for i, (op, args, parents, value) in enumerate(columns):
        if op is None:
            lines.append(())
            at.append(i)
            if i in tape.known and "constants" in wanted:
                at[i] = constant(tape.known[i])
                draft.fate[i] = "constants"
            continue
        lines.append(tuple(map(operand, args, parents)))
        chosen = for_arrays if type(value) is np.ndarray else for_numbers
        if op not in chosen:
            chosen[op] = _choose_rewrites(op, wanted, chosen is for_arrays)
        for name, rewrite in chosen[op]:
            replacement = rewrite(draft, i)
            if replacement is not None:
                at.append(replacement)
                draft.fate[i] = name
                _hand_over_name(draft, i, replacement)
                break
        else:
            at.append(i)
    for leaf in pytree.flatten(trace.result):
        is_line = isinstance(leaf, Variable) and leaf.tape is tape
        draft.results.append(at[leaf.index] if is_line else constant(leaf))
    draft.checks = [(at[d.line], d) for d in tape.decisions]
    _drop_dead_code(draft, keep_all="dead code" not in wanted)
    return draft


def _hand_over_name(draft: Draft, i: int, replacement: Any) -> None:
    """Give the name of line i to the line that replaces it, unless that has one or is an input."""
    names = draft.names
    if type(replacement) is not int or draft.ops[replacement] is None:
        return
    if i in names and replacement not in names:
        names[replacement] = names.pop(i)


def _drop_dead_code(draft: Draft, keep_all: bool) -> None:
    """Drop the lines that neither a result nor a decision needs, from the last to the first; mark the others live."""
    uses, consumer, live, at = draft.uses, draft.consumer, draft.live, draft.at
    for ref in (*draft.results, *(line for line, _ in draft.checks)):
        if type(ref) is int:
            uses[ref] += 1
    for i in range(len(at) - 1, -1, -1):
        if not uses[i] and not (keep_all and at[i] == i):
            if at[i] == i:
                draft.fate[i] = "dead code"
            continue
        live[i] = 1
        for ref in draft.operands[i]:
            if type(ref) is int:
                if consumer[ref] < 0:
                    consumer[ref] = i
                uses[ref] += 1
