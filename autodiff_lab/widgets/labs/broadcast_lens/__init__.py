"""BroadcastLens: what NumPy copied on the way forward is added on the way back, and what it added is copied."""

from autodiff_lab.widgets.labs.broadcast_lens.lab import BroadcastLens

__all__ = ["BroadcastLens"]
