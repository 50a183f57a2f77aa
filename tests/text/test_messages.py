"""The catalogue: every string has named slots and is used, and the player's script has no words outside of it."""

import re
import string
from pathlib import Path

from autodiff_lab.text import messages
from autodiff_lab.text.messages import ROOMS, read_catalogue, read_room

from .. import javascript_types
from ..about import about

ROOT = Path(messages.__file__).parents[1]
CATALOGUE = read_catalogue()


def slots(text):
    return sorted(slot for _, slot, _, _ in string.Formatter().parse(text) if slot is not None)


def test_every_string_has_named_slots_only():
    for key, text in CATALOGUE.items():
        with about(key):
            assert text
            assert "" not in slots(text)


def test_no_key_is_in_two_rooms():
    assert len(CATALOGUE) == sum(len(read_room(room)) for room in ROOMS)


def test_one_and_many_come_together():
    forms = {key.rpartition(".")[0] for key in CATALOGUE if key.endswith((".one", ".many"))}
    for key in forms:
        assert {f"{key}.one", f"{key}.many"} <= CATALOGUE.keys()


SPEAKING = [
    path
    for room in (
        "text/*.py",
        "trace/**/*.py",
        "figures/**/*.py",
        "frameworks/*.py",
        "widgets/*.py",
        "widgets/player/*.py",
        "widgets/player/js/**/*.js",
    )
    for path in ROOT.glob(room)
]


def said_keys():
    """Every key that code names outright, in Python and in JavaScript."""
    for path in SPEAKING:
        text = path.read_text(encoding="utf-8")
        for found in re.finditer(
            r"\b(?:say|message|counted|plural_message|message_parts|pieces_of|_note|_filled|template|_words)"
            r'\(\s*(?:say,\s*)?"([^"]+)"',
            text,
        ):
            yield path.name, found[1]


def test_code_asks_for_strings_that_there_are():
    found = list(said_keys())
    assert len(found) > 100
    for where, key in found:
        assert key in CATALOGUE or {f"{key}.one", f"{key}.many"} <= CATALOGUE.keys(), (
            f"{where}: {key}"
        )


def test_every_string_is_used():
    """A key is named in the code, or made of a part that is and one of a few endings."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in SPEAKING)
    text = text.replace("'", '"')
    made = re.findall(r'[("`]([\w ,]+?[ .])[{$]', text)
    for key in CATALOGUE:
        plain = re.sub(r"\.(one|many)$", "", key)
        whole = f'"{plain}"' in text
        assert (
            whole
            or any(key.startswith(start) for start in made)
            or key.endswith((", badge", ", cut", "to the shape"))
        ), key


def test_the_player_has_no_words_of_its_own():
    """What its script writes into the page comes from `message`, from a trace, or is a sign or a class."""
    # that has only names of fields
    for path in set(ROOT.glob("widgets/player/js/**/*.js")) - {javascript_types.PATH}:
        text = re.sub(r"/\*[\s\S]*?\*/|//[^\n]*", "", path.read_text(encoding="utf-8"))
        for attribute in ("aria-label", "title", "aria-valuetext", "placeholder", "alt"):
            assert not re.search(rf'"?{attribute}"?:\s*["`][A-Za-z]', text), path.name
            assert not re.search(rf'"{attribute}",\s*["`][A-Za-z]', text), path.name
        assert not re.search(r'textContent =\s*["`][A-Za-z]', text), path.name
        assert not re.search(r'html\(\s*"\w+",\s*\{[^{}]*\},\s*"[A-Za-z]', text), path.name
