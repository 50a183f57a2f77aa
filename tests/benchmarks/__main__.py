"""Print the table of ratios: ``python -m tests.benchmarks``; ``--write`` puts it into README.md."""

from __future__ import annotations

import argparse
import gc
import os
import platform
import sys
from collections.abc import Iterator
from functools import partial
from importlib.metadata import version
from pathlib import Path

import numpy as np

from .clock import bytes_per_operation, import_price, ratio, timed
from .hands import HANDS, flat, hand, missing
from .work import Work, chain, works

README = Path(__file__).with_name("README.md")
MARKS = "<!-- printed by python -m tests.benchmarks --write -->", "<!-- end of what is printed -->"
SETTINGS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
SETTINGS |= {"XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false", "JAX_PLATFORMS": "cpu"}
SETTINGS |= dict.fromkeys(("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_"), str(1 << 30))
"""glibc is to keep freed memory: giving it back and faulting it in again doubles a row with arrays, by chance."""


class Table:
    """The lines, and the reasons for what is not in them."""

    def __init__(self, quick: bool) -> None:
        self.quick = quick
        self.rounds, self.target, self.budget = (1, 1e-4, 1.0) if quick else (15, 0.02, 15.0)
        self.reasons: dict[str, list[str]] = {}

    def lines(self) -> Iterator[str]:
        """The table, line by line, as they are measured."""
        libraries = [name for _, name in HANDS.values() if name and not missing_library(name)]
        versions = "".join(f", {name} {version(name)}" for name in dict.fromkeys(libraries))
        yield f"Python {platform.python_version()}, NumPy {np.__version__}{versions}; {platform.machine()}, one thread."
        yield ""
        yield "| work | " + " | ".join(HANDS) + " | at most: measured |"
        yield "|---|" + "---:|" * len(HANDS) + "---|"
        lengths = (10_000,) if self.quick else (10_000, 100_000, 1_000_000)
        for work in works():
            yield self.row(work)
            for n in lengths if work.name == chain(1_000).name else ():
                yield self.row(chain(n), shorter=chain(1_000))
                yield self.memory(n)
        yield self.imports()
        yield ""
        yield from (f"– {', '.join(dict.fromkeys(names))}: {reason}.\n" for reason, names in self.reasons.items())

    def row(self, work: Work, shorter: Work | None = None) -> str:
        """Time the hands at one piece of work, after they have found the same numbers."""
        calls = {"hand": work.hand_written}
        for name in HANDS:
            why = reason_against(work, name)
            if why is not None:
                self.reasons.setdefault(why, []).append(name)
                continue
            calls[name] = work.call(hand(name))
            found = flat(calls[name](), name, work.task)
            np.testing.assert_allclose(found, flat(work.hand_written()), rtol=1e-9, atol=1e-12)
        if "program" in calls:  # a call by hand that costs as little as the program's, which is what counts below 1 µs
            calls["bare hand"] = partial(work.by_hand, *work.constants, *work.args)
        if shorter is not None:
            calls["shorter"] = shorter.call(hand("engine"))
        times = timed(calls, self.rounds, self.target, self.budget)
        cells = [number(ratio(times[name], times["hand"])) if name in times else "–" for name in HANDS]
        marks = [
            bound(most, f"× {other}", ratio(times["engine"], times[other]))
            for other, most in work.bounds.items()
            if other in times and "engine" in times
        ]
        marks += self.of_the_program(work, times)
        if shorter is not None:
            growth = ratio(times["engine"], times["shorter"]) * shorter.operations / work.operations
            marks.append(bound(1.8, "× its time per operation at 1,000", growth))
        return f"| {work.name} | {' | '.join(cells)} | {'; '.join(marks)} |"

    def of_the_program(self, work: Work, times: dict[str, list[float]]) -> list[str]:
        """The bounds of the compiled program, and what compiling cost."""
        if "program" not in times:
            return []
        found = {
            other: ratio(times["program"], times["bare hand" if other == "hand" else other])
            for other in work.compiled
            if other in times
        }
        marks = [f"program {bound(work.compiled[other], f'× {other}', x)}" for other, x in found.items()]
        if "gradients" in work.compiled:
            cost = sum(hand("program").made.seconds.values()) / min(times["engine"])
            marks.append(bound(work.compiled["gradients"], "gradients for compiling", cost))
        return marks

    def memory(self, n: int) -> str:
        """Bytes per operation of a chain."""
        eager = [name for name in HANDS if name != "program" and reason_against(chain(n), name) is None]
        used = {name: bytes_per_operation(name, n) for name in eager}
        cells = [f"{used[name]:.0f} B" if used.get(name) is not None else "–" for name in HANDS]
        mark = "" if used["engine"] is None else bound(300, "bytes", used["engine"])
        return f"| … bytes per operation | {' | '.join(cells)} | {mark} |"

    def imports(self) -> str:
        """The price of an import in a process that has NumPy already."""
        modules = {"engine": "autodiff_lab", "autograd": "autograd.numpy", "PyTorch": "torch", "JAX": "jax.numpy"}
        prices = {
            name: import_price(module, 1 if self.quick else 15 if name in ("engine", "autograd") else 3)
            for name, module in modules.items()
            if missing(name) is None and not (self.quick and name != "engine")
        }

        def cell(name: str) -> str:
            if name not in prices:
                return "–"
            time, space = prices[name]
            return f"{time * 1e3:.0f} ms" + ("" if space is None else f", {space / 1e6:.1f} MB")

        time, space = prices["engine"]
        marks = [bound(15, "ms", time * 1e3)] + ([] if space is None else [bound(4, "MB", space / 1e6)])
        if "autograd" in prices:
            marks.append(bound(0.5, "× autograd", time / prices["autograd"][0]))
        return f"| `import`, after `import numpy` | {' | '.join(map(cell, HANDS))} | {'; '.join(marks)} |"


def missing_library(library: str) -> bool:
    """Whether a hand's library is not installed."""
    return any(missing(name) for name, (_, needs) in HANDS.items() if needs == library)


def reason_against(work: Work, name: str) -> str | None:
    """Why a hand does not do this work; None if it does."""
    if missing(name):
        return missing(name)
    if name in work.without:
        return work.without[name]
    if name in ("closures", "micrograd") and (work.task != "gradient" or any(np.ndim(x) for x in work.args)):
        return "gradients of numbers are all it knows"
    return None


def number(x: float) -> str:
    """Two significant digits; a ratio on a busy machine has no more."""
    return f"{x:.2f}" if x < 9.95 else f"{x:.0f}"


def bound(most: float, unit: str, found: float) -> str:
    """What was asked, what was measured, and whether it misses."""
    return f"{most:g} {unit}: {number(found)}" + (" **missed**" if found > most else "")


def written(readme: str, table: str) -> str:
    """The text of README.md with the table between the two marks replaced."""
    head, rest = readme.split(MARKS[0])
    tail = rest.split(MARKS[1])[1]
    return f"{head}{MARKS[0]}\n\n{table}\n\n{MARKS[1]}{tail}"


def main(argv: list[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    either = parser.add_mutually_exclusive_group()
    either.add_argument("--quick", action="store_true", help="one short round: to see that it runs, not how fast")
    either.add_argument("--write", action="store_true", help="put the table into README.md of this folder")
    options = parser.parse_args(argv)
    for name in HANDS:
        if missing(name) is None:
            hand(name)
    gc.collect()
    gc.freeze()  # the libraries' own objects are no part of a collection that the timed code causes
    lines = []
    for line in Table(options.quick).lines():
        print(line, flush=True)
        lines.append(line)
    if options.write:
        README.write_text(written(README.read_text(encoding="utf-8"), "\n".join(lines).strip()), encoding="utf-8")


if __name__ == "__main__":
    if any(os.environ.get(name) != one for name, one in SETTINGS.items()):  # libraries read it when they are loaded
        arguments = [sys.executable, "-m", "tests.benchmarks", *sys.argv[1:]]
        os.execve(sys.executable, arguments, os.environ | SETTINGS)
    main()
