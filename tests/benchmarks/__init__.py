"""How fast the engine is, beside a derivative written by hand and beside the smallest engine one could write.

``python -m tests.benchmarks`` prints the table of ratios; ``pytest tests/benchmarks --benchmark-enable`` the times.
"""
