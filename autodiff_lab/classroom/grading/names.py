"""Names: who handed in a file, from its folder or from the name that Moodle or Canvas gave it."""

import re
from dataclasses import dataclass
from pathlib import PurePath

# A folder or file of *Download all submissions*; the number is the participant's. What follows it is the student's own
# choice: only the first number counts, and where there is another, the grade is left open.
MOODLE = re.compile(r"(?P<name>[^/]+?)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)")
# A file of *Download Submissions*; the numbers are the user's and the file's.
CANVAS = re.compile(r"(?P<name>\w+?)_(?P<late>late_)?(?P<id>\d+)_\d+_", re.IGNORECASE)


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
