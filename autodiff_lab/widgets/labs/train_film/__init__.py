"""TrainFilm: how the boundary that a small network draws between two classes moves while it is trained."""
