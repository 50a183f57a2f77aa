"""Print the table of ratios: ``python -m tests.benchmarks``.

A machine is never quiet. Therefore the engine, the hand-written code and the peer run in turn within each round, a
ratio is taken between neighbours of one round, and the median over the rounds is printed.
"""

from __future__ import annotations

import argparse
import gc
import platform
import time
import tracemalloc
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

from autodiff_lab import record

from .work import HANDS, STAGES, Work, chain, example, turns


def seconds(call: Callable[[], Any], repeats: int) -> float:
    """The processor time of one call: what others do on the machine at the same time is not counted."""
    start = time.process_time()
    for _ in range(repeats):
        call()
    return (time.process_time() - start) / repeats


def measured(work: Work, stage: str, rounds: int, target: float) -> dict[str, list[float]]:
    """Seconds per call, round by round, the hands in turn; each measurement lasts about `target` seconds."""
    hands = [hand for hand in HANDS if (stage, hand) in work.prepare]
    times: dict[str, list[float]] = {hand: [] for hand in hands}
    repeats: dict[str, int] = {}
    for k in range(rounds + 1):
        for hand in hands[k % len(hands) :] + hands[: k % len(hands)]:
            call = work.prepare[stage, hand]()
            gc.collect()
            once = seconds(call, repeats.get(hand, 1))
            if k:
                times[hand].append(once)
            else:  # the first round warms up, and tells how often to repeat
                repeats[hand] = max(1, int(target / max(once, 1e-7)))
            del call
    return times


def ratio(a: list[float], b: list[float]) -> float:
    """The median over the rounds of a / b."""
    return median(x / y for x, y in zip(a, b, strict=True))


def bytes_per_operation(n: int) -> float:
    """What a tape holds on to, by Python's own count."""
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    kept = record(lambda x: turns(x, n), 1.0)
    used = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    del kept
    return used / n


def main(argv: list[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a few short rounds: to see that it runs, not how fast")
    quick = parser.parse_args(argv).quick
    rounds, target = (1, 1e-4) if quick else (15, 0.01)
    works = [example(), chain(100)] if quick else [example(), chain(1_000), chain(100_000)]
    gc.freeze()
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.machine()}; {rounds} rounds\n")
    print("| work | stage | engine, ns per operation | × written by hand | × peer |")
    print("|---|---|---:|---:|---:|")
    per_operation = {}
    for work in works:
        for stage in (*STAGES, "forward"):
            if (stage, "engine") not in work.prepare:
                continue
            times = measured(work, stage, rounds if work.operations < 10_000 else min(rounds, 5), target)
            own = median(times["engine"]) / work.operations
            per_operation[work.operations, stage] = own
            peer = f"{ratio(times['engine'], times['peer']):.2f}" if "peer" in times else ""
            hand = f"{ratio(times['engine'], times['hand']):.1f}"
            print(f"| {work.name} | {stage} | {own * 1e9:.0f} | {hand} | {peer} |", flush=True)
    few, many = works[1].operations, works[-1].operations
    if many > few:
        growth = per_operation[many, "gradient"] / per_operation[few, "gradient"]
        print(f"\nTime per operation at {many:,} operations is {growth:.2f} × that at {few:,}.")
    print(f"\nA recorded scalar operation takes {bytes_per_operation(few if quick else many):.0f} bytes.")


if __name__ == "__main__":
    main()
