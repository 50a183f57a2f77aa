"""The package of TrainStrip: four frames of `TrainFilm` side by side, where nothing can be moved, as on paper."""

from autodiff_lab.widgets.labs.train_strip.lab import TrainStrip

__all__ = ["TrainStrip"]
