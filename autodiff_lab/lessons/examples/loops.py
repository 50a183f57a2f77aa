"""Programs with a loop, written as a learner would: without types and docstrings, because they are shown."""
# ruff: noqa: D103
# mypy: allow-untyped-defs


def until_ten(x):
    y = x
    while y < 10:
        y = y * x
    return y
