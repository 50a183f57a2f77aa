"""A watched step of a PyTorch training loop: PyTorch runs it as usual, and the record of it explains its gradients."""

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
    """A watched step of a PyTorch training loop; `watch` returns one.

    Parameters
    ----------
    model : torch.nn.Module, optional
    """

    def __init__(self, model: Any = None) -> None:
        if model is not None and not isinstance(model, torch.nn.Module):
            raise FrameworkError(
                f"watch takes a torch.nn.Module, and this is a {type(model).__name__}: write watch(model)."
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
                "No step has been watched yet: write `with ad.watch(model) as run:` around a training step."
            )
        return self._recording

    def _named_parameters(self) -> list[tuple[str, Any]]:
        return [] if self._model is None else list(self._model.named_parameters())

    @property
    def _sweep(self) -> Sweep:
        """The last backward pass, which is the one that is shown."""
        sweeps = self._recorded.sweeps
        if not sweeps:
            raise FrameworkError(
                "No backward pass ran while this step was watched: call loss.backward() inside the `with` block. "
                "(run.why_none() works without one.)"
            )
        if sweeps[-1].failure is not None:
            raise sweeps[-1].failure
        return sweeps[-1]

    @functools.cached_property
    def record(self) -> RecordedRun:
        """The record of the watched step, in the form that all engines share."""
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
        """The learner's code around the step, in place of a function that was run."""
        return _CodeBlock(self._code)

    @property
    def _diagnoses(self) -> Diagnoses:
        return Diagnoses(self._reader)

    def player(self) -> Any:
        """Step through the watched step in a player: its forward pass and its last backward pass.

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
        """Report the norm of each line's adjoint on a log scale, which shows gradients that vanish or explode."""
        return self._diagnoses.norms()

    def memory(self) -> Report:
        """Report how many bytes PyTorch keeps for the backward pass, by line."""
        return self._diagnoses.memory()

    def nan_birth(self) -> str:
        """Explain where the first NaN or infinity of the step appeared, and why; ``""`` if there is none."""
        return self._diagnoses.nan_birth()

    def why_none(self) -> Report:
        """Report, for each parameter of the model whose `.grad` is None, the reason.

        Raises
        ------
        FrameworkError
            If `watch` was called without the model.
        """
        if self._model is None:
            raise FrameworkError(
                "run.why_none() needs the model's parameters: write `with ad.watch(model) as run:`."
            )
        rows = [
            (name, self._explain(one)) for name, one in self._named_parameters() if one.grad is None
        ]
        columns = [message("why parameter"), message("why reason")]
        return Report(
            grid(message("why none"), columns, rows), "" if rows else message("why nothing")
        )

    def _explain(self, parameter: Any) -> str:
        """Explain in a sentence why the `.grad` of a parameter is None."""
        if not parameter.requires_grad:
            return message("why frozen")
        sweeps = self._recorded.sweeps
        if any(_reaches(sweep, parameter) for sweep in sweeps):
            return message("why reset")
        cuts = [cut for cut in self._recorded.cuts if id(parameter) in _find_leaves(cut.sources)]
        if cuts:
            first_three = map(_describe_cut, cuts[:3])
            return "; ".join(dict.fromkeys(first_three))
        if id(parameter) not in self._recorded.leaves:
            return message("why unused")
        return message("why not in the loss" if sweeps else "why no backward")


class _CodeBlock:
    """A stand-in for the function of a run: the learner's code around a watched step, which can't be called again."""

    __name__ = "step"

    def __init__(self, code: CodeType | None) -> None:
        self.__code__ = code


def _reaches(sweep: Sweep, parameter: Any) -> bool:
    """Whether a sweep goes through the node that adds to the `.grad` of a parameter."""
    leaves = (node for k, node in enumerate(sweep.nodes) if sweep.is_leaf(k))
    return any(leaf.variable is parameter for leaf in leaves)


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
    """Describe the place in the innermost of the learner's frames: ``line 13: a = self.aux(h).detach()``."""
    if not frames:
        return message("no place")
    code, instruction = frames[-1]
    line = list(code.co_positions())[instruction // 2][0] or code.co_firstlineno
    return f"line {line}: {linecache.getline(code.co_filename, line).strip()}"
