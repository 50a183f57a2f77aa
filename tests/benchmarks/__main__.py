"""Measure and print the table of ratios: ``python -m tests.benchmarks``; ``--write`` also writes it into README.md."""

from __future__ import annotations

import argparse
import platform
import re
from collections.abc import Iterator
from contextlib import ExitStack, closing
from importlib.metadata import version
from pathlib import Path

import numpy as np

from .clock import bytes_per_operation, import_prices, ratio, timed
from .hands import BARE, BY_HAND, HANDS, missing
from .work import Work, chain, works
from .worker import Worker

README = Path(__file__).with_name("README.md")
FRONT = Path(__file__).parents[2] / "README.md"
MARKS = "<!-- printed by python -m tests.benchmarks --write -->", "<!-- end of what is printed -->"
CLAIM = re.compile(r"(?<=which runs in )[\d.]+ to [\d.]+(?= times the time)")


class Table:
    """The table of ratios, and the notes that say which hands are left out, and why.

    Parameters
    ----------
    quick : bool
        Whether to measure only one short round, to see that everything runs.
    part : str
        Measure only the rows with this in their name.
    """

    def __init__(self, quick: bool, part: str = "") -> None:
        self.quick = quick
        self.part = part
        # Each row is measured with several sets of processes, because the speed of a process also depends on where its
        # memory happens to be. Each set is timed for some rounds; for target and budget, in seconds, see `timed`.
        self.sets, self.rounds, self.target, self.budget = (
            (1, 1, 1e-4, 1.0) if quick else (3, 5, 0.02, 5.0)
        )
        self.reasons: dict[str, list[str]] = {}

    def lines(self) -> Iterator[str]:
        """Yield the lines of the table, each as soon as it is measured, and then the notes."""
        libraries = [name for _, name in HANDS.values() if name and not missing_library(name)]
        versions = "".join(f", {name} {version(name)}" for name in dict.fromkeys(libraries))
        yield f"Python {platform.python_version()}, NumPy {np.__version__}{versions}; {platform.machine()}, one thread."
        yield ""
        yield "| work | " + " | ".join(HANDS) + " | at most: measured |"
        yield "|---|" + "---:|" * len(HANDS) + "---|"
        lengths = (10_000,) if self.quick else (10_000, 100_000, 1_000_000)
        for work in works():
            if self.part in work.name:
                yield self.row(work)
            for n in lengths if work.name == chain(1_000).name else ():
                if self.part in chain(n).name:
                    yield self.row(chain(n), shorter=chain(1_000))
                    yield self.memory(n)
        if self.part in "`import`":
            yield self.imports()
        yield ""
        for reason, names in self.reasons.items():
            yield f"– {', '.join(dict.fromkeys(names))}: {reason}.\n"

    def row(self, work: Work, shorter: Work | None = None) -> str:
        """Time the hands at one piece of work, each in its own process, after checking that their results agree."""
        takes_part = {BY_HAND: (BY_HAND, work)}
        for name in HANDS:
            why = reason_against(work, name)
            if why is not None:
                self.reasons.setdefault(why, []).append(name)
                continue
            takes_part[name] = (name, work)
        if "program" in takes_part:
            takes_part[BARE] = (BARE, work)
        if shorter is not None:
            takes_part["shorter"] = ("engine", shorter)
        times: dict[str, list[float]] = {name: [] for name in takes_part}
        preparations: list[float] = []
        for _ in range(self.sets):
            with ExitStack() as stack:
                workers = {
                    key: stack.enter_context(closing(Worker(name, its_work)))
                    for key, (name, its_work) in takes_part.items()
                }
                found = {
                    key: worker.start.found for key, worker in workers.items() if key != "shorter"
                }
                for numbers in found.values():
                    np.testing.assert_allclose(numbers, found[BY_HAND], rtol=1e-9, atol=1e-12)
                if "program" in workers:
                    preparations.append(workers["program"].start.preparation)
                clocks = {key: worker.seconds for key, worker in workers.items()}
                for key, rounds in timed(clocks, self.rounds, self.target, self.budget).items():
                    times[key] += rounds
        cells = [
            number(ratio(times[name], times[BY_HAND])) if name in times else "–" for name in HANDS
        ]
        marks = [
            bound(most, f"× {other}", ratio(times["engine"], times[other]))
            for other, most in work.bounds.items()
            if other in times and "engine" in times
        ]
        marks += of_the_program(work, times, preparations)
        if shorter is not None:
            growth = ratio(times["engine"], times["shorter"]) * shorter.operations / work.operations
            marks.append(bound(1.8, "× its time per operation at 1,000", growth))
        return f"| {work.name} | {' | '.join(cells)} | {'; '.join(marks)} |"

    def memory(self, n: int) -> str:
        """Measure the bytes per operation of a chain."""
        eager = [
            name for name in HANDS if name != "program" and reason_against(chain(n), name) is None
        ]
        used = {name: bytes_per_operation(name, n) for name in eager}
        cells = [f"{used[name]:.0f} B" if used.get(name) is not None else "–" for name in HANDS]
        mark = "" if used["engine"] is None else bound(300, "bytes", used["engine"])
        return f"| … bytes per operation | {' | '.join(cells)} | {mark} |"

    def imports(self) -> str:
        """Measure imports in processes that have already imported NumPy, relative to the import of NumPy."""
        modules = {
            "engine": "autodiff_lab",
            "autograd": "autograd.numpy",
            "PyTorch": "torch",
            "JAX": "jax.numpy",
        }
        modules = {name: module for name, module in modules.items() if missing(name) is None}
        if self.quick:
            modules = {"engine": modules["engine"]}
        prices = import_prices(["numpy", *modules.values()], 1 if self.quick else 7)
        unit, _ = prices["numpy"]

        def cell(name: str) -> str:
            if name not in modules:
                return "–"
            time, space = prices[modules[name]]
            return number(time / unit) + ("" if space is None else f", {space / 1e6:.1f} MB")

        time, space = prices[modules["engine"]]
        marks = [bound(0.2, "× NumPy", time / unit)]
        if space is not None:
            marks.append(bound(4, "MB", space / 1e6))
        if "autograd" in modules:
            marks.append(bound(0.5, "× autograd", time / prices[modules["autograd"]][0]))
        return f"| `import`, beside `import numpy` | {' | '.join(map(cell, HANDS))} | {'; '.join(marks)} |"


def of_the_program(
    work: Work, times: dict[str, list[float]], preparations: list[float]
) -> list[str]:
    """Compare the compiled program and the cost of compiling with their bounds."""
    if "program" not in times:
        return []
    marks = []
    for other, most in work.compiled.items():
        if other in times:
            its_times = times[BARE if other == BY_HAND else other]
            found = ratio(times["program"], its_times)
            marks.append(f"program {bound(most, f'× {other}', found)}")
    if "gradients" in work.compiled:
        cost = min(preparations) / min(times["engine"])
        marks.append(bound(work.compiled["gradients"], "gradients for compiling", cost))
    return marks


def missing_library(library: str) -> bool:
    """Whether a hand's library is not installed."""
    return any(missing(name) for name, (_, needs) in HANDS.items() if needs == library)


def reason_against(work: Work, name: str) -> str | None:
    """Return why a hand is left out of this work; None if it takes part."""
    if missing(name):
        return missing(name)
    if name in work.without:
        return work.without[name]
    is_gradient_of_numbers = work.task == "gradient" and not any(map(np.ndim, work.args))
    if name in ("closures", "micrograd") and not is_gradient_of_numbers:
        return "only for gradients of numbers"
    return None


def number(x: float) -> str:
    """Format a ratio with two or three digits; on a busy machine, more would mean nothing."""
    return f"{x:.2f}" if x < 9.95 else f"{x:.0f}"


def bound(most: float, unit: str, found: float) -> str:
    """Write a bound, the measured value, and whether the value misses the bound."""
    return f"{most:g} {unit}: {number(found)}" + (" **missed**" if found > most else "")


def written(readme: str, table: str) -> str:
    """Return the text of README.md with the table between the two marks replaced."""
    head, rest = readme.split(MARKS[0])
    tail = rest.split(MARKS[1])[1]
    return f"{head}{MARKS[0]}\n\n{table}\n\n{MARKS[1]}{tail}"


def program_range(table: str) -> str:
    """Return the range of the column *program*, without its first row (the expression of the top-level README)."""
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")]
    column = rows[0].index("program")
    expression = works()[0].name
    found = [
        float(row[column])
        for row in rows[1:]
        if row[0] != expression and re.fullmatch(r"[\d.]+", row[column])
    ]
    return f"{min(found):.1f} to {max(found):.1f}"


def main(argv: list[str] | None = None) -> None:
    """Measure the table and print it; with ``--write``, also write it into the two READMEs."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    either = parser.add_mutually_exclusive_group()
    either.add_argument(
        "--quick", action="store_true", help="measure one short round, only to see that it runs"
    )
    either.add_argument(
        "--write", action="store_true", help="also write the table into this folder's README.md"
    )
    parser.add_argument(
        "--rows", default="", metavar="PART", help="measure only the rows with PART in their name"
    )
    options = parser.parse_args(argv)
    if options.write and options.rows:
        parser.error("--write writes the whole table into README.md; leave out --rows")
    lines = []
    for line in Table(options.quick, options.rows).lines():
        print(line, flush=True)
        lines.append(line)
    if options.write:
        table = "\n".join(lines).strip()
        README.write_text(written(README.read_text(encoding="utf-8"), table), encoding="utf-8")
        FRONT.write_text(
            CLAIM.sub(program_range(table), FRONT.read_text(encoding="utf-8")), encoding="utf-8"
        )


if __name__ == "__main__":
    main()
