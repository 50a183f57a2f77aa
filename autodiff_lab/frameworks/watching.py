"""`watch`: record one step of a training loop as it runs, without running anything twice."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from autodiff_lab.frameworks.engines import FrameworkError, require_installed


def watch(model: Any = None) -> Any:
    """Watch one step of a real PyTorch training loop: ``with ad.watch(model) as run:``.

    PyTorch runs the step as usual: loss and gradients are the same, bit for bit, as in a step that isn't watched.

    Parameters
    ----------
    model : torch.nn.Module, optional
        The model; its parameters and modules are shown under their names.

    Returns
    -------
    autodiff_lab.frameworks.pytorch_watch.WatchedStep
        A context manager. After the block,

        - ``run.player()`` steps through the forward and the backward pass;
        - ``run.why_none()`` explains why a `.grad` is None;
        - ``run.nan_birth()`` explains where the first NaN or infinity appeared, and why;
        - ``run.norms()`` has the norm of each line's adjoint (gradient);
        - ``run.memory()`` has the bytes that each line keeps for the backward pass.

    Raises
    ------
    FrameworkError
        If PyTorch is not installed or not imported, the model is compiled, or it is not on the CPU.

    See Also
    --------
    play : Step through a run.

    Notes
    -----
    Compared with the same step unwatched, on one core of a CPU (the best of several runs, PyTorch 2.13):

    - A watched step took 3 to 5 times as long with batches of 256 to 512 rows, and 8 to 14 times as long with four to
      ten rows, where most of the time is spent in Python.
    - It copied 4 times (two-layer network) to 7 times (six-layer transformer) as many bytes as PyTorch keeps for its
      backward pass. So watch single steps, not whole epochs.
    - ``run.player()`` of the transformer, 335 operations, took as long as 40 steps (large batch) to 150 steps (small
      batch). Its page has 2 to 5 MB.

    Examples
    --------
    >>> import autodiff_lab as ad
    >>> with ad.watch(model) as run:                # doctest: +SKIP
    ...     loss = criterion(model(X), y)
    ...     loss.backward()
    >>> run.why_none()                              # doctest: +SKIP
    """
    if "torch" not in sys.modules:
        require_installed("pytorch")
        raise FrameworkError(
            "watch records a PyTorch training step, but torch has not been imported. For NumPy code write play(f, …); "
            'for JAX write play(f, …, engine="jax").'
        )
    return import_module("autodiff_lab.frameworks.pytorch_watch").WatchedStep(model)
