"""The graph of a run: its DOT text, its layout, its drawing."""
