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

ADD, SUBTRACT, MULTIPLY, DIVIDE = (TABLE[f] for f in (np.add, np.subtract, np.multiply, np.divide))
POWER, NEGATIVE, POSITIVE, STOP = (
    TABLE[k] for k in (np.power, np.negative, np.positive, "stop_gradient")
)
SHAPING = BROADCAST, RESHAPE, TRANSPOSE, GET = tuple(
    TABLE[k] for k in (np.broadcast_to, np.reshape, np.transpose, "getitem")
)
NEUTRAL: dict[Op | None, int] = {ADD: 0, SUBTRACT: 0, MULTIPLY: 1, DIVIDE: 1, POWER: 1}
CHOICE_ROWS = (TABLE[np.where], TABLE["unless"])
REDUCTIONS = {TABLE[f] for f in (np.sum, np.mean, np.max, np.min, np.amax, np.amin, np.prod)}


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
    a, b = refs[0], refs[-1]
    neutral = NEUTRAL.get(op)
    if neutral is not None:
        for x, other in ((a, b), (b, a)) if op is ADD or op is MULTIPLY else ((a, b),):
            if (
                type(other) is Constant
                and other.entry in (neutral, -1)
                and draft.can_stand_for(i, x)
            ):
                if other.entry == neutral:
                    return x
                if op is MULTIPLY:
                    draft.ops[i], draft.operands[i] = NEGATIVE, (x,)
                    return drop_identities(draft, i)
    elif op is NEGATIVE:
        if type(a) is int and draft.ops[a] is NEGATIVE:
            return draft.operands[a][0]
    elif op is POSITIVE or op is STOP:
        return a
    elif op in SHAPING or (op in REDUCTIONS and draft.shape(a) == ()):
        return a if draft.can_stand_for(i, a) and _keeps_entries(draft, i, a) else None
    return None


def _keeps_entries(draft: Draft, i: int, x: Any) -> bool:
    """Whether line i, which has the shape of its operand, leaves each entry where it is."""
    static, axes_of_x = draft.static.get(i, NO_OPTIONS), list(range(len(draft.shape(x))))
    if draft.ops[i] is GET:
        index = static["index"]
        parts = index if isinstance(index, tuple) else (index,)
        return all(p is Ellipsis or (isinstance(p, slice) and p.step in (None, 1)) for p in parts)
    if draft.ops[i] is TRANSPOSE and len(axes_of_x) > 1:
        axes = static.get("axes")
        return axes is not None and [a % len(axes) for a in axes] == axes_of_x
    return True


def drop_copies(draft: Draft, i: int) -> Any:
    """The pass that drops copies: what arithmetic broadcasts by itself need not be broadcast before."""
    op, refs = draft.ops[i], draft.operands[i]
    if op.partials is None and op not in CHOICE_ROWS:  # type: ignore[union-attr]
        return None
    full = draft.values[i].shape
    for k, ref in enumerate(refs):
        if type(ref) is Constant:
            uniform = type(ref.value) is np.ndarray and ref.entry is not None
            small = draft.constant(ref.entry) if uniform else None
        else:
            small = draft.operands[ref][0] if draft.ops[ref] is BROADCAST else None
        if small is None or draft.values[i].dtype != np.float64:
            continue
        others = [draft.shape(r) for r in refs[:k] + refs[k + 1 :]]
        if (
            others
            and np.broadcast_shapes(draft.shape(small), *others) == full
            and _are_doubles(draft, refs)
        ):
            draft.operands[i] = refs = (*refs[:k], small, *refs[k + 1 :])
    return None


def _are_doubles(draft: Draft, refs: Iterable[Any]) -> bool:
    return all(getattr(draft.value(r), "dtype", np.float64) in (np.float64, np.bool_) for r in refs)


def simplify_signs(draft: Draft, i: int) -> Any:
    """The pass that simplifies signs and quotients: x - z for x + (-z), x / z for x · (1 / z), which rounds once."""
    op, refs = draft.ops[i], draft.operands[i]
    b = refs[-1]
    if type(b) is not int or draft.values[b].dtype.kind != "f":  # -z of an unsigned integer is none
        return None
    if op is ADD or op is SUBTRACT:
        opposite = draft.operands[b][0] if draft.ops[b] is NEGATIVE else _strip_minus(draft, i, b)
        if opposite is not None:
            draft.ops[i], draft.operands[i] = (SUBTRACT if op is ADD else ADD), (refs[0], opposite)
    elif op is MULTIPLY and draft.ops[b] is DIVIDE:
        above, below = draft.operands[b]
        one = type(above) is Constant and above.entry == 1 and draft.shape(above) == ()
        if one and _are_doubles(draft, (*refs, below)):
            draft.ops[i], draft.operands[i] = DIVIDE, (refs[0], below)
    return None


def _strip_minus(draft: Draft, i: int, line: int) -> int | None:
    """Take the minus off a factor of a nameless line that only line i uses; None if there is none to take."""
    op, refs = draft.ops[line], draft.operands[line]
    if (
        (op is not MULTIPLY and op is not DIVIDE)
        or line in draft.names
        or not draft.serves_only(line, i)
    ):
        return None
    for k, ref in enumerate(refs):
        if type(ref) is int and draft.ops[ref] is NEGATIVE:
            draft.seen.pop(_lookup_key(draft, line), None)
            draft.operands[line] = (*refs[:k], draft.operands[ref][0], *refs[k + 1 :])
            return line
    return None


def multiply_small_first(draft: Draft, i: int) -> Any:
    """The pass that multiplies small arrays first: A · (b · c) for (A · b) · c, so that the large A is read once."""
    if draft.ops[i] is not MULTIPLY:  # any more
        return None
    for inner, c in (draft.operands[i], draft.operands[i][::-1]):
        if (
            type(inner) is not int
            or draft.ops[inner] is not MULTIPLY
            or not draft.serves_only(inner, i)
        ):
            continue
        # what a reader knows from the tape stays
        named = inner in draft.names and draft.trace.backward_start < len(draft.ops)
        if (
            named
            or (type(c) is int and c > inner)
            or not _are_doubles(draft, (*draft.operands[inner], c))
        ):
            continue
        for large, b in (draft.operands[inner], draft.operands[inner][::-1]):
            small = np.broadcast_shapes(draft.shape(b), draft.shape(c))
            if (
                draft.shape(large) == draft.values[i].shape
                and 2 * math.prod(small) <= draft.values[i].size
            ):
                draft.seen.pop(_lookup_key(draft, inner), None)
                draft.names.pop(inner, None)
                draft.operands[inner] = (b, c)
                draft.values[inner] = np.multiply(draft.value(b), draft.value(c))
                both_known = type(b) is Constant and type(c) is Constant
                draft.operands[i] = (
                    large,
                    draft.constant(draft.values[inner]) if both_known else inner,
                )
                return None
    return None


def share_subexpressions(draft: Draft, i: int) -> Any:
    """The pass of common subexpression elimination: what an earlier line computes is not computed again."""
    first = draft.seen.setdefault(_lookup_key(draft, i), i)
    if first != i:
        draft.shared.add(first)
        return first
    return None


def _lookup_key(draft: Draft, i: int) -> Any:
    op, refs = draft.ops[i], draft.operands[i]
    if (
        (op is ADD or op is MULTIPLY)
        and type(refs[0]) is int
        and type(refs[1]) is int
        and refs[0] > refs[1]
    ):
        refs = (refs[1], refs[0])
    static = draft.static.get(i)
    return (op, refs) if not static else (op, refs, freeze(static))


class Rewrite(NamedTuple):
    """The rewrite of an optimization pass, and the operations it applies to: most lines need not be offered to it."""

    rewrite: Callable[[Draft, int], Any]
    ops: frozenset[Any] | None = None  # None: whatever they compute
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
    """The rewrites that a line with this operation is offered to, by name."""
    rows = [
        (name, row)
        for name, row in REWRITES.items()
        if name in wanted and of_array >= row.only_arrays
    ]
    return [(name, row.rewrite) for name, row in rows if row.ops is None or op in row.ops]


def optimize(
    trace: RecordedDerivative, passes: Iterable[str], named: Mapping[str, np.ndarray]
) -> Draft:
    """Apply the chosen optimization passes to a recorded derivative; return its draft."""
    draft, tape = Draft(trace, named), trace.tape
    known, names, fate = tape.known, draft.names, draft.fate
    wanted = set(passes)
    of_numbers: dict[Any, Any] = {}
    of_arrays: dict[Any, Any] = {}
    at, lines, ops, constant = draft.at, draft.operands, draft.ops, draft.constant

    def operand(x: Any, parent: int) -> Any:
        return at[parent] if parent >= 0 else constant(x)

    columns = zip(tape.ops, tape.args, tape.parents, tape.values, strict=True)
    for i, (op, args, parents, value) in enumerate(columns):
        if op is None:
            lines.append(())
            at.append(i)
            if i in known and "constants" in wanted:
                at[i], fate[i] = constant(known[i]), "constants"
            continue
        lines.append(tuple(map(operand, args, parents)))
        chosen = of_arrays if type(value) is np.ndarray else of_numbers
        if op not in chosen:
            chosen[op] = _choose_rewrites(op, wanted, chosen is of_arrays)
        for name, rewrite in chosen[op]:
            found = rewrite(draft, i)
            if found is not None:
                at.append(found)
                fate[i] = name
                if (
                    type(found) is int
                    and i in names
                    and found not in names
                    and ops[found] is not None
                ):
                    names[found] = names.pop(i)  # it takes over the name as well
                break
        else:
            at.append(i)
    for leaf in pytree.flatten(trace.result):
        own = isinstance(leaf, Variable) and leaf.tape is tape
        draft.results.append(at[leaf.index] if own else constant(leaf))
    draft.checks = [(at[d.line], d) for d in tape.decisions]
    _drop_dead_code(draft, everything="dead code" not in wanted)
    return draft


def _drop_dead_code(draft: Draft, everything: bool) -> None:
    """Drop dead code, found from the last line to the first: what neither a result nor a decision needs."""
    uses, consumer, live, at, operands = (
        draft.uses,
        draft.consumer,
        draft.live,
        draft.at,
        draft.operands,
    )
    for ref in (*draft.results, *(line for line, _ in draft.checks)):
        if type(ref) is int:
            uses[ref] += 1
    for i in range(len(at) - 1, -1, -1):
        if uses[i] or (everything and at[i] == i):
            live[i] = 1
            for ref in operands[i]:
                if type(ref) is int:
                    if consumer[ref] < 0:
                        consumer[ref] = i
                    uses[ref] += 1
        elif at[i] == i:
            draft.fate[i] = "dead code"
