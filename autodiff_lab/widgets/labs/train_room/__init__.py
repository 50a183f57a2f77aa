"""TrainRoom: the softmax regression of document 3 while it trains, with the switches that go wrong in practice."""

from autodiff_lab.widgets.labs.train_room.lab import TrainRoom

__all__ = ["TrainRoom"]
