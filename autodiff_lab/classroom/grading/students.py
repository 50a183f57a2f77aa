"""Students: everything that each one handed in, and who on the roster handed in nothing."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from autodiff_lab.classroom.grading.names import Student, identify, is_late, is_of_one_person
from autodiff_lab.classroom.grading.rosters import (
    Index,
    Listed,
    find_listed,
    index_roster,
    is_on_roster,
)
from autodiff_lab.classroom.grading.verdicts import Row
from autodiff_lab.classroom.grading.weights import Weights, most_points, points_for
from autodiff_lab.lessons.order import SLUGS


@dataclass(frozen=True)
class Work:
    """All that one student handed in.

    Attributes
    ----------
    student : Student
    rows : tuple of Row
        The verdicts on the files, in the order of their names.
    name : str
        The student's name on the roster; if it isn't clear who that is, the name in the file's name.
    weights : mapping
        How many points an exercise is worth; see `Weights`.
    """

    student: Student
    rows: tuple[Row, ...]
    name: str
    weights: Weights = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The name, with the number that distinguishes people of the same name."""
        return f"{self.name} ({self.student.number})" if self.student.number else self.name

    @property
    def best(self) -> dict[str, Row]:
        """The verdict that counts for each lesson: preferably one without doubts, then the one with most points."""
        rows = [row for row in self.rows if row.exercises and row.judged]
        rows.sort(key=lambda row: (not row.doubts, self.points_in(row)))
        found = {row.lesson: row for row in rows}
        return {slug: found[slug] for slug in SLUGS if slug in found}

    @property
    def points(self) -> int:
        """How many points the passed exercises are worth, in all notebooks."""
        return sum(map(self.points_in, self.best.values()))

    def points_in(self, row: Row) -> int:
        """Return how many points the exercises passed in one notebook are worth."""
        return points_for(row, self.weights)

    @property
    def doubts(self) -> tuple[str, ...]:
        """What a lecturer should look at before the points of this student are final."""
        return tuple(dict.fromkeys(doubt for row in self.best.values() for doubt in row.doubts))

    @property
    def late(self) -> bool:
        """Whether one of the files has a name that marks it as late."""
        return any(is_late(row.file) for row in self.rows)


@dataclass(frozen=True)
class Class:
    """Everybody who handed in something and, if there is a roster, everybody who did not.

    Attributes
    ----------
    works : tuple of Work
        In the order of the students' names.
    worth : dict
        For each lesson that somebody handed in, its points; without weights, the number of its exercises.
    missing : tuple of Listed
        People on the roster who handed in no file.
    unlisted : tuple of Student
        Students with a file who are not on the roster.
    unclear : tuple of Student
        Students with a file who cannot be identified: the name fits several people on the roster, or
        several names fit one person. None of these people is among the missing.
    roster : int or None
        How many people are on the roster; None if there is none.
    together : tuple of Student
        Students whose files are in several places, and were put together because of their names.
    apart : tuple of str
        Files whose names could be one person's or several people's; each counts as a separate student.
    weights : mapping
        How many points an exercise is worth; see `Weights`.
    """

    works: tuple[Work, ...]
    worth: dict[str, int]
    missing: tuple[Listed, ...] = ()
    unlisted: tuple[Student, ...] = ()
    unclear: tuple[Student, ...] = ()
    roster: int | None = None
    together: tuple[Student, ...] = ()
    apart: tuple[str, ...] = ()
    weights: Weights = field(default_factory=dict)

    @property
    def most(self) -> int:
        """How many points there are, in all notebooks."""
        return sum(self.worth.values())

    @property
    def names(self) -> dict[str, str]:
        """For each file, a name for the student who handed it in; no two students have the same name.

        >>> collect_class([Row("li_7_8_03.ipynb", "tape", "ran"), Row("li_9_5_03.ipynb", "tape", "ran")]).names
        {'li_7_8_03.ipynb': 'li (7)', 'li_9_5_03.ipynb': 'li (9)'}
        """
        uses = Counter(work.name for work in self.works)
        found: dict[str, str] = {}
        for work in self.works:
            name = work.name if uses[work.name] == 1 else work.label
            found |= {row.file: name for row in work.rows}
        return found

    @property
    def unit(self) -> str:
        """What is counted: exercises passed, or points if exercises have weights."""
        return "points" if self.weights else "exercises"


def collect_class(
    rows: Sequence[Row], roster: Sequence[Listed] | None = None, weights: Weights | None = None
) -> Class:
    """Group the verdicts on files by student, and compare the students with the roster.

    A student on the roster gets the name that is written there.

    >>> rows = [Row("ada/03.ipynb", "tape", "ran"), Row("ada/04.ipynb", "", "not a notebook")]
    >>> [(work.name, len(work.rows)) for work in collect_class(rows).works]
    [('ada', 2)]
    """
    weights = weights or {}
    index = index_roster(roster or ())
    owners, apart = _find_owners([row.file for row in rows], index)
    by_student: dict[Student, list[Row]] = {}
    for row in sorted(rows, key=lambda row: row.file):
        by_student.setdefault(owners[row.file], []).append(row)
    found_worth = {row.lesson: most_points(row, weights) for row in rows if row.exercises}
    worth = {slug: found_worth[slug] for slug in SLUGS if slug in found_worth}
    together = tuple(
        student for student, mine in by_student.items() if _are_put_together(student, mine, index)
    )
    fitting = {student: find_listed(student, index) for student in by_student}
    uses = Counter(listed for found in fitting.values() for listed in found)
    works, unlisted, unclear = [], [], []
    for student, mine in by_student.items():
        found = fitting[student]
        name = student.name
        if not found:
            unlisted.append(student)
        elif len(found) == 1 and uses[found[0]] == 1:
            name = found[0].name
        else:
            unclear.append(student)
        works.append(Work(student, tuple(mine), name, weights))
    works.sort(key=lambda work: (work.name.casefold(), work.student))
    everybody = Class(tuple(works), worth, together=together, apart=apart, weights=weights)
    if roster is None:
        return everybody
    missing = tuple(listed for listed in roster if not uses[listed])
    return replace(
        everybody,
        missing=missing,
        unlisted=tuple(unlisted),
        unclear=tuple(unclear),
        roster=len(roster),
    )


def _find_owners(files: Sequence[str], index: Index) -> tuple[dict[str, Student], tuple[str, ...]]:
    """Find the student of each file, and the files kept apart because several people could have such names.

    A name that a student chose, ``hw_1_2_ada``, can look like one from Canvas. So two files belong to one
    student only if the roster has this student, or if no part of their names could be another person's.
    """
    owners = {file: identify(file) for file in files}
    files_of: dict[Student, list[str]] = {}
    for file, student in owners.items():
        files_of.setdefault(student, []).append(file)
    apart: list[str] = []
    for student, mine in files_of.items():
        if student.system != "Canvas" or len(mine) == 1:
            continue
        if not is_on_roster(student, index) and not is_of_one_person(mine):
            owners |= {file: Student(PurePath(file).stem) for file in mine}
            apart += mine
    return owners, tuple(sorted(apart))


def _are_put_together(student: Student, rows: Sequence[Row], index: Index) -> bool:
    """Whether files from several places are one student's because of their names, and no system's number says so."""
    places = {PurePath(row.file).parts[0] for row in rows}
    return len(places) > 1 and student.system != "Moodle" and not is_on_roster(student, index)
