"""How to measure on a machine that is never quiet.

Processor time, not the clock on the wall. The hands run in turn within each round, and a ratio is taken between
neighbours of one round; its median over the rounds is what counts. Memory and imports are measured in processes of
their own.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import autodiff_lab

ROOT = Path(autodiff_lab.__file__).parents[1]


def seconds(call: Callable[[], Any], repeats: int) -> float:
    """The processor time of one call."""
    start = time.process_time()
    for _ in range(repeats):
        call()
    return (time.process_time() - start) / repeats


def timed(calls: Mapping[str, Callable[[], Any]], rounds: int, target: float, budget: float) -> dict[str, list[float]]:
    """Seconds per call, round by round, the hands in turn; each measurement lasts about `target` seconds.

    Slow work gets fewer rounds, so that all of them fit into `budget` seconds, but three at least.
    """
    names = list(calls)
    once = {name: max(seconds(calls[name], 1), 1e-7) for name in names}
    repeats = {name: max(1, int(target / once[name])) for name in names}
    a_round = sum(once[name] * repeats[name] for name in names)
    times: dict[str, list[float]] = {name: [] for name in names}
    for k in range(max(min(rounds, 3), min(rounds, int(budget / a_round)))):
        turn = k % len(names)
        for name in names[turn:] + names[:turn]:
            gc.collect()
            times[name].append(seconds(calls[name], repeats[name]))
    return times


def ratio(a: list[float], b: list[float]) -> float:
    """The median over the rounds of a / b."""
    return median(x / y for x, y in zip(a, b, strict=True))


def printed(code: str, **environment: str) -> str:
    """What a fresh Python prints when it runs `code`, with the repository's top folder to import from."""
    env = {**os.environ, **environment}
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    return run.stdout.strip()


PEAK = "int(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')).split()[1]) * 1024"
FORGET = "open('/proc/self/clear_refs', 'w').write('5')"  # sets the peak back to what is in use now


def bytes_per_operation(hand: str, n: int) -> float | None:
    """By how much a process of its own grows at most while the gradient of a chain is taken; Linux only."""
    if sys.platform != "linux":
        return None
    code = f"""
from tests.benchmarks import hands, work
hand = hands.hand({hand!r})
work.chain(100).call(hand)()
call = work.chain({n}).call(hand)
{FORGET}
before = {PEAK}
call()
print(({PEAK} - before) / {n})
"""
    return float(printed(code))


def import_price(module: str, rounds: int) -> tuple[float, float | None]:
    """Processor seconds and bytes that ``import module`` takes in a process that has imported NumPy; compiled before.

    Both are read before and after, in the same process, so neither can come out below 0. Of several rounds the least:
    an import does the same work each time, and neighbours on the machine can only add to it.
    """
    space = sys.platform == "linux"
    code = f"""
import time, numpy
{FORGET if space else ""}
before = time.process_time(), {PEAK if space else 0}
import {module}
print(time.process_time() - before[0], {PEAK if space else 0} - before[1])
"""
    with TemporaryDirectory() as cache:
        compiled = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": cache}
        printed(code, **compiled)
        taken = [map(float, printed(code, **compiled).split()) for _ in range(rounds)]
    seconds_taken, bytes_taken = map(min, zip(*taken, strict=True))
    return seconds_taken, bytes_taken if space else None
