"""CheckpointTimeline: which states of a chain are kept, when they are used, and what that costs."""

from autodiff_lab.widgets.labs.checkpoint_timeline.lab import CheckpointTimeline

__all__ = ["CheckpointTimeline"]
