"""Names: who handed in a file, from its folder or from the name that Moodle or Canvas gave it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

# A folder or file of *Download all submissions*; the number is the participant's. What follows it is the student's own
# choice: only the first number counts, and where there is another, the grade is left open.
MOODLE = re.compile(r"(?P<name>[^/]+?)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)")
# A file of *Download Submissions*; the numbers are the user's and the file's.
CANVAS = re.compile(r"(?P<name>\w+?)_(?P<late>late_)?(?P<id>\d+)_(?P<file>\d+)_", re.IGNORECASE)
# What a notebook of the course is called, also where Canvas has numbered another attempt: 03_tape-1.ipynb.
OF_COURSE = re.compile(r"\d\d(_[a-z_]+)?(-\d+)?\.ipynb", re.IGNORECASE)


@dataclass(frozen=True, order=True)
class Student:
    """Who handed in a file.

    Attributes
    ----------
    name : str
        As people write it: without what Moodle or Canvas adds to it.
    number : str
        The number that Moodle or Canvas knows the student by; empty elsewhere.
    system : str
        ``"Moodle"``, ``"Canvas"``, or empty.
    """

    name: str
    number: str = ""
    system: str = ""


def identify(file: str) -> Student:
    """Tell whose file this is, by its path below the folder of hand-ins.

    A folder at the top is a student, and so is a file there.

    >>> identify("Ada Lovelace_601_assignsubmission_file_/03.ipynb")
    Student(name='Ada Lovelace', number='601', system='Moodle')
    >>> identify("lovelaceada_late_7_8_03.ipynb")
    Student(name='lovelaceada', number='7', system='Canvas')
    >>> identify("ada/03.ipynb")
    Student(name='ada', number='', system='')
    """
    found = MOODLE.match(file)
    if found:
        return Student(found["name"], found["id"], "Moodle")
    parts = PurePath(file).parts
    if len(parts) > 1:
        return Student(parts[0])
    found = CANVAS.match(file)
    if found:
        return Student(found["name"], found["id"], "Canvas")
    return Student(PurePath(file).stem)


def is_of_one_person(files: Sequence[str]) -> bool:
    """Whether files with the same name and number of Canvas are surely one student's.

    Canvas gives each file a number of its own. If two have the same, the numbers are not from Canvas. And if what
    follows the numbers isn't the name of one of our notebooks, it may be a person's.

    >>> is_of_one_person(["lovelaceada_7_8_03_tape.ipynb", "lovelaceada_7_9_04.ipynb"])
    True
    >>> is_of_one_person(["hw_1_2_ada.ipynb", "hw_1_3_bob.ipynb"])
    False
    """
    found = [match for match in map(CANVAS.match, files) if match]
    numbers = {match["file"] for match in found}
    are_ours = all(OF_COURSE.fullmatch(match.string, match.end()) for match in found)
    return len(numbers) == len(found) == len(files) and are_ours


def own_part(file: str) -> str:
    """Return what the student called a file: its path without the student's own folder, or what Moodle put before it.

    >>> own_part("Ada Lovelace_601_assignsubmission_file_/03.ipynb"), own_part("ada/03.ipynb"), own_part("ada.ipynb")
    ('03.ipynb', '03.ipynb', 'ada.ipynb')
    """
    parts = PurePath(file).parts
    if len(parts) > 1:
        return str(PurePath(*parts[1:]))
    found = MOODLE.match(file)
    return (file[found.end() :].lstrip("_") if found else "") or file


def is_late(file: str) -> bool:
    """Whether the file's name says that it was late. Canvas writes this into names, Moodle does not.

    >>> is_late("lovelaceada_LATE_7_8_03.ipynb"), is_late("lovelaceada_7_8_03.ipynb")
    (True, False)
    """
    if identify(file).system != "Canvas":
        return False
    found = CANVAS.match(file)
    return bool(found and found["late"])
