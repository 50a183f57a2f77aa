"""A hand at work in a process of its own, which has loaded NumPy, that hand's library, and none of the others'.

Beside other libraries no hand would be as fast, or as slow, as its users find it: a library may change how memory is
kept, how often garbage is collected, or which threads run. The process reads a piece of work from its input, and then,
as often as it is asked, how often to repeat it.
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
    """What a worker says when it is ready: what it found, what getting ready cost, and what it has imported."""

    found: np.ndarray
    preparation: float
    modules: set[str]


class Worker:
    """A process in which one hand does one piece of work; it waits while the others are timed."""

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
        """The processor time of one call, in the mean over `repeats`."""
        return self._ask(repeats)

    def close(self) -> None:
        """End the process."""
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


def _packed(work: Work) -> tuple[Any, ...]:
    """A piece of work without classes and functions of ours: under pytest their modules have other names."""
    return work.task, work.f.__name__, work.by_hand.__name__, work.args, work.constants


def _unpacked(packed: tuple[Any, ...]) -> Work:
    task, f, by_hand, args, constants = packed
    return Work("", task, getattr(work_file, f), getattr(work_file, by_hand), args, constants)


def main() -> None:
    """Do the work that is read, until there are no more orders."""
    name = sys.argv[1]
    orders, answers = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is no answer

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
    gc.freeze()  # a library's own objects are no part of a collection that the timed code causes
    answer((found, preparation, {module.partition(".")[0] for module in sys.modules}))
    while True:
        try:
            repeats = pickle.load(orders)
        except EOFError:
            return
        gc.collect()
        answer(seconds(call, repeats))
