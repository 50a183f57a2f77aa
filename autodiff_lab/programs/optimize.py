"""Cleaning: what a person would not have written goes.

The lines are read once, from first to last, and each is offered to the rewrites in turn; a rewrite answers with what
stands for the line (an earlier line, or a constant), or with None. At the end, lines that nothing needs are dropped.
Every rewrite can be left out, to see what it does.

Values stay NumPy's. What could change one is not done: x · 0 is kept (x may be infinite), and sums keep their order.
One thing may differ: x + 0 is x, where NumPy makes a negative zero positive.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..engine.dispatch import NO_OPTIONS, TABLE
from ..engine.variable import Variable
from ..transforms import pytree
from .draft import Constant, Draft
from .trace_derivative import Trace

__all__ = ["PASSES", "cleaned"]

ADD, SUBTRACT, MULTIPLY, DIVIDE = (TABLE[f] for f in (np.add, np.subtract, np.multiply, np.divide))
POWER, NEGATIVE, POSITIVE, STOP = (TABLE[k] for k in (np.power, np.negative, np.positive, "stop_gradient"))
BROADCAST, RESHAPE, TRANSPOSE, GET = (TABLE[k] for k in (np.broadcast_to, np.reshape, np.transpose, "getitem"))
CHOICES = (TABLE[np.where], TABLE["unless"])
OF_ONE = {TABLE[f] for f in (np.sum, np.mean, np.max, np.min, np.amax, np.amin, np.prod)}


# The rewrites: each says what stands for line i, or None


def fold_constants(draft: Draft, i: int) -> Any:
    """A line whose operands are all constant is a constant: the value it had when it was recorded."""
    for ref in draft.operands[i]:
        if type(ref) is not Constant:
            return None
    return draft.constant(draft.values[i])


def drop_identities(draft: Draft, i: int) -> Any:
    """Let x stand for x · 1, x / 1, x + 0, x - 0, x ** 1 and -(-x), and -x for x · (-1)."""
    op, refs = draft.ops[i], draft.operands[i]
    a, b = refs[0], refs[-1]
    if op is MULTIPLY:
        for x, factor in ((a, b), (b, a)):
            if type(factor) is Constant and factor.entry in (1, -1) and draft.stays(i, x):
                if factor.entry == 1:
                    return x
                draft.ops[i], draft.operands[i] = NEGATIVE, (x,)
                return drop_identities(draft, i)
    elif op is ADD or op is SUBTRACT:
        if type(b) is Constant and b.entry == 0 and draft.stays(i, a):
            return a
        if op is ADD and type(a) is Constant and a.entry == 0 and draft.stays(i, b):
            return b
    elif op is DIVIDE or op is POWER:
        if type(b) is Constant and b.entry == 1 and draft.stays(i, a):
            return a
    elif op is NEGATIVE:
        if type(a) is int and draft.ops[a] is NEGATIVE:
            return draft.operands[a][0]
    elif op is POSITIVE or op is STOP:
        return a
    elif op in SHAPING or (op in OF_ONE and draft.shape(a) == ()):
        return SHAPING.get(op, lambda draft, i, x: x)(draft, i, a) if draft.stays(i, a) else None
    return None


def _all_of_it(draft: Draft, i: int, x: Any) -> Any:
    index = draft.static[i]["index"]
    parts = index if isinstance(index, tuple) else (index,)
    whole = all(p is Ellipsis or (isinstance(p, slice) and p.step in (None, 1)) for p in parts)
    return x if whole else None


def _twice_transposed(draft: Draft, i: int, x: Any) -> Any:
    axes = draft.static.get(i, NO_OPTIONS).get("axes")
    if len(draft.shape(x)) < 2 or (axes is not None and [a % len(axes) for a in axes] == list(range(len(axes)))):
        return x
    return None


SHAPING: dict[Any, Callable[[Draft, int, Any], Any]] = {
    RESHAPE: lambda draft, i, x: x,
    BROADCAST: lambda draft, i, x: x,
    GET: _all_of_it,
    TRANSPOSE: _twice_transposed,
}
"""Lines that may give back their operand as it is, if the shape is the same: whether they do."""


def drop_copies(draft: Draft, i: int) -> Any:
    """What arithmetic would broadcast by itself need not be broadcast before."""
    op, refs = draft.ops[i], draft.operands[i]
    if op.partials is None and op not in CHOICES:  # type: ignore[union-attr]
        return None
    full = draft.values[i].shape
    for k, ref in enumerate(refs):
        small = None
        if type(ref) is Constant:
            if type(ref.value) is np.ndarray and ref.entry is not None:
                small = draft.constant(ref.entry)
        elif draft.ops[ref] is BROADCAST:
            small = draft.operands[ref][0]
        if small is None or draft.values[i].dtype != np.float64:
            continue
        others = [draft.shape(r) for r in refs[:k] + refs[k + 1 :]]
        if others and np.broadcast_shapes(draft.shape(small), *others) == full and _doubles(draft, refs):
            draft.operands[i] = refs = (*refs[:k], small, *refs[k + 1 :])
    return None


def _doubles(draft: Draft, refs: Iterable[Any]) -> bool:
    return all(getattr(draft.value(r), "dtype", np.float64) in (np.float64, np.bool_) for r in refs)


def tidy_signs(draft: Draft, i: int) -> Any:
    """Write x - z for x + (-z), x + z for x - (-z), and x / z for x · (1 / z), which rounds once instead of twice."""
    op, refs = draft.ops[i], draft.operands[i]
    b = refs[-1]
    if type(b) is not int:
        return None
    if op is ADD or op is SUBTRACT:
        opposite = draft.operands[b][0] if draft.ops[b] is NEGATIVE else _stripped(draft, i, b)
        if opposite is not None:
            draft.ops[i], draft.operands[i] = (SUBTRACT if op is ADD else ADD), (refs[0], opposite)
    elif op is MULTIPLY and draft.ops[b] is DIVIDE:
        above, below = draft.operands[b]
        one = type(above) is Constant and above.entry == 1 and draft.shape(above) == ()
        if one and _doubles(draft, (*refs, below)):
            draft.ops[i], draft.operands[i] = DIVIDE, (refs[0], below)
    return None


def _stripped(draft: Draft, i: int, line: int) -> int | None:
    """Take the minus off a factor of a nameless line that only line i uses; None if there is none to take."""
    op, refs = draft.ops[line], draft.operands[line]
    if (op is not MULTIPLY and op is not DIVIDE) or line in draft.names or not draft.serves_only(line, i):
        return None
    for k, ref in enumerate(refs):
        if type(ref) is int and draft.ops[ref] is NEGATIVE:
            draft.seen.pop(_key(draft, line), None)
            draft.operands[line] = (*refs[:k], draft.operands[ref][0], *refs[k + 1 :])
            return line
    return None


def multiply_small_first(draft: Draft, i: int) -> Any:
    """Write A · (b · c) for (A · b) · c where b and c are smaller than A: one pass over the large array, not two."""
    if draft.ops[i] is not MULTIPLY:  # any more
        return None
    for inner, c in (draft.operands[i], draft.operands[i][::-1]):
        if type(inner) is not int or draft.ops[inner] is not MULTIPLY or not draft.serves_only(inner, i):
            continue
        named = inner in draft.names and draft.trace.turn < len(draft.ops)  # what a reader knows from the tape stays
        if named or (type(c) is int and c > inner) or not _doubles(draft, (*draft.operands[inner], c)):
            continue
        for large, b in (draft.operands[inner], draft.operands[inner][::-1]):
            small = np.broadcast_shapes(draft.shape(b), draft.shape(c))
            if draft.shape(large) == draft.values[i].shape and 2 * math.prod(small) <= draft.values[i].size:
                draft.seen.pop(_key(draft, inner), None)
                draft.names.pop(inner, None)
                draft.operands[inner] = (b, c)
                draft.values[inner] = np.multiply(draft.value(b), draft.value(c))
                draft.operands[i] = (large, inner)
                return None
    return None


def share(draft: Draft, i: int) -> Any:
    """What has been computed before is not computed again."""
    first = draft.seen.setdefault(_key(draft, i), i)
    if first == i:
        return None
    draft.shared.add(first)
    return first


def _key(draft: Draft, i: int) -> Any:
    op, refs = draft.ops[i], draft.operands[i]
    if (op is ADD or op is MULTIPLY) and type(refs[0]) is int and type(refs[1]) is int and refs[0] > refs[1]:
        refs = (refs[1], refs[0])
    static = draft.static.get(i)
    return (op, refs) if not static else (op, refs, _frozen(static))


def _frozen(x: Any) -> Any:
    """A static argument as something that can be looked up."""
    if isinstance(x, dict):
        return tuple((k, _frozen(v)) for k, v in x.items())
    if isinstance(x, (tuple, list)):
        return (type(x), *map(_frozen, x))
    if isinstance(x, slice):
        return (slice, x.start, x.stop, x.step)
    if isinstance(x, np.ndarray):
        return (x.shape, x.dtype.str, x.tobytes())
    return (type(x), x) if getattr(x, "__hash__", None) else id(x)


class Rewrite(NamedTuple):
    """A rewrite, and the lines that it has something to say about: most have nothing to do with most lines."""

    rewrite: Callable[[Draft, int], Any]
    ops: frozenset[Any] | None = None  # None: whatever they compute
    only_arrays: bool = False


REWRITES = {
    "copies": Rewrite(drop_copies, only_arrays=True),
    "constants": Rewrite(fold_constants),
    "identities": Rewrite(
        drop_identities,
        frozenset({ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER, NEGATIVE, POSITIVE, STOP, *SHAPING, *OF_ONE}),
    ),
    "signs": Rewrite(tidy_signs, frozenset({ADD, SUBTRACT, MULTIPLY})),
    "small first": Rewrite(multiply_small_first, frozenset({MULTIPLY}), only_arrays=True),
    "sharing": Rewrite(share),
}
PASSES = (*REWRITES, "dead code")
"""The passes by name, in the order in which they are applied."""


class Offers(dict[Any, list[tuple[str, Callable[[Draft, int], Any]]]]):
    """For each operation, the rewrites that its lines are offered to, by name."""

    def __init__(self, wanted: set[str], arrays: bool) -> None:
        super().__init__()
        self.rows = [(name, row) for name, row in REWRITES.items() if name in wanted and arrays >= row.only_arrays]

    def __missing__(self, op: Any) -> list[tuple[str, Callable[[Draft, int], Any]]]:
        found = self[op] = [(name, row.rewrite) for name, row in self.rows if row.ops is None or op in row.ops]
        return found


def cleaned(trace: Trace, passes: Iterable[str], named: Mapping[str, np.ndarray]) -> Draft:
    """The draft of a recorded derivative, after these passes."""
    draft, tape = Draft(trace, named), trace.tape
    known, names, fate = tape.known, draft.names, draft.fate
    wanted = set(passes)
    of_arrays, of_numbers = Offers(wanted, arrays=True), Offers(wanted, arrays=False)
    at, lines, ops, constant = draft.at, draft.operands, draft.ops, draft.constant

    def operand(x: Any, parent: int) -> Any:
        return at[parent] if parent >= 0 else constant(x)

    columns = zip(tape.ops, tape.args, tape.parents, tape.values, strict=True)
    for i, (op, args, parents, value) in enumerate(columns):
        if op is None:
            lines.append(())
            folded = i in known and "constants" in wanted
            at.append(constant(known[i]) if folded else i)
            if folded:
                fate[i] = "constants"
            continue
        lines.append(tuple(map(operand, args, parents)))
        for name, rewrite in (of_arrays if type(value) is np.ndarray else of_numbers)[op]:
            found = rewrite(draft, i)
            if found is not None:
                at.append(found)
                fate[i] = name
                if type(found) is int and i in names and found not in names and ops[found] is not None:
                    names[found] = names.pop(i)  # it takes over the name as well
                break
        else:
            at.append(i)
    for leaf in pytree.flatten(trace.result):
        own = isinstance(leaf, Variable) and leaf.tape is tape
        draft.results.append(at[leaf.index] if own else constant(leaf))
    draft.checks = [(at[d.line], d) for d in tape.decisions]
    _mark_live(draft, everything="dead code" not in wanted)
    return draft


def _mark_live(draft: Draft, everything: bool) -> None:
    """Drop dead code, found from the last line to the first: what neither a result nor a decision needs."""
    uses, consumer, live, at, operands = draft.uses, draft.consumer, draft.live, draft.at, draft.operands
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
