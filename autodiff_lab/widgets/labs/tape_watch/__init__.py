"""The package of the lab TapeWatch: how two inputs are made, what a gradient tape watches, and the gradients it has."""
