"""The one catalogue of strings, a file for each room: every string in English and in simplified Chinese.

A string is a table with an entry for each language, and both have the same named slots. ``.one`` and ``.many`` are two
forms of one string, for one thing and for several.
"""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path

LANGUAGES = ("en", "zh")
ROOMS = ("sentences", "equations", "pictures", "tables", "interface")


@functools.cache
def read_room(room: str) -> dict[str, dict[str, str]]:
    """Read the strings of a room: by key, then by language."""
    return tomllib.loads((Path(__file__).parent / f"{room}.toml").read_text(encoding="utf-8"))


@functools.cache
def read_catalogue() -> dict[str, dict[str, str]]:
    """Read every string: by key, then by language. That takes a few milliseconds, so it waits for the first message."""
    return {key: texts for room in ROOMS for key, texts in read_room(room).items()}
