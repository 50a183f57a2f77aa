"""The one catalogue of strings: each in English and in Chinese (simplified), with the same named slots.

``.one`` and ``.many`` are two forms of one string, for one thing and for several.
"""

from __future__ import annotations

from autodiff_lab.text.catalogue import equations, interface, pictures, sentences, tables

__all__ = ["CATALOGUE", "LANGUAGES"]

LANGUAGES = ("en", "zh")

_ROOMS = (sentences, equations, pictures, tables, interface)

CATALOGUE: dict[str, tuple[str, str]] = {key: texts for room in _ROOMS for key, texts in room.STRINGS.items()}
"""Every string by its key, in the order of `LANGUAGES`."""
