"""TrainFilm: how the boundary that a small network draws between two classes moves while it is trained."""

from autodiff_lab.widgets.labs.train_film.lab import TrainFilm

__all__ = ["TrainFilm"]
