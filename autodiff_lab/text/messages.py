"""Messages: the text of a trace and its views, from a catalogue that the player's JavaScript uses too.

The catalogue has one file for each use (sentences, tables, …), in which every string has a key and named slots. A key
ends in ``.one`` or ``.many`` if its string has a singular and a plural form. Code fills the slots; it never joins
pieces of sentences.
"""

import functools
import string
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

# The files of the catalogue, by what their strings are for.
ROOMS = ("sentences", "equations", "pictures", "tables", "interface")


@functools.cache
def read_room(room: str) -> dict[str, str]:
    """Read one file of the message catalogue: strings by key."""
    path = Path(__file__).parent / "catalogue" / f"{room}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


@functools.cache
def read_catalogue() -> dict[str, str]:
    """Read the whole message catalogue: strings by key. Not read at import, because that takes some milliseconds."""
    return {key: text for room in ROOMS for key, text in read_room(room).items()}


def template(key: str) -> str:
    """Return a message of the catalogue with its slots not yet filled."""
    return read_catalogue()[key]


def message(key: str, **slots: Any) -> str:
    """Return a message of the catalogue with its slots filled."""
    return template(key).format(**slots)


def plural_message(key: str, n: int, /, **slots: Any) -> str:
    """Return a message in its singular or plural form, ``key.one`` or ``key.many``, with the number in slot ``n``.

    >>> plural_message("operations", 1), plural_message("operations", 3)
    ('1 operation', '3 operations')
    """
    return message(f"{key}.one" if n == 1 else f"{key}.many", **{"n": n, **slots})


def message_parts(key: str, **slots: Any) -> list[Any]:
    """Return a message in pieces: its own words as they are, and in each slot the object given for it.

    >>> message_parts("step", step=("bold", "3"), count=13)
    ['step ', ('bold', '3'), ' of ', 13]
    """
    found: list[Any] = []
    for text, slot, _, _ in string.Formatter().parse(template(key)):
        found += [text] if text else []
        found += [slots[slot]] if slot else []
    return found


def join_items(items: Iterable[str]) -> str:
    """Join items for a message with commas, without an "and"."""
    return template("separator").join(items)


def join_with_and(items: Sequence[str]) -> str:
    """Join items for a message with commas and "and".

    >>> join_with_and(["v₁"]), join_with_and(["v₁", "v₂", "v₃"])
    ('v₁', 'v₁, v₂ and v₃')
    """
    *most, last = items
    return message("list", most=join_items(most), last=last) if most else last


def join_sentences(*sentences: str) -> str:
    """Join sentences of messages; empty ones are left out."""
    return " ".join(sentence for sentence in sentences if sentence)


def number_word(n: int) -> str:
    """Return the message for a small number as a word, where that is usual.

    >>> number_word(3), number_word(12)
    ('three', '12')
    """
    key = f"number.{n}"
    return template(key) if key in read_catalogue() else str(n)
