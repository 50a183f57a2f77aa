"""An equation in a trace, in pieces that a view can colour."""

from typing import NamedTuple

# The letters of `Equation.form`; the player's style sheet has a colour for each kind.
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
    """An equation in pieces: its `form` has one letter for each of the `pieces`, in order.

    The letter is the kind of the piece, see `KINDS`. A sign such as ``=`` in the form stands for itself.

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
