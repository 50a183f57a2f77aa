"""TapeWatch: how two inputs are made, what a gradient tape hears of them, and which slopes it then has."""
