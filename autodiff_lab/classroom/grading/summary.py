"""The summary of a grading run, on one short page: how the class did, and whom to look at first."""

from collections import Counter
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from autodiff_lab.classroom.grading.feedback import FOLDER, Feedback
from autodiff_lab.classroom.grading.names import Student, own_part
from autodiff_lab.classroom.grading.pages import (
    NOT_ATTEMPTED,
    exercise_number,
    lesson_titles,
    write_page,
)
from autodiff_lab.classroom.grading.students import Class, Work
from autodiff_lab.classroom.grading.verdicts import Row
from autodiff_lab.text.notation import escape

# The number of students that the page lists as those to look at first; the table has all.
MAX_FIRST = 20
# Longer lists of names are folded.
MAX_NAMES = 40
# The largest number of bars in a distribution.
MAX_BARS = 12
# A student is stuck if at least this share of the exercises was tried without success.
STUCK = 0.5


def summary_page(everybody: Class, feedback: Mapping[Student, Feedback], report: str) -> str:
    """Write the summary page.

    Parameters
    ----------
    everybody : Class
    feedback : mapping
        The feedback page of each student, to link to.
    report : str
        The name of the page with every answer, to link to.
    """
    links = {student: f"{FOLDER}/{quote(each.file)}" for student, each in feedback.items()}
    parts = [
        f"<p>{escape(_say_counts(everybody))} Every answer is in <a href={report}>{escape(report)}</a>.</p>",
        _roster(everybody),
        _names_in_doubt(everybody),
        _distribution(everybody),
        _first(everybody, links),
        _exercises(everybody),
        _late(everybody, links),
    ]
    return write_page("Summary", "".join(parts))


def _say_counts(everybody: Class) -> str:
    files = sum(len(work.rows) for work in everybody.works)
    said = f"{_count(len(everybody.works), 'student')} handed in {_count(files, 'file')}."
    if everybody.works and everybody.most:
        points = sorted(work.points for work in everybody.works)
        said += f" Half of them passed {points[len(points) // 2]} or more of {everybody.most} {everybody.unit}."
    return said


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _roster(everybody: Class) -> str:
    """List the people on the roster who handed in nothing, and the students who are not on it."""
    if everybody.roster is None:
        return "<p>Nobody is known to be missing: there was no --roster.</p>"
    count = len(everybody.missing)
    missing = [
        f"{listed.name} ({listed.number})" if listed.number else listed.name
        for listed in everybody.missing
    ]
    parts = [f"<h2>Missing: {count} of {everybody.roster} on the roster</h2>", _names(missing)]
    if everybody.unlisted:
        names = [_label(student) for student in everybody.unlisted]
        parts.append(f"<h3>Handed in, and not on the roster: {len(names)}</h3>{_names(names)}")
    if everybody.unclear:
        names = [_label(student) for student in everybody.unclear]
        parts.append(
            f"<h3>Not clear who this is on the roster: {len(names)}</h3>{_names(names)}"
            "<p>One name fits several people there, or several names fit one; none of these people is listed as "
            "missing. A column <code>identifier</code> (Moodle) or <code>id</code> (Canvas) tells them apart.</p>"
        )
    return "".join(parts)


def _names_in_doubt(everybody: Class) -> str:
    """List the files that were put together by name, and those kept apart because their owner isn't clear."""
    parts = []
    if everybody.together:
        names = [_label(student) for student in everybody.together]
        parts.append(
            f"<h3>Files from several places, taken together by their names: {len(names)}</h3>{_names(names)}"
            "<p>If these are several people, give each a folder of their own.</p>"
        )
    if everybody.apart:
        parts.append(
            f"<h3>Not clear whose these are, kept apart: {len(everybody.apart)}</h3>{_names(everybody.apart)}"
            "<p>The names look like Canvas's, and these may be one student's files or several students'. Each counts "
            "as a student of its own, and has no line for Canvas's gradebook. A --roster with Canvas's column "
            "<code>ID</code> tells whose they are; so does a folder for each student.</p>"
        )
    return "".join(parts)


def _label(student: Student) -> str:
    return f"{student.name} ({student.number})" if student.number else student.name


def _names(names: Sequence[str]) -> str:
    """List names in columns, folded if there are more than `MAX_NAMES`."""
    if not names:
        return ""
    listed = f"<p class=names>{'<br>'.join(map(escape, names))}</p>"
    if len(names) <= MAX_NAMES:
        return listed
    return f"<details><summary>All {len(names)}</summary>{listed}</details>"


def _first(everybody: Class, links: Mapping[Student, str]) -> str:
    """List the students to look at first: those whose points are not final, then those who most need help."""
    found = []
    for work in everybody.works:
        reasons = find_reasons(work)
        if reasons:
            most_urgent = reasons[0][0]
            found.append((most_urgent, work.points, work, reasons))
    found.sort(key=lambda each: each[:2])
    if not found:
        return "<h2>Whom to look at first</h2><p>Nobody stands out.</p>"
    lines = []
    for _, points, work, reasons in found[:MAX_FIRST]:
        said = "<br>".join(escape(reason) for _, reason in reasons)
        head = f"<th scope=row>{_link(work, links)}</th><td>{points} of {everybody.most}</td>"
        lines.append(f"<tr>{head}<td class=why>{said}</td></tr>")
    more = f"<p>And {len(found) - MAX_FIRST} more.</p>" if len(found) > MAX_FIRST else ""
    head = "".join(f"<th scope=col>{title}</th>" for title in ("student", "passed", "why"))
    table = f"<table><thead><tr>{head}</tr></thead>{''.join(lines)}</table>"
    return f"<h2>Whom to look at first</h2><div class=wide>{table}</div>{more}"


def _link(work: Work, links: Mapping[Student, str]) -> str:
    label = escape(work.label)
    return f'<a href="{links[work.student]}">{label}</a>' if work.student in links else label


def find_reasons(work: Work) -> list[tuple[int, str]]:
    """Find the reasons to look at what a student handed in, each with its rank; 0 is the most urgent.

    >>> row = Row("ada.ipynb", "tape", "out of time after 120 s", ("ex_1",), doubts=("it is odd",))
    >>> find_reasons(Work(Student("ada"), (row,), "ada"))
    [(0, 'look at this: it is odd'), (2, 'ada.ipynb: out of time after 120 s'), (4, 'nothing attempted')]
    """
    reasons = [(0, f"look at this: {doubt}") for doubt in work.doubts]
    reasons += [(1, f"{own_part(row.file)}: {row.ended}") for row in work.rows if not row.judged]
    reasons += [
        (2, f"{own_part(row.file)}: {row.ended}")
        for row in work.rows
        if row.judged and not _has_run(row)
    ]
    best = work.best.values()
    count = sum(len(row.exercises) for row in best)
    tried = sum(row.attempted for row in best)
    wrong = tried - sum(row.passed for row in best)
    unknown = []
    for row in best:
        title = lesson_titles()[row.lesson].partition(" ")[0]
        for name, answer in row.answers.items():
            if answer.state == "not yet" and not answer.hint:
                unknown.append(f"{title} ex {exercise_number(name)}")
    if unknown:
        reasons.append(
            (3, f"wrong, but no mistake that the check recognises: {', '.join(unknown)}")
        )
    if count and wrong >= STUCK * count:
        reasons.append((3, f"tried {tried} and passed {tried - wrong}"))
    if best and not tried:
        reasons.append((4, "nothing attempted"))
    return sorted(reasons, key=lambda reason: reason[0])


def _has_run(row: Row) -> bool:
    return row.ended == "ran" or row.ended.startswith("ran;")


def _distribution(everybody: Class) -> str:
    """Draw how many students have how many points."""
    if not everybody.works or not everybody.most:
        return ""
    width = -(-(everybody.most + 1) // MAX_BARS)
    counts = Counter(work.points // width for work in everybody.works)
    largest = max(counts.values())
    lines = []
    for k in range(everybody.most // width, -1, -1):
        low, high = k * width, min((k + 1) * width - 1, everybody.most)
        label = f"{low}" if low == high else f"{low} to {high}"
        lines.append(_bar_line(label, [("all", counts[k])], largest, str(counts[k])))
    title = "Points" if everybody.weights else "Exercises passed"
    return f"<h2>{title}</h2>{_bars((title.split()[-1].lower(), 'students'), lines)}"


def _exercises(everybody: Class) -> str:
    """Draw for each exercise how many passed it, and say what went wrong most."""
    titles = lesson_titles()
    parts = []
    for slug in everybody.worth:
        rows = [work.best[slug] for work in everybody.works if slug in work.best]
        if not rows or not rows[0].exercises:
            continue
        lines = []
        for name in rows[0].exercises:
            states = Counter(
                row.answers[name].state if name in row.answers else NOT_ATTEMPTED for row in rows
            )
            said = ", ".join(
                f"{states[state]} {state}" for state in ("passed", "not yet", NOT_ATTEMPTED)
            )
            met = Counter(
                row.answers[name].hint
                for row in rows
                if name in row.answers and row.answers[name].hint
            )
            if met:
                [(hint, count)] = met.most_common(1)
                said += f". Most often ({count}): {hint}"
            shares = [("good", states["passed"]), ("bad", states["not yet"])]
            lines.append(_bar_line(exercise_number(name), shares, len(rows), said))
        title = f"<h2>{escape(titles[slug])}: {_count(len(rows), 'student')}</h2>"
        parts.append(title + _bars(("exercise", "students"), lines))
    return "".join(parts)


def _bars(titles: tuple[str, str], lines: Sequence[str]) -> str:
    head = f"<thead><tr><th scope=col>{titles[0]}</th><th scope=col colspan=2>{titles[1]}</th></tr></thead>"
    return f"<div class=wide><table class=bars>{head}{''.join(lines)}</table></div>"


def _bar_line(label: str, shares: Sequence[tuple[str, int]], whole: int, said: str) -> str:
    bars = "".join(
        f'<i class={kind} style="width:{100 * count / whole:.3g}%"></i>'
        for kind, count in shares
        if count
    )
    return f"<tr><th scope=row>{label}</th><td><div class=bar>{bars}</div></td><td>{escape(said)}</td></tr>"


def _late(everybody: Class, links: Mapping[Student, str]) -> str:
    late = [work for work in everybody.works if work.late]
    if late:
        names = "<br>".join(_link(work, links) for work in late)
        return f"<h2>Late, as Canvas says: {len(late)}</h2><p class=names>{names}</p>"
    if any(work.student.system == "Canvas" for work in everybody.works):
        return "<p>Canvas marks nobody as late.</p>"
    return "<p>Nobody is marked as late: the names of these files don't say when they were handed in.</p>"
