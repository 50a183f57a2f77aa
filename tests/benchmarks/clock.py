"""How to measure on a machine that is never quiet.

Processor time, not the clock on the wall. The hands run in turn within each round, and a ratio is taken between
neighbours of one round; its median over the rounds is what counts. Memory and imports are measured in processes of
their own.
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
# One thread, as the derivatives by hand have one; nothing else is set that a user has not.
SETTINGS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
SETTINGS |= {"XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false", "JAX_PLATFORMS": "cpu"}


def environment(**more: str) -> dict[str, str]:
    """The variables of a process that is measured: memory is managed as it is for users, who set nothing."""
    kept = {
        name: given
        for name, given in os.environ.items()
        if not name.startswith(("MALLOC_", "GLIBC_TUNABLES"))
    }
    return kept | SETTINGS | more


def seconds(call: Callable[[], Any], repeats: int) -> float:
    """The processor time of one call."""
    start = time.process_time()
    for _ in range(repeats):
        call()
    return (time.process_time() - start) / repeats


def timed(
    clocks: Mapping[str, Callable[[int], float]], rounds: int, target: float, budget: float
) -> dict[str, list[float]]:
    """Seconds per call, round by round, the hands in turn; each measurement lasts about `target` seconds.

    A clock takes how often to repeat a call, and returns the seconds of one. Slow work gets fewer rounds, so that they
    fit into `budget` seconds, but one at least.
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
    """The median over the rounds of a / b."""
    return median(x / y for x, y in zip(a, b, strict=True))


def printed(code: str, **more: str) -> str:
    """What a fresh Python prints when it runs `code`, with the repository's top folder to import from."""
    command = [sys.executable, "-c", code]
    run = subprocess.run(
        command, cwd=ROOT, env=environment(**more), capture_output=True, text=True, check=True
    )
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


def import_prices(modules: Iterable[str], rounds: int) -> dict[str, tuple[float, float | None]]:
    """Processor seconds and bytes that ``import module`` takes in a process that has imported NumPy; compiled before.

    For NumPy itself, in a process that has not. Both are read before and after, in the same process, so neither can
    come out below 0. The modules are imported in turn; of several rounds the least counts: an import does the same work
    each time, and neighbours on the machine can only add to it.
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
