"""The player, which steps through a recorded run: its Python side, and its JavaScript and style sheets."""
