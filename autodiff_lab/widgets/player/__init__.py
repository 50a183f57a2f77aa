"""The player, which steps through a recorded run: its Python side, and its JavaScript and style sheets."""

from autodiff_lab.widgets.player.widget import Player, play

__all__ = ["Player", "play"]
