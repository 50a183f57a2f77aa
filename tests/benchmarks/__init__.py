"""The speed of the engine, compared with derivatives written by hand and with other libraries.

``python -m tests.benchmarks`` prints the table of ratios; ``pytest tests/benchmarks --benchmark-enable`` the times.
"""
