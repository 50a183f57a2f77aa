"""Defaults of the player, where a call of `play` does not say: in which language, and how large."""

from __future__ import annotations

from autodiff_lab.text.arguments import check_choice
from autodiff_lab.text.messages import check_language

SCALES = ("normal", "lecture")

_now = {"lang": "en", "scale": "normal"}


def play_defaults(*, lang: str | None = None, scale: str | None = None) -> dict[str, str]:
    """Set the defaults of all players made from now on: what `play` would otherwise be told each time.

    Parameters
    ----------
    lang : {"en", "zh"}, optional
        The language of every word.
    scale : {"normal", "lecture"}, optional
        How large they are.

    Returns
    -------
    dict
        What holds now.

    Raises
    ------
    InputError
        If there is no such language or scale.

    See Also
    --------
    play : Step through a run.
    lecture_style : Make a notebook large.

    Examples
    --------
    >>> play_defaults(lang="zh")
    {'lang': 'zh', 'scale': 'normal'}
    >>> play_defaults(lang="en")
    {'lang': 'en', 'scale': 'normal'}
    """
    if lang is not None:
        _now["lang"] = check_language("play_defaults", lang)
    if scale is not None:
        _now["scale"] = check_choice("play_defaults", "scale", scale, SCALES)
    return dict(_now)
