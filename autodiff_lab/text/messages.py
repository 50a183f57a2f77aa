"""Messages in the current language: every word that a learner reads, from the catalogue.

They stand in the catalogue: a file for each room, where a string is a table with an entry for each language, with the
same named slots in both. ``.one`` and ``.many`` are two forms of one string, for one thing and for several.

Code fills the slots; it never joins pieces of sentences. A trace is read in one language, which it remembers
(`Trace.lang`); who shows it uses the same.
"""

import functools
import string
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from autodiff_lab.text.arguments import check_choice

LANGUAGES = ("en", "zh")
# The files of the catalogue, by what their strings are for.
ROOMS = ("sentences", "equations", "pictures", "tables", "interface")

_LANGUAGE: ContextVar[str] = ContextVar("lang", default="en")


@functools.cache
def read_room(room: str) -> dict[str, dict[str, str]]:
    """Read one file of the message catalogue: strings by key, then by language."""
    path = Path(__file__).parent / "catalogue" / f"{room}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


@functools.cache
def read_catalogue() -> dict[str, dict[str, str]]:
    """Read the whole message catalogue: strings by key, then by language; at the first message, as it takes some ms."""
    return {key: texts for room in ROOMS for key, texts in read_room(room).items()}


@contextmanager
def use_language(lang: str) -> Iterator[None]:
    """Write messages in this language inside a ``with`` block.

    >>> with use_language("zh"):
    ...     message("step", step=3, count=13)
    '第 3 步，共 13 步'
    >>> message("step", step=3, count=13)
    'step 3 of 13'
    """
    token = _LANGUAGE.set(lang)
    try:
        yield
    finally:
        _LANGUAGE.reset(token)


def in_its_language(show: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a function whose first argument is a trace: its messages are in the language of that trace."""

    @functools.wraps(show)
    def in_language(trace: Any, *args: Any, **kwargs: Any) -> Any:
        with use_language(trace.lang):
            return show(trace, *args, **kwargs)

    return in_language


def current_language() -> str:
    """Return the language in which messages are written now."""
    return _LANGUAGE.get()


def check_language(function: str, lang: str) -> str:
    """Check that there are messages in a language, and return it.

    Raises
    ------
    InputError
        If the catalogue has no such language.
    """
    return check_choice(function, "lang", lang, LANGUAGES)


def template(key: str) -> str:
    """Return a message of the catalogue as it stands there, its slots still open."""
    return read_catalogue()[key][_LANGUAGE.get()]


def message(key: str, **slots: Any) -> str:
    """Return a message of the catalogue in the current language, with its slots filled."""
    return template(key).format(**slots)


def plural_message(key: str, n: int, /, **slots: Any) -> str:
    """Return a message in its form for one or for many, ``key.one`` or ``key.many``, the number in slot ``n``.

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


def matches_message(key: str, text: str) -> bool:
    """Return whether a text is a certain message of the catalogue, whatever stands in its slot.

    >>> matches_message("transpose of", "transpose of cumsum"), matches_message("transpose of", "v̄₁ @ v₀.T")
    (True, False)
    """
    before, _, after = template(key).partition("{op}")
    return text.startswith(before) and text.endswith(after) and len(text) > len(before) + len(after)


def join_items(items: Iterable[str]) -> str:
    """Join items for a message with the language's commas, without an "and"."""
    return template("separator").join(items)


def join_with_and(items: Sequence[str]) -> str:
    """Join items for a message with the language's commas and "and".

    >>> join_with_and(["v₁"]), join_with_and(["v₁", "v₂", "v₃"])
    ('v₁', 'v₁, v₂ and v₃')
    """
    *most, last = items
    return message("list", most=join_items(most), last=last) if most else last


def join_sentences(*sentences: str) -> str:
    """Join sentences of messages as the language does; empty ones are left out."""
    return template("gap").join(sentence for sentence in sentences if sentence)


def number_word(n: int) -> str:
    """Return the message for a small number as a word in the current language, where that is usual.

    >>> number_word(3), number_word(12)
    ('three', '12')
    """
    key = f"number.{n}"
    return template(key) if key in read_catalogue() else str(n)
