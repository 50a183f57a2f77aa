"""Students: all that one student handed in, taken together; and who is on the roster and handed in nothing."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from autodiff_lab.classroom.grading.names import Student, identify, is_late
from autodiff_lab.classroom.grading.rosters import Listed, find_listed, index_roster
from autodiff_lab.classroom.grading.verdicts import Row
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
        What the student is called: the name on the roster or, if it is not clear who this is there, in the file's.
    """

    student: Student
    rows: tuple[Row, ...]
    name: str

    @property
    def label(self) -> str:
        """The name with the number that tells two people of one name apart."""
        return f"{self.name} ({self.student.number})" if self.student.number else self.name

    @property
    def best(self) -> dict[str, Row]:
        """For each lesson the verdict that counts: one without doubts, and then the one with most points."""
        rows = [row for row in self.rows if row.exercises and row.judged]
        rows.sort(key=lambda row: (not row.doubts, row.passed))
        found = {row.lesson: row for row in rows}
        return {slug: found[slug] for slug in SLUGS if slug in found}

    @property
    def points(self) -> int:
        """How many exercises are passed, in all notebooks."""
        return sum(row.passed for row in self.best.values())

    @property
    def doubts(self) -> tuple[str, ...]:
        """What a lecturer should look at before the points of this student are final."""
        return tuple(dict.fromkeys(doubt for row in self.best.values() for doubt in row.doubts))

    @property
    def late(self) -> bool:
        """Whether the name of one of the files says that it was late."""
        return any(is_late(row.file) for row in self.rows)


@dataclass(frozen=True)
class Class:
    """Everybody who handed in something and, if there is a roster, everybody who did not.

    Attributes
    ----------
    works : tuple of Work
        In the order of the students' names.
    lengths : dict
        How many exercises each lesson has of which something was handed in.
    missing : tuple of Listed
        Those on the roster of whom there is no file.
    unlisted : tuple of Student
        Those with a file who are not on the roster.
    unclear : tuple of Student
        Those with a file who are not clear: the name fits several people on the roster, or several names fit one
        person. None of these people is among the missing.
    roster : int or None
        How many people are on the roster; None if there is none.
    """

    works: tuple[Work, ...]
    lengths: dict[str, int]
    missing: tuple[Listed, ...] = ()
    unlisted: tuple[Student, ...] = ()
    unclear: tuple[Student, ...] = ()
    roster: int | None = None

    @property
    def most(self) -> int:
        """How many points there are, in all notebooks."""
        return sum(self.lengths.values())


def collect_class(rows: Sequence[Row], roster: Sequence[Listed] | None = None) -> Class:
    """Put the verdicts on files together by student, and compare the students with the roster.

    Who is on the roster gets the name that is written there.

    >>> rows = [Row("ada/03.ipynb", "tape", "ran"), Row("ada/04.ipynb", "", "not a notebook")]
    >>> [(work.name, len(work.rows)) for work in collect_class(rows).works]
    [('ada', 2)]
    """
    by_student: dict[Student, list[Row]] = {}
    for row in sorted(rows, key=lambda row: row.file):
        by_student.setdefault(identify(row.file), []).append(row)
    lengths = {row.lesson: len(row.exercises) for row in rows if row.exercises}
    lengths = {slug: lengths[slug] for slug in SLUGS if slug in lengths}
    index = index_roster(roster or ())
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
        works.append(Work(student, tuple(mine), name))
    works.sort(key=lambda work: (work.name.casefold(), work.student))
    if roster is None:
        return Class(tuple(works), lengths)
    missing = tuple(listed for listed in roster if not uses[listed])
    return Class(tuple(works), lengths, missing, tuple(unlisted), tuple(unclear), len(roster))
