"""TrainRoom: the softmax regression of document 3 while it trains, with the switches that go wrong in practice."""
