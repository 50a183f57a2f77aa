"""Measurements of time and memory on a machine where other programs run too.

Times are processor time, not wall-clock time. In each round the hands take turns, and a ratio is of two times in the
same round; the result is the median over the rounds. Memory and imports are measured in fresh processes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[2]
# One thread, because the derivatives by hand have one. Everything else is as users have it.
SETTINGS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
SETTINGS |= {"XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false", "JAX_PLATFORMS": "cpu"}


def environment(**more: str) -> dict[str, str]:
    """Return the environment variables of a measured process, without any that change how memory is managed."""
    kept = {
        name: given
        for name, given in os.environ.items()
        if not name.startswith(("MALLOC_", "GLIBC_TUNABLES"))
    }
    return kept | SETTINGS | more


def seconds(call: Callable[[], Any], repeats: int) -> float:
    """Measure the processor time of one call, as the mean over `repeats` calls."""
    start = time.process_time()
    for _ in range(repeats):
        call()
    return (time.process_time() - start) / repeats


def timed(
    clocks: Mapping[str, Callable[[int], float]], rounds: int, target: float, budget: float
) -> dict[str, list[float]]:
    """Measure the seconds per call in several rounds, in which the hands take turns.

    The argument of a clock is how often to repeat the call; it returns the seconds of one call. Each measurement lasts
    about `target` seconds. Slow work gets fewer rounds, so that they fit into `budget` seconds, but at least one.
    """
    names = list(clocks)
    once = {name: max(clocks[name](1), 1e-7) for name in names}
    repeats = {name: max(1, int(target / once[name])) for name in names}
    a_round = sum(once[name] * repeats[name] for name in names)
    times: dict[str, list[float]] = {name: [] for name in names}
    for k in range(max(1, min(rounds, int(budget / a_round)))):
        turn = k % len(names)
        for name in names[turn:] + names[:turn]:
            times[name].append(clocks[name](repeats[name]))
    return times


def ratio(a: list[float], b: list[float]) -> float:
    """Return the median of a / b over the rounds."""
    return median(x / y for x, y in zip(a, b, strict=True))


def printed(code: str, **more: str) -> str:
    """Run `code` in a fresh Python, in the repository's top folder, and return what it prints."""
    command = [sys.executable, "-c", code]
    run = subprocess.run(
        command, cwd=ROOT, env=environment(**more), capture_output=True, text=True, check=True
    )
    return run.stdout.strip()


PEAK = "int(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')).split()[1]) * 1024"
FORGET = "open('/proc/self/clear_refs', 'w').write('5')"  # sets the peak back to what is in use now


def bytes_per_operation(hand: str, n: int) -> float | None:
    """Measure the peak memory growth per operation of a fresh process that differentiates a chain; Linux only."""
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


def import_prices(modules: Iterable[str], rounds: int) -> dict[str, tuple[float, float | None]]:
    """Measure the processor seconds and bytes of ``import module`` in a process that has already imported NumPy.

    NumPy itself is imported in a fresh process. All bytecode is compiled beforehand. Time and memory are read before
    and after the import, in the same process, so neither can be negative. The result is the smallest value of several
    rounds: an import does the same work each time, and other programs on the machine can only add to it.
    """
    space = sys.platform == "linux"
    taken: dict[str, list[tuple[float, float]]] = {module: [] for module in modules}
    with TemporaryDirectory() as cache:
        compiled = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": cache}
        for k in range(1 + rounds):
            for module, prices in taken.items():
                code = f"""
import time{"" if module == "numpy" else ", numpy"}
{FORGET if space else ""}
before = time.process_time(), {PEAK if space else 0}
import {module}
print(time.process_time() - before[0], {PEAK if space else 0} - before[1])
"""
                spent, grown = map(float, printed(code, **compiled).split())
                if k > 0:  # the first round compiles
                    prices.append((spent, grown))
    least = {module: tuple(map(min, zip(*prices, strict=True))) for module, prices in taken.items()}
    return {module: (spent, grown if space else None) for module, (spent, grown) in least.items()}
