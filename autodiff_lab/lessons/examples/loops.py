"""Programs with a loop, written as a learner writes them: without types and without a docstring, for they are shown."""
# ruff: noqa: D103
# mypy: allow-untyped-defs


def until_ten(x):
    y = x
    while y < 10:
        y = y * x
    return y
