"""Defaults of `play`, which apply where a call leaves an argument out."""

from __future__ import annotations

from autodiff_lab.text.arguments import check_choice

SCALES = ("normal", "lecture")

_defaults = {"scale": "normal"}


def play_defaults(*, scale: str | None = None) -> dict[str, str]:
    """Set the defaults of all players that are made from now on.

    Parameters
    ----------
    scale : {"normal", "lecture"}, optional
        The size of text in the player. If not given, the default stays as it is.

    Returns
    -------
    dict
        The defaults that are now in effect.

    Raises
    ------
    InputError
        If `scale` is neither of these.

    See Also
    --------
    play : Step through a run.
    lecture_style : Show a whole notebook in large type.

    Examples
    --------
    >>> play_defaults(scale="lecture")
    {'scale': 'lecture'}
    >>> play_defaults(scale="normal")
    {'scale': 'normal'}
    """
    if scale is not None:
        _defaults["scale"] = check_choice("play_defaults", "scale", scale, SCALES)
    return dict(_defaults)
