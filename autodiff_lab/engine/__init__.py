"""The engine: a table of derivative rules, and the forward and reverse modes that use it. It needs NumPy only."""
