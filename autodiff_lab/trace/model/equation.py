"""An equation in a trace, in pieces that a view can colour."""

from typing import NamedTuple

# What the letters of `Equation.form` stand for; the player's style sheet has a colour for each.
KINDS = {
    "n": "name",
    "p": "plain",
    "v": "value",
    "w": "value-result",
    "a": "adjoint",
    "r": "result",
    "t": "tangent",
    "u": "tangent-result",
    "m": "missing",
    "c": "note",
    "g": "gradient",
}


class Equation(NamedTuple):
    """An equation in pieces: its `form`, and the `pieces` that stand for the letters in it.

    The letters say what a piece is, see `KINDS`; a sign such as ``=`` stands for itself.

    >>> Equation("n=p=w", ("v₁", "log v₋₁", "0.6931")).text
    'v₁ = log v₋₁ = 0.6931'
    """

    form: str
    pieces: tuple[str, ...]

    @property
    def text(self) -> str:
        """The equation with its pieces filled in, as one line of text."""
        pieces = iter(self.pieces)
        return "".join(next(pieces) if kind.isalpha() else f" {kind} " for kind in self.form)
