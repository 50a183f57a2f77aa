"""The package of the lab TrainRoom: document 3's softmax regression in training, with common mistakes as switches."""
