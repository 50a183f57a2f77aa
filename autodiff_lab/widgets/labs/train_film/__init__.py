"""The package of the lab TrainFilm: how a small network's boundary between two classes moves in training."""
