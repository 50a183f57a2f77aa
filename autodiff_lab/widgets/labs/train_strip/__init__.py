"""TrainStrip: four frames of `TrainFilm` side by side, for paper and for a page where nothing can be moved."""

from autodiff_lab.widgets.labs.train_strip.lab import TrainStrip

__all__ = ["TrainStrip"]
