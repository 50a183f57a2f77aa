"""TapeWatch: how two inputs are made, what a gradient tape records of them, and which gradients it then has."""
