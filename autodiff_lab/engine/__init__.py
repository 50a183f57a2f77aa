"""The engine: one table of rules, and the interpreters that read it. NumPy only; it knows of no view."""
