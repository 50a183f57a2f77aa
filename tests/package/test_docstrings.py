"""The public names are documented as numpydoc's validator asks: the website's reference shows these docstrings."""

import pytest
from numpydoc.validate import validate

import autodiff_lab as ad

OFF = {"ES01"}  # one line is enough of a summary where parameters and examples say the rest
RETURNED = {"Formula", "Player", "Plot", "Program", "Table", "Trace"}
"""What functions return, and nobody calls: their attributes are documented, the parameters of their making are not."""


def errors(name):
    """Return what the validator finds in a public name."""
    off = OFF | {"PR01"} if name in RETURNED else OFF
    return [
        f"{code}: {what}"
        for code, what in validate(f"autodiff_lab.{name}")["errors"]
        if code not in off
    ]


@pytest.mark.parametrize("name", ad.__all__)
def test_a_public_name_is_documented(name):
    assert errors(name) == []


def test_a_gap_is_found(monkeypatch):
    def half(x):
        """Return x."""
        return x

    monkeypatch.setattr(ad, "half", half, raising=False)
    assert {error[:4] for error in errors("half")} == {"PR01", "RT01", "EX01", "SA01"}
