"""The roster: the members of the class, read from a CSV file, to find out who handed in nothing.

It can be Moodle's grading worksheet, a gradebook exported from Moodle or Canvas, or a list of your own. Only
the titles in the first line matter.
"""

import codecs
import csv
import io
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autodiff_lab.classroom.grading.names import Student
from autodiff_lab.classroom.grading.verdicts import printable
from autodiff_lab.jupyter.notebooks import TutorialError

# Titles of columns, in lower case. A file or folder may be named after a number or login instead of the student's name.
NUMBERS = ("identifier", "id", "id number", "student id", "sis user id")
LOGINS = ("username", "login", "sis login id", "email", "email address", "e-mail")
NAMES = ("name", "full name", "student", "student name")
FIRST_NAMES, LAST_NAMES = ("first name", "given name"), ("last name", "surname", "family name")
# The title of the number that is also in the names of the files.
NUMBER_OF = {"Moodle": "identifier", "Canvas": "id"}

SEPARATORS = ",;\t"
EXAMPLE = (
    "Its first line has titles, such as `name` or `name,id`; below it is a line for each student."
)


class RosterError(TutorialError):
    """The roster cannot be read; the message says why and what to write instead."""


@dataclass(frozen=True)
class Listed:
    """Somebody on the roster.

    Attributes
    ----------
    name : str
    number : str
        The first number or login of the line; empty if there is none.
    cells : tuple of (str, str)
        The titles of the line's numbers and logins, in lower case, each with its cell.
    """

    name: str
    number: str = ""
    cells: tuple[tuple[str, str], ...] = ()


# The people whom each key fits; see `index_roster`.
Index = dict[str, list[Listed]]


def read_roster(path: Path) -> list[Listed]:
    """Read the roster from a CSV file: with commas, semicolons or tabs, in UTF-8 or UTF-16.

    Raises
    ------
    RosterError
        If there is no such file, or it isn't CSV, has no known title, or has the same student twice.
    """
    where = printable(str(path))
    lines = _read_lines(_read_text(path, where), where)
    if not lines:
        raise RosterError(f"the roster {where} is empty. {EXAMPLE}")
    titles = [" ".join(title.split()).casefold() for title in lines[0][1]]
    has_names = any(title in NAMES for title in titles)
    has_parts = any(title in FIRST_NAMES for title in titles) and any(
        title in LAST_NAMES for title in titles
    )
    if not has_names and not has_parts:
        found = ", ".join(printable(title) for title in lines[0][1])[:200]
        raise RosterError(
            f"the roster {where} has no column of names; its first line is: {found}\n"
            f"Name one column `name` (also known: {', '.join(NAMES[1:])}), or two `first name` and `last name`."
        )
    roster: list[Listed] = []
    lines_of: dict[tuple[str, str], int] = {}
    for number, cells in lines[1:]:
        if len(cells) > len(titles) and any(cells[len(titles) :]):
            raise RosterError(
                f"line {number} of the roster {where} has {len(cells)} cells, and the first line has {len(titles)} "
                'titles. Put a cell that contains the separator in quotes: "Lovelace, Ada"'
            )
        listed = _read_student(titles, cells)
        if listed is None:
            continue
        same = lines_of.setdefault((listed.name.casefold(), listed.number), number)
        if same != number:
            who = f"{listed.name} ({listed.number})" if listed.number else listed.name
            raise RosterError(
                f"lines {same} and {number} of the roster {where} are both {who}. Delete one, or tell them apart by a "
                "number in a column `id`."
            )
        roster.append(listed)
    if not roster:
        raise RosterError(f"the roster {where} has titles, and no students. {EXAMPLE}")
    return roster


def _read_text(path: Path, where: str) -> str:
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise RosterError(
            f"the roster {where} cannot be read ({problem.strerror}). Name a CSV file after --roster."
        ) from None
    is_utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    encoding = "utf-16" if is_utf16 else "utf-8-sig"
    if content.startswith(b"PK\x03\x04"):
        raise RosterError(
            f"the roster {where} is a spreadsheet (or another ZIP file) and not CSV. Open it in the spreadsheet "
            "program, and save it as “CSV UTF-8”."
        )
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as problem:
        line = content[: problem.start].count(b"\n") + 1
        raise RosterError(
            f"line {line} of the roster {where} is not UTF-8, so names could be misread. Save it as “CSV UTF-8” "
            "(in LibreOffice: character set Unicode (UTF-8))."
        ) from None
    if "\0" in text:
        raise RosterError(
            f"the roster {where} is not a text file. Save it as “CSV UTF-8”. {EXAMPLE}"
        )
    return text


def _read_lines(text: str, where: str) -> list[tuple[int, list[str]]]:
    """Read the lines that are not empty, each with its number; the separator is the one that fits the titles best."""
    first, _, rest = text.partition("\n")
    skipped = 0
    # A first line such as `sep=;` tells Excel the separator.
    if first.strip().casefold() in [f"sep={separator}".strip() for separator in SEPARATORS]:
        text = rest
        skipped = 1
    known = {*NUMBERS, *LOGINS, *NAMES, *FIRST_NAMES, *LAST_NAMES}
    head = text.lstrip("\r\n").partition("\n")[0]
    fits = {}
    for separator in SEPARATORS:
        titles = next(csv.reader([head], delimiter=separator), [])
        known_titles = sum(" ".join(title.split()).casefold() in known for title in titles)
        fits[separator] = (known_titles, len(titles))
    separator = max(SEPARATORS, key=lambda each: fits[each])
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    lines = []
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                lines.append((reader.line_num + skipped, [cell.strip() for cell in cells]))
    except csv.Error as problem:
        raise RosterError(
            f"line {reader.line_num + skipped} of the roster {where} is not CSV ({problem}). Does every quotation mark "
            "that opens also close? A quotation mark inside a quoted cell is written twice."
        ) from None
    return lines


def _read_student(titles: Sequence[str], cells: Sequence[str]) -> Listed | None:
    """Read a line of the roster; return None if it has no student's name."""
    found = {title: cell for title, cell in zip(titles, cells, strict=False) if cell}
    name = next((found[title] for title in NAMES if title in found), "")
    first = next((found[title] for title in FIRST_NAMES if title in found), "")
    last = next((found[title] for title in LAST_NAMES if title in found), "")
    name = name or f"{first} {last}".strip()
    # "Points Possible" is a line of Canvas's gradebook that isn't a student.
    if not name or name.casefold() == "points possible":
        return None
    number = next((found[title] for title in (*NUMBERS, *LOGINS) if title in found), "")
    kept = tuple((title, cell) for title, cell in found.items() if title in (*NUMBERS, *LOGINS))
    return Listed(printable(name), printable(number), kept)


def index_roster(roster: Sequence[Listed]) -> Index:
    """Return, for every key that can match a file's name, the people on the roster whom it fits."""
    index: Index = {}
    for listed in roster:
        for key in _keys(listed):
            index.setdefault(key, []).append(listed)
    return index


def find_listed(student: Student, index: Index) -> list[Listed]:
    """Find everybody on the roster who could be this student: by the number in the file's name, else by the name.

    The words of a name may be in any order, with anything between them. A folder may also be called by a
    number or a login.

    >>> index = index_roster([Listed("Lovelace, Ada"), Listed("Zoë Li", "4711", (("id", "4711"),))])
    >>> [listed.name for listed in find_listed(Student("ada_lovelace"), index)]
    ['Lovelace, Ada']
    >>> [listed.name for listed in find_listed(Student("4711"), index)]
    ['Zoë Li']
    """
    same = index.get(f"{NUMBER_OF.get(student.system)} {student.number}", [])
    return same or index.get(_letters(student.name), [])


def is_on_roster(student: Student, index: Index) -> bool:
    """Return whether exactly one person on the roster has both the number and the name that a system gave a file."""
    numbered = index.get(f"{NUMBER_OF.get(student.system)} {student.number}", [])
    return len(numbered) == 1 and numbered[0] in index.get(_letters(student.name), [])


def _keys(listed: Listed) -> set[str]:
    """Return the keys of a person: the name with its words rotated, numbers and logins.

    A number that Moodle or Canvas writes into file names has its column's title before it.
    """
    words = re.split(r"[\s,]+", listed.name)
    keys = {_letters("".join(words[k:] + words[:k])) for k in range(len(words))}
    for title, cell in listed.cells:
        keys |= {_letters(cell), _letters(cell.partition("@")[0])}
        if title in NUMBER_OF.values():
            keys.add(f"{title} {_digits(cell)}")
    return keys - {""}


def _letters(text: str) -> str:
    """Return the letters and digits of a text, in lower case and without accents."""
    return "".join(
        each for each in unicodedata.normalize("NFKD", text).casefold() if each.isalnum()
    )


def _digits(text: str) -> str:
    """Return the number at the end of an identifier: Moodle writes ``Participant 601``, in the language of the site."""
    found = re.search(r"\d+$", text)
    return found[0] if found else ""
