"""The computational graph of a run: its DOT text, its layout, its drawing by Graphviz or without it."""
