"""The player: step through the recorded run of a function, in a notebook or in a page of its own."""

from autodiff_lab.widgets.player.widget import Player, play

__all__ = ["Player", "play"]
