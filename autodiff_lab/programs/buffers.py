"""Arrays that are written into again and again: planned when a program is compiled, by how long each value lives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..engine.dispatch import TABLE
from .array_expressions import FRESH_NEVER, may_share
from .python_names import CHOICE, KEYS
from .statement import marked

if TYPE_CHECKING:
    from .codegen import Writer
    from .draft import Draft

__all__ = ["Buffers"]

SCATTER = TABLE["scatter"]
REDUCTIONS = {TABLE[f] for f in (np.sum, np.max, np.min, np.amax, np.amin, np.prod)}


class Buffers:
    """Which line writes into which buffer. What a call returns is never in one.

    Attributes
    ----------
    shapes : dict
        The shape of each buffer, by name.
    """

    def __init__(self, draft: Draft) -> None:
        self.shapes: dict[str, tuple[int, ...]] = {}
        self._free: dict[tuple[int, ...], list[str]] = {}
        self._dying: dict[int, list[tuple[tuple[int, ...], str]]] = {}
        size = len(draft.ops)
        root = list(range(size))  # the line whose memory this line looks at
        self._last = list(range(size))
        kept = set()
        for i, op in enumerate(draft.ops):
            if not draft.live[i] or op is None:
                continue
            lines = [ref for ref in draft.operands[i] if type(ref) is int]
            for ref in lines:
                self._last[root[ref]] = i
            if lines and (op is SCATTER or may_share(op, draft.operands[i])):
                root[i] = root[lines[0]]
        for ref in draft.results:
            if type(ref) is int:
                kept.add(root[ref])
        for line, decision in draft.checks:
            if type(line) is int:
                self._last[root[line]] = max(self._last[root[line]], decision.before)
        self._kept, self._root = kept, root

    def placed(self, w: Writer, i: int, text: str) -> str:
        """The text of line i, writing into a buffer if it can."""
        op: Any = w.ops[i]
        value, key = w.values[i], KEYS.get(op)
        mine = None
        entrywise = isinstance(key, np.ufunc) and key is not np.matmul and op not in FRESH_NEVER
        if type(value) is np.ndarray and value.dtype == np.float64 and i not in self._kept and _pure(w, i):
            if entrywise:
                self._release(i)
            if entrywise or key is np.matmul or op in REDUCTIONS:
                mine = self._take(w, value.shape)
                self._dying.setdefault(self._last[i], []).append((value.shape, mine))
        self._release(i)
        if mine is None:
            return text
        mine = marked(mine)
        if text.startswith("np.") and op not in (TABLE[np.add],) and text.endswith(")"):
            return f"{text[:-1]}, out={mine})"
        operands = ", ".join(w.array_text(i, ref, CHOICE) for ref in w.operands[i])
        return f"np.{key.__name__}({operands}, out={mine})"  # type: ignore[union-attr]

    def _take(self, w: Writer, shape: tuple[int, ...]) -> str:
        free = self._free.get(shape)
        if free:
            return free.pop()
        name = w.fresh("b")
        self.shapes[name] = shape
        return name

    def _release(self, i: int) -> None:
        for shape, name in self._dying.pop(i, ()):
            self._free.setdefault(shape, []).append(name)


def _pure(w: Writer, i: int) -> bool:
    """Whether the operands of line i are doubles, so that the result is one without a conversion."""
    return all(getattr(w.value(ref), "dtype", np.float64) == np.float64 for ref in w.operands[i])
