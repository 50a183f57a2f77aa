"""Find out who handed in a file, from its folder or from the file name that Moodle or Canvas gave it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

# A folder or file of Moodle's *Download all submissions*; the number is the participant's. Only the first number
# counts: students choose what comes after it, so if there is another, the grade is left open.
MOODLE = re.compile(r"(?P<name>[^/]+?)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)")
# A file of Canvas's *Download Submissions*; the numbers are the user's and the file's.
CANVAS = re.compile(r"(?P<name>\w+?)_(?P<late>late_)?(?P<id>\d+)_(?P<file>\d+)_", re.IGNORECASE)
# The file name of a notebook of the course; Canvas numbers further attempts: 03_tape-1.ipynb.
OF_COURSE = re.compile(r"\d\d(_[a-z_]+)?(-\d+)?\.ipynb", re.IGNORECASE)


@dataclass(frozen=True, order=True)
class Student:
    """Who handed in a file.

    Attributes
    ----------
    name : str
        The student's name, without the numbers that Moodle or Canvas adds to it.
    number : str
        The student's number in Moodle or Canvas; otherwise empty.
    system : str
        ``"Moodle"``, ``"Canvas"``, or empty.
    """

    name: str
    number: str = ""
    system: str = ""


def identify(file: str) -> Student:
    """Return the student who handed in a file, by its path in the folder of hand-ins.

    Each folder at the top level belongs to one student, and so does each file there.

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
    """Return whether files with the same Canvas name and number certainly belong to one student.

    Canvas gives each file its own number, so if two files have the same one, the numbers aren't from
    Canvas. And if the rest of the name isn't one of our notebooks, it may be another person's name.

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
    """Return the student's own name for a file, without the student's folder or Moodle's prefix.

    >>> own_part("Ada Lovelace_601_assignsubmission_file_/03.ipynb"), own_part("ada/03.ipynb"), own_part("ada.ipynb")
    ('03.ipynb', '03.ipynb', 'ada.ipynb')
    """
    parts = PurePath(file).parts
    if len(parts) > 1:
        return str(PurePath(*parts[1:]))
    found = MOODLE.match(file)
    if not found:
        return file
    return file[found.end() :].lstrip("_") or file


def is_late(file: str) -> bool:
    """Return whether a file's name marks it as late. Canvas puts this into file names; Moodle doesn't.

    >>> is_late("lovelaceada_LATE_7_8_03.ipynb"), is_late("lovelaceada_7_8_03.ipynb")
    (True, False)
    """
    if identify(file).system != "Canvas":
        return False
    found = CANVAS.match(file)
    return bool(found and found["late"])
