"""Widgets: the player of a recorded run and the labs, live in a notebook and in exported pages."""
