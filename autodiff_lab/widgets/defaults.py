"""Defaults of the player, where a call of `play` does not say: how large its words are."""

from __future__ import annotations

from autodiff_lab.text.arguments import check_choice

SCALES = ("normal", "lecture")

_now = {"scale": "normal"}


def play_defaults(*, scale: str | None = None) -> dict[str, str]:
    """Set the defaults of all players made from now on: what `play` would otherwise be told each time.

    Parameters
    ----------
    scale : {"normal", "lecture"}, optional
        How large its words are.

    Returns
    -------
    dict
        What holds now.

    Raises
    ------
    InputError
        If there is no such scale.

    See Also
    --------
    play : Step through a run.
    lecture_style : Make a notebook large.

    Examples
    --------
    >>> play_defaults(scale="lecture")
    {'scale': 'lecture'}
    >>> play_defaults(scale="normal")
    {'scale': 'normal'}
    """
    if scale is not None:
        _now["scale"] = check_choice("play_defaults", "scale", scale, SCALES)
    return dict(_now)
