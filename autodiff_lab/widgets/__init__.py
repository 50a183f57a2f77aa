"""Moving views of a recorded run: the player, live in a notebook and in exported pages."""
