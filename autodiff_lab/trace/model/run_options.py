"""The options of a run: which derivative is computed, and by which engine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from autodiff_lab.engine.errors import InputError

MODES = ("reverse", "forward")
# The bugs of the engines in `faulty_engines`.
FAULTS = ("overwrite", "wrong order", "recursion", "stale")


@dataclass(frozen=True)
class RunOptions:
    """The options of a run, as passed to `Trace.of` and `play`; making them checks them.

    Attributes
    ----------
    mode : {"reverse", "forward"}
    direction : str, tuple, dict or list, optional
        Forward mode only: the tangents of the inputs, in a form that `Trace.of` accepts.
    fault : {"", "overwrite", "wrong order", "recursion", "stale"}
        Reverse mode only: the engine's bug.
    result : str, int or tuple, optional
        Which of several results to differentiate, as for `Trace.of`.
    seed : tuple, list or dict, optional
        The seed of each result, as for `Trace.of`.

    Raises
    ------
    InputError
        If there is no such mode or fault, or if two options contradict each other.
    """

    mode: str = "reverse"
    direction: Any = None
    fault: str = ""
    result: Any = None
    seed: Any = None

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise InputError(
                f"There is no mode {self.mode!r}; a trace is taken in mode 'reverse' or 'forward'."
            )
        if self.mode == "reverse" and self.direction is not None:
            raise InputError("A direction belongs to forward mode: write mode='forward' with it.")
        if self.mode == "forward" and self.fault:
            raise InputError(
                "The faulty engines run in reverse mode only: leave out mode='forward', or the fault."
            )
        if self.fault and self.fault not in FAULTS:
            raise InputError(
                f"There is no fault {self.fault!r}; there are {', '.join(map(repr, FAULTS))}."
            )

    def along(self, direction: Any) -> RunOptions:
        """Return the options of the same run in forward mode, along a direction; in reverse mode for None."""
        mode = "reverse" if direction is None else "forward"
        return replace(self, mode=mode, direction=direction)
