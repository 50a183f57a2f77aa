"""A process in which one hand works: it has imported NumPy and that hand's library, but none of the others.

In one process with other libraries, a hand would be faster or slower than for its users: a library may change how
memory is managed, how often garbage is collected, or which threads run. The process reads a piece of work from its
input, and then, for each measurement, how often to repeat it.
"""

from __future__ import annotations

import gc
import os
import pickle
import subprocess
import sys
import time
from typing import Any, NamedTuple

import numpy as np

from . import work as work_file
from .clock import ROOT, environment, seconds
from .hands import HANDS, call_of, flat, hand
from .work import Work


class Start(NamedTuple):
    """The first answer of a worker: the derivative, the seconds of preparation, and the names of imported packages."""

    found: np.ndarray
    preparation: float
    modules: set[str]


class Worker:
    """A process in which one hand does one piece of work; it waits while others are timed."""

    def __init__(self, name: str, work: Work) -> None:
        command = [sys.executable, "-c", "from tests.benchmarks import worker; worker.main()", name]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._process = subprocess.Popen(command, cwd=ROOT, env=environment(), **pipes)
        self.start = Start(*self._ask(_packed(work)))

    def _ask(self, order: Any) -> Any:
        pickle.dump(order, self._process.stdin)
        self._process.stdin.flush()
        return pickle.load(self._process.stdout)

    def seconds(self, repeats: int) -> float:
        """Measure the processor time of one call, as the mean over `repeats` calls."""
        return self._ask(repeats)

    def close(self) -> None:
        """End the process."""
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


def _packed(work: Work) -> tuple[Any, ...]:
    """Return a piece of work without our classes and functions, because their modules have other names under pytest."""
    return work.task, work.f.__name__, work.by_hand.__name__, work.args, work.constants


def _unpacked(packed: tuple[Any, ...]) -> Work:
    task, f, by_hand, args, constants = packed
    return Work("", task, getattr(work_file, f), getattr(work_file, by_hand), args, constants)


def main() -> None:
    """Read a piece of work, and time it as often as asked, until the input ends."""
    name = sys.argv[1]
    orders, answers = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(
        sys.stderr.fileno(), sys.stdout.fileno()
    )  # so that a library's output isn't read as an answer

    def answer(what: Any) -> None:
        pickle.dump(what, answers)
        answers.flush()

    work = _unpacked(pickle.load(orders))
    if name in HANDS:
        hand(name)
    start = time.process_time()
    call = call_of(name, work)
    preparation = time.process_time() - start
    found = flat(call(), name, work.task)
    gc.collect()
    gc.freeze()  # so that a collection in the timed code doesn't visit the library's own objects
    answer((found, preparation, {module.partition(".")[0] for module in sys.modules}))
    while True:
        try:
            repeats = pickle.load(orders)
        except EOFError:
            return
        gc.collect()
        answer(seconds(call, repeats))
