"""Diagnoses of a recorded run, whichever engine ran it: where a NaN was born, how large adjoints are, what is kept."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_lab.text.grid import Grid, grid
from autodiff_lab.text.messages import message
from autodiff_lab.text.notation import escape
from autodiff_lab.trace import births
from autodiff_lab.trace.model import Line
from autodiff_lab.trace.recorded_run import OutputTuple, RunLine, entries_of
from autodiff_lab.trace.run_reader import RunReader
from autodiff_lab.transforms.nonfinite import severity

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

    def module(self, i: int) -> str:
        """The path of the innermost module that a line ran in: ``layers.3.linear1``; empty if there is none."""
        line: Line = self._reader.lines[i]
        return line.modules[-1].path if line.modules else ""

    def name(self, i: int) -> str:
        """What a line is called and computes."""
        line: Line = self._reader.lines[i]
        return line.label if line.kind == "input" else f"{line.clear_name} = {line.reading}"

    def norms(self) -> Report:
        """Report the norm of each line's adjoint, on a log scale, and the module in which the line ran, if any."""
        found = self._run.seeded_adjoints
        found |= {sent.parent: sent.after for event in self._run.events for sent in event.sent}
        sizes = {i: _norm(adjoint) for i, adjoint in sorted(found.items())}
        logs = [math.log10(size) for size in sizes.values() if 0 < size < math.inf]
        low, high = (min(logs), max(logs)) if logs else (0.0, 0.0)
        caption = message("norms", low=f"1e{math.floor(low)}", high=f"1e{math.ceil(high)}")
        has_modules = any(map(self.module, sizes))
        shown = ["line", *(["module"] if has_modules else []), "place", "size", "bar"]
        rows = []
        for i, size in sizes.items():
            module = [self.module(i)] if has_modules else []
            bar = _bar(size, low, high)
            rows.append((self.name(i), *module, self.place(i), f"{size:.1e}", bar))
        columns = [message(f"norms {column}") for column in shown]
        return Report(grid(caption, columns, rows), self._say_range(sizes))

    def _say_range(self, sizes: Mapping[int, float]) -> str:
        inputs = {
            i: size for i, size in sizes.items() if i < self._run.n_inputs and 0 < size < math.inf
        }
        if len(inputs) < 2:
            return ""
        least, most = min(inputs, key=lambda i: inputs[i]), max(inputs, key=lambda i: inputs[i])
        ratio = inputs[most] / inputs[least]
        key = "norms far apart" if ratio > 1e4 else "norms near"
        return message(key, least=self.name(least), most=self.name(most), ratio=f"{ratio:.1e}")

    def nan_birth(self) -> str:
        """Say in words where the first NaN or infinity was born, and why; empty if none was.

        An infinity among the constants is given on purpose, to mask something. A NaN there is told.
        """
        run, lines = self._run, self._reader.lines
        for i in range(len(run)):
            why = births.explain_line(run, lines, i) or _explain_given(run.read_line(i))
            if why:
                return message(
                    "birth forward", line=self.name(i), place=self.place(i) or "—", why=why
                )
        for event in run.events:
            for sent in event.sent:
                why = births.explain_contribution(run, lines, event, sent)
                if why:
                    slots = {
                        "line": self.name(event.line),
                        "place": self.place(event.line) or "—",
                        "why": why,
                    }
                    return message(
                        "birth in the sweep", parent=lines[sent.parent].clear_name, **slots
                    )
        return ""

    def memory(self) -> Report:
        """Report how many bytes each line keeps for the sweep, the largest first."""
        held = self._run.held
        own = {i: held[i + 1].bytes - held[i].bytes for i in range(len(self._run))}
        total = max(1, held[-1].bytes)
        largest = sorted((i for i, size in own.items() if size), key=lambda i: (-own[i], i))
        rows = [
            (self.name(i), self.place(i), float(own[i]), f"{own[i] / total:.0%}") for i in largest
        ]
        columns = [message(f"memory {column}") for column in ("line", "place", "bytes", "share")]
        return Report(grid(message("memory", bytes=f"{held[-1].bytes:,}"), columns, rows))


def _explain_given(line: RunLine) -> str:
    """Explain the NaN or infinity of an input, or the NaN of a constant that a line uses; empty if there is none."""
    if not line.op:
        return message("born in an input") if severity(entries_of(line.value)) else ""
    constants = [entries_of(operand.value) for operand in line.operands if operand.line < 0]
    return message("born of a constant") if 2 in map(severity, constants) else ""


def _norm(x: Any) -> float:
    if isinstance(x, OutputTuple):
        return math.hypot(*(_norm(one) for one in x if one is not None))
    return float(np.linalg.norm(np.asarray(x, dtype=float).ravel()))


def _bar(size: float, low: float, high: float) -> str:
    if not 0 < size < math.inf:
        return message("norm of nothing") if size == 0 else message("norm not finite")
    share = (math.log10(size) - low) / (high - low) if high > low else 1.0
    return "█" * (1 + round(share * (_BAR_LENGTH - 1)))
