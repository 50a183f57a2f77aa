"""Diagnoses of a recorded run, whichever engine ran it: where a NaN was born, how large adjoints are, what is kept."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from autodiff_lab.text.grid import Grid, grid
from autodiff_lab.text.messages import join_items, message
from autodiff_lab.text.notation import escape
from autodiff_lab.text.numbers import number
from autodiff_lab.trace.model import Line
from autodiff_lab.trace.recorded_run import NotSeen, OutputTuple, RecordedRun
from autodiff_lab.trace.run_reader import RunReader

_BAR_LENGTH = 24


@dataclass(frozen=True, repr=False)
class Report:
    """What a diagnosis found: a table, and a sentence about it; both as text and as HTML.

    Attributes
    ----------
    grid : Grid
        The table; ``report.grid.data()`` has its columns by title.
    note : str
    """

    grid: Grid
    note: str = ""

    def __repr__(self) -> str:
        return "\n".join(filter(None, [self.grid.text(), self.note]))

    def _repr_html_(self) -> str:
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        return f"{self.grid.html()}{note}"


class Birth(NamedTuple):
    """Where the first NaN or infinity of a run was born: at a line, forward or in the sweep, and why."""

    phase: str
    line: int
    parent: int | None
    why: str


def find_birth(run: RecordedRun) -> Birth | None:
    """Find where the first NaN or infinity of a run was born: in the values, else in the sweep; None if nowhere."""
    for i in range(len(run)):
        line = run.read_line(i)
        if not _is_finite(line.value):
            operands = [operand.value for operand in line.operands]
            return Birth("forward", i, None, _explain_value(line.value, operands))
    for event in run.events:
        for sent in event.sent:
            if not _is_finite(sent.contribution) or not _is_finite(sent.after):
                partial = run.read_partial(event.line, sent.slot)
                why = _explain_contribution(event.adjoint, partial, sent.contribution)
                return Birth("sweep", event.line, sent.parent, why)
    return None


def _is_finite(x: Any) -> bool:
    if isinstance(x, NotSeen):
        return True
    if isinstance(x, OutputTuple):
        return all(_is_finite(one) for one in x if one is not None)
    return bool(np.all(np.isfinite(np.asarray(x, dtype=float))))


def _explain_value(value: Any, operands: Sequence[Any]) -> str:
    if not operands:
        return message("born in an input")
    if not all(map(_is_finite, operands)):
        return message("born of another")
    kind = "nan" if isinstance(value, OutputTuple) or np.any(np.isnan(np.asarray(value, dtype=float))) else "∞"
    entries = [_entry_at(operand, _first_odd(value)) for operand in operands]
    return message("born of finite operands", kind=kind, operands=join_items(entries))


def _first_odd(x: Any) -> tuple[int, ...]:
    """The index of the first entry that is no finite number."""
    if isinstance(x, OutputTuple):
        return ()
    odd = np.argwhere(~np.isfinite(np.asarray(x, dtype=float)))
    return tuple(int(k) for k in odd[0]) if len(odd) else ()


def _entry_at(x: Any, index: tuple[int, ...]) -> str:
    """An entry of an operand as text, at the place of a result that has perhaps another shape."""
    if isinstance(x, (OutputTuple, NotSeen)):
        return "…"
    array = np.asarray(x, dtype=float)
    if array.ndim == 0:
        return _say(float(array))
    if len(index) == array.ndim and all(k < n for k, n in zip(index, array.shape, strict=True)):
        return _say(float(array[index]))
    return f"{_say(float(array.min()))} … {_say(float(array.max()))}" if array.size else "[]"


def _say(x: float) -> str:
    return number(x)


def _explain_contribution(adjoint: Any, partial: Any, contribution: Any) -> str:
    """Explain a contribution that is not finite by its two factors: 0 × ∞ is NaN, or one of them is not finite."""
    if _is_finite(contribution):
        return message("born in a sum")
    if partial is None or isinstance(adjoint, OutputTuple) or isinstance(partial, OutputTuple):
        return message("born in a map" if _is_finite(adjoint) else "born before")
    factors = np.broadcast_arrays(np.asarray(adjoint, dtype=float), np.asarray(partial, dtype=float))
    with np.errstate(all="ignore"):
        odd = np.argwhere(~np.isfinite(factors[0] * factors[1]))
    if not len(odd):
        return message("born in a sum")
    one, other = (float(factor[tuple(odd[0])]) for factor in factors)
    slots = {"adjoint": _say(one), "partial": _say(other)}
    if one == 0.0 or other == 0.0:
        return message("born of zero times infinity", **slots)
    if math.isfinite(one) and math.isfinite(other):
        return message("born of an overflow", **slots)
    return message("born of a factor", **slots)


class Diagnoses:
    """The diagnoses of one recorded run, with the learner's names and lines.

    Parameters
    ----------
    reader : RunReader
    """

    def __init__(self, reader: RunReader) -> None:
        self._reader = reader
        self._run = reader.run

    def place(self, i: int) -> str:
        """Where a line stands in the learner's source: ``line 13: h = self.head(x)``; empty for an input."""
        line: Line = self._reader.lines[i]
        if not line.where:
            return ""
        span = line.where[-1]
        source = self._reader.sources[span.source]
        return f"line {source.first_line + span.line}: {source.text[span.line].strip()}"

    def name(self, i: int) -> str:
        """What a line is called and computes."""
        line: Line = self._reader.lines[i]
        return line.label if line.kind == "input" else f"{line.clear_name} = {line.reading}"

    def norms(self) -> Report:
        """Report the norm of each line's adjoint, on a log scale."""
        found: dict[int, Any] = {} if self._run.output is None else {self._run.output: self._run.seed}
        found |= {sent.parent: sent.after for event in self._run.events for sent in event.sent}
        sizes = {i: _norm(adjoint) for i, adjoint in sorted(found.items())}
        logs = [math.log10(size) for size in sizes.values() if 0 < size < math.inf]
        low, high = (min(logs), max(logs)) if logs else (0.0, 0.0)
        rows = [(self.name(i), self.place(i), f"{size:.1e}", _bar(size, low, high)) for i, size in sizes.items()]
        caption = message("norms", low=f"1e{math.floor(low)}", high=f"1e{math.ceil(high)}")
        columns = [message(f"norms {column}") for column in ("line", "place", "size", "bar")]
        return Report(grid(caption, columns, rows), self._say_range(sizes))

    def _say_range(self, sizes: Mapping[int, float]) -> str:
        inputs = {i: size for i, size in sizes.items() if i < self._run.n_inputs and 0 < size < math.inf}
        if len(inputs) < 2:
            return ""
        least, most = min(inputs, key=lambda i: inputs[i]), max(inputs, key=lambda i: inputs[i])
        ratio = inputs[most] / inputs[least]
        key = "norms far apart" if ratio > 1e4 else "norms near"
        return message(key, least=self.name(least), most=self.name(most), ratio=f"{ratio:.1e}")

    def nan_birth(self) -> str:
        """Say in words where the first NaN or infinity was born, and why; empty if every number is finite."""
        birth = find_birth(self._run)
        if birth is None:
            return ""
        slots = {"line": self.name(birth.line), "place": self.place(birth.line) or "—", "why": birth.why}
        if birth.parent is None:
            return message("birth forward", **slots)
        return message("birth in the sweep", parent=self._reader.lines[birth.parent].clear_name, **slots)

    def memory(self) -> Report:
        """Report how many bytes each line keeps for the sweep, the largest first."""
        held = self._run.held
        own = {i: held[i + 1].bytes - held[i].bytes for i in range(len(self._run))}
        total = max(1, held[-1].bytes)
        largest = sorted((i for i, size in own.items() if size), key=lambda i: (-own[i], i))
        rows = [(self.name(i), self.place(i), float(own[i]), f"{own[i] / total:.0%}") for i in largest]
        columns = [message(f"memory {column}") for column in ("line", "place", "bytes", "share")]
        return Report(grid(message("memory", bytes=f"{held[-1].bytes:,}"), columns, rows))


def _norm(x: Any) -> float:
    if isinstance(x, OutputTuple):
        return math.hypot(*(_norm(one) for one in x if one is not None))
    return float(np.linalg.norm(np.asarray(x, dtype=float).ravel()))


def _bar(size: float, low: float, high: float) -> str:
    if not 0 < size < math.inf:
        return message("norm of nothing") if size == 0 else message("norm not finite")
    share = (math.log10(size) - low) / (high - low) if high > low else 1.0
    return "█" * (1 + round(share * (_BAR_LENGTH - 1)))
