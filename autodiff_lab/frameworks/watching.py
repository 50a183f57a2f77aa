"""`watch`: record one step of a training loop as it runs, without running anything twice."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from autodiff_lab.frameworks.engines import FrameworkError


def watch(model: Any = None) -> Any:
    """Watch one step of a real PyTorch training loop: ``with ad.watch(model) as run:``.

    PyTorch runs the step as ever; loss and gradients are bit for bit those of a step that nobody watches.

    Parameters
    ----------
    model : torch.nn.Module, optional
        Its parameters and modules have their names in all that is shown.

    Returns
    -------
    autodiff_lab.frameworks.pytorch_watch.WatchedStep
        A context manager. After the block, ``run.player()`` steps through the forward and the backward pass;
        ``run.why_none()`` says why a `.grad` is None, ``run.nan_birth()`` where the first NaN or infinity was born and
        why, ``run.norms()`` how large the adjoint of each line is, ``run.memory()`` what each line keeps.

    Raises
    ------
    FrameworkError
        If PyTorch is not imported, the model is compiled, or it is not on the CPU.

    See Also
    --------
    play : Step through a run.

    Notes
    -----
    On a CPU a watched step took 4 (a transformer of 335 operations) to 6 times (a network of 11) as long as the step by
    itself, and copied 11 and 4 times as many bytes as PyTorch keeps for its backward pass. So watch single steps.
    ``run.player()`` of these 335 operations took ten seconds, and its page 3 MB.

    Examples
    --------
    >>> import autodiff_lab as ad
    >>> with ad.watch(model) as run:                # doctest: +SKIP
    ...     loss = criterion(model(X), y)
    ...     loss.backward()
    >>> run.why_none()                              # doctest: +SKIP
    """
    if "torch" not in sys.modules:
        raise FrameworkError(
            "watch records a step of PyTorch, and torch is not imported here. For NumPy code write play(f, …); "
            'for JAX play(f, …, engine="jax").'
        )
    return import_module("autodiff_lab.frameworks.pytorch_watch").WatchedStep(model)
