"""A watched step of a real training loop: PyTorch runs it as usual, and its record answers questions about it."""

from __future__ import annotations

import contextlib
import functools
import linecache
import sys
from collections.abc import Sequence
from types import CodeType, TracebackType
from typing import Any

import torch

from autodiff_lab.engine.views import view
from autodiff_lab.frameworks.diagnoses import Diagnoses, Report
from autodiff_lab.frameworks.engines import FrameworkError
from autodiff_lab.frameworks.pytorch import RunBuilder, name_modules, refuse_compiled, require_cpu
from autodiff_lab.frameworks.pytorch_formulas import write_operation
from autodiff_lab.frameworks.pytorch_recording import Cut, Frames, Recording, Sweep
from autodiff_lab.text.grid import grid
from autodiff_lab.text.messages import message
from autodiff_lab.trace.recorded_run import RecordedRun
from autodiff_lab.trace.run_reader import RunReader


class WatchedStep:
    """A watched step of a training loop with PyTorch: what `watch` returns.

    Parameters
    ----------
    model : torch.nn.Module, optional
    """

    def __init__(self, model: Any = None) -> None:
        if model is not None and not isinstance(model, torch.nn.Module):
            raise FrameworkError(
                f"watch takes a torch.nn.Module, and this is a {type(model).__name__}: watch(model)."
            )
        refuse_compiled(model)
        require_cpu([] if model is None else [model])
        self._model = model
        self._recording: Recording | None = None
        self._running = contextlib.ExitStack()
        self._labels: dict[int, str] = {}
        self._code: CodeType | None = None

    def __enter__(self) -> WatchedStep:
        frame = sys._getframe(1)
        self._code = frame.f_code
        models = {} if self._model is None else {"": self._model}
        self._recording = Recording(frame, name_modules(models), includes_boundary=True)
        self._running.enter_context(self._recording.running())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._running.close()
        variables = self._recorded.leave()
        tensors = {
            id(one): name for name, one in variables.items() if isinstance(one, torch.Tensor)
        }
        self._labels = {id(one): name for name, one in self._named_parameters()} | tensors

    @property
    def _recorded(self) -> Recording:
        if self._recording is None:
            raise FrameworkError(
                "Nothing was watched yet: write `with ad.watch(model) as run:` around a training step."
            )
        return self._recording

    def _named_parameters(self) -> list[tuple[str, Any]]:
        return [] if self._model is None else list(self._model.named_parameters())

    @property
    def _sweep(self) -> Sweep:
        """The backward pass that is shown: the last one."""
        sweeps = self._recorded.sweeps
        if not sweeps:
            raise FrameworkError(
                "No backward pass ran while this step was watched: call loss.backward() inside of the `with` block. "
                "(run.why_none() works without one.)"
            )
        if sweeps[-1].failure is not None:
            raise sweeps[-1].failure
        return sweeps[-1]

    @functools.cached_property
    def record(self) -> RecordedRun:
        """The neutral record of the watched step."""
        name = "" if self._model is None else type(self._model).__name__
        title = message("a step of", name=name) if name else message("a step")
        return RunBuilder(self._recorded, self._sweep, self._labels).build(
            title=title, function=title
        )

    @functools.cached_property
    def _reader(self) -> RunReader:
        return RunReader(self.record, self._block)

    @property
    def _block(self) -> Any:
        """What stands for the function that was run: the learner's code around the step."""
        return _CodeBlock(self._code)

    @property
    def _diagnoses(self) -> Diagnoses:
        return Diagnoses(self._reader)

    def player(self) -> Any:
        """Step through the watched step in a player: its forward pass, and its last backward pass.

        Returns
        -------
        Player

        Raises
        ------
        FrameworkError
            If no backward pass ran.
        """
        return view("play_recorded")(self.record, self._block)

    def trace(self) -> Any:
        """Return the `Trace` of the watched step."""
        return self._reader.read()

    def norms(self) -> Report:
        """Report the norm of each line's adjoint on a log scale: gradients that vanish or explode are seen there."""
        return self._diagnoses.norms()

    def memory(self) -> Report:
        """Report how many bytes PyTorch keeps for the backward pass, by line."""
        return self._diagnoses.memory()

    def nan_birth(self) -> str:
        """Say where the first NaN or infinity of the step was born, and why; ``""`` if there is none."""
        return self._diagnoses.nan_birth()

    def why_none(self) -> Report:
        """Report why `.grad` is None, for each parameter of the model that has none.

        Raises
        ------
        FrameworkError
            If no model is watched.
        """
        if self._model is None:
            raise FrameworkError(
                "run.why_none() needs to know the model's parameters: write `with ad.watch(model) as run:`."
            )
        rows = [
            (name, self._explain(one)) for name, one in self._named_parameters() if one.grad is None
        ]
        columns = [message("why parameter"), message("why reason")]
        return Report(
            grid(message("why none"), columns, rows), "" if rows else message("why nothing")
        )

    def _explain(self, parameter: Any) -> str:
        if not parameter.requires_grad:
            return message("why frozen")
        sweeps = self._recorded.sweeps
        in_graph = any(
            id(s.nodes[k].variable) == id(parameter)
            for s in sweeps
            for k in range(len(s.nodes))
            if s.is_leaf(k)
        )
        if in_graph:
            return message("why reset")
        cuts = [cut for cut in self._recorded.cuts if id(parameter) in _find_leaves(cut.sources)]
        if cuts:
            return "; ".join(dict.fromkeys(map(_describe_cut, cuts[:3])))
        if id(parameter) not in self._recorded.leaves:
            return message("why unused")
        return message("why not in the loss" if sweeps else "why no backward")


class _CodeBlock:
    """A stand-in for the function that was run: the learner's code around a watched step can't be called again."""

    __name__ = "step"

    def __init__(self, code: CodeType | None) -> None:
        self.__code__ = code


def _find_leaves(sources: Sequence[Any]) -> set[int]:
    """Find the leaves that some tensors or nodes depend on, by their ids."""
    found: set[int] = set()
    stack, seen = list(sources), set()
    while stack:
        one = stack.pop()
        if isinstance(one, torch.Tensor):
            found.add(id(one))
            continue
        if one is None or one in seen:
            continue
        seen.add(one)
        if hasattr(one, "variable"):
            found.add(id(one.variable))
        stack += [to for to, _ in one.next_functions]
    return found


def _describe_cut(cut: Cut) -> str:
    return message(
        f"why {cut.why}", name=write_operation(cut.name, ()).op, place=describe_place(cut.frames)
    )


def describe_place(frames: Frames) -> str:
    """Describe where the innermost of the learner's frames stands: ``line 13: a = self.aux(h).detach()``."""
    if not frames:
        return message("no place")
    code, instruction = frames[-1]
    line = list(code.co_positions())[instruction // 2][0] or code.co_firstlineno
    return f"line {line}: {linecache.getline(code.co_filename, line).strip()}"
