"""How fast the engine is, beside a derivative written by hand and beside what one could use instead.

``python -m tests.benchmarks`` prints the table of ratios; ``pytest tests/benchmarks --benchmark-enable`` the times.
"""
