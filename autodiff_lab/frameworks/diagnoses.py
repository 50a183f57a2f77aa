"""Diagnoses of a recorded run of any engine: the origin of a NaN, the norms of the adjoints, the memory in use."""

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
# The `severity` of a NaN.
_NAN = 2


@dataclass(frozen=True, repr=False)
class Report:
    """The result of a diagnosis: a table and a sentence about it, both as text and as HTML.

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
    """The diagnoses of one recorded run, in terms of the learner's names and source lines.

    Parameters
    ----------
    reader : RunReader
    """

    def __init__(self, reader: RunReader) -> None:
        self._reader = reader
        self._run = reader.run

    def place(self, i: int) -> str:
        """The place of a line in the learner's source: ``line 13: h = self.head(x)``; empty for an input."""
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
        """The name of a line and what it computes: ``v3 = v1 * v2``; of an input, its name alone."""
        line: Line = self._reader.lines[i]
        if line.kind == "input":
            return line.label
        return f"{line.clear_name} = {line.reading}"

    def norms(self) -> Report:
        """Report the norm of each line's adjoint, on a log scale, and the module in which the line ran, if any."""
        adjoints = self._run.seeded_adjoints
        for event in self._run.events:
            for sent in event.sent:
                adjoints[sent.parent] = sent.after
        norms = {i: _norm(adjoint) for i, adjoint in sorted(adjoints.items())}
        logs = [math.log10(norm) for norm in norms.values() if _can_have_log(norm)]
        low = min(logs, default=0.0)
        high = max(logs, default=0.0)
        caption = message("norms", low=f"1e{math.floor(low)}", high=f"1e{math.ceil(high)}")
        has_modules = any(map(self.module, norms))
        shown = ["line", *(["module"] if has_modules else []), "place", "size", "bar"]
        rows = []
        for i, norm in norms.items():
            module = [self.module(i)] if has_modules else []
            bar = _bar(norm, low, high)
            rows.append((self.name(i), *module, self.place(i), f"{norm:.1e}", bar))
        columns = [message(f"norms {column}") for column in shown]
        return Report(grid(caption, columns, rows), self._compare_inputs(norms))

    def _compare_inputs(self, norms: Mapping[int, float]) -> str:
        """Compare the smallest with the largest norm of the inputs in a sentence; empty with fewer than two inputs."""
        inputs = {
            i: norm for i, norm in norms.items() if i < self._run.n_inputs and _can_have_log(norm)
        }
        if len(inputs) < 2:
            return ""
        least = min(inputs, key=lambda i: inputs[i])
        most = max(inputs, key=lambda i: inputs[i])
        ratio = inputs[most] / inputs[least]
        key = "norms far apart" if ratio > 1e4 else "norms near"
        return message(key, least=self.name(least), most=self.name(most), ratio=f"{ratio:.1e}")

    def nan_birth(self) -> str:
        """Explain where the first NaN or infinity of the run appeared, and why; empty if there is none.

        An infinity among the constants is intended, for example as a mask, so it isn't reported. A NaN there is.
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
        """Report how many bytes each line keeps for the sweep (backward pass), the largest first."""
        held = self._run.held  # the sums over the first n lines
        own = {i: held[i + 1].bytes - held[i].bytes for i in range(len(self._run))}
        total = max(1, held[-1].bytes)
        keeping = [i for i, size in own.items() if size]
        largest_first = sorted(keeping, key=lambda i: (-own[i], i))
        rows = [
            (self.name(i), self.place(i), float(own[i]), f"{own[i] / total:.0%}")
            for i in largest_first
        ]
        columns = [message(f"memory {column}") for column in ("line", "place", "bytes", "share")]
        return Report(grid(message("memory", bytes=f"{held[-1].bytes:,}"), columns, rows))


def _explain_given(line: RunLine) -> str:
    """Explain a NaN or infinity in an input, or a NaN in a constant that a line uses; empty if there is none."""
    if not line.op:
        return message("born in an input") if severity(entries_of(line.value)) else ""
    constants = [entries_of(operand.value) for operand in line.operands if operand.line < 0]
    has_nan = any(severity(entries) == _NAN for entries in constants)
    return message("born of a constant") if has_nan else ""


def _norm(x: Any) -> float:
    """The Euclidean norm of an adjoint; of several outputs, the norm of all of them together."""
    if isinstance(x, OutputTuple):
        return math.hypot(*(_norm(one) for one in x if one is not None))
    return float(np.linalg.norm(np.asarray(x, dtype=float).ravel()))


def _can_have_log(norm: float) -> bool:
    """Whether a norm is positive and finite, so that it has a place on a log scale."""
    return 0 < norm < math.inf


def _bar(norm: float, low: float, high: float) -> str:
    """Draw a norm as a bar on a log scale from 10**low to 10**high; a word for a norm that has no place on it."""
    if norm == 0:
        return message("norm of nothing")
    if not _can_have_log(norm):
        return message("norm not finite")
    share = (math.log10(norm) - low) / (high - low) if high > low else 1.0
    return "█" * (1 + round(share * (_BAR_LENGTH - 1)))
