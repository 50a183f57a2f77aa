"""Verdicts on hand-ins: the examiner's findings are judged here, outside the sandbox, and become rows of the report.

The findings are evidence, not proof, because a hand-in runs in the same process as the checks that observe
it. If they contradict each other, the row says so.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

from autodiff_lab.classroom.grading.confinement import Done, Limits
from autodiff_lab.classroom.grading.examiner import MAX_SHOWN_CHARACTERS, lesson_of
from autodiff_lab.classroom.grading.names import identify
from autodiff_lab.classroom.grading.observations import decode_observation
from autodiff_lab.lessons.checks.course import lessons
from autodiff_lab.lessons.checks.exercise import Exercise, Reply

# Attempts at an exercise that are judged; a notebook of the course makes one.
MAX_ATTEMPTS = 50


@dataclass(frozen=True)
class Answer:
    """The verdict on one exercise of a hand-in: passed or not yet, the reply, the cell, the recognised mistake.

    Attributes
    ----------
    state : str
        ``"passed"`` or ``"not yet"``.
    reply : str
        The check's reply.
    code : str
        The cell with the answer.
    hint : str
        The hint of the misconception that was recognised; empty if none was.
    attempts : int
        How often the notebook called the check.
    """

    state: str
    reply: str = ""
    code: str = ""
    hint: str = ""
    attempts: int = 1


@dataclass(frozen=True)
class Row:
    """The verdict on one handed-in notebook: a row of the report.

    Attributes
    ----------
    file : str
        Its path below the folder, `printable`.
    lesson : str
        The lesson's slug; empty if it cannot be found out.
    ended : str
        How it went, in words: ``"ran"``, ``"ran; 2 cells raise (the first: cell 4, NameError)"``, ``"out of time"``, …
    exercises : tuple of str
        The names of the lesson's exercises, in order.
    answers : dict
        For each exercise that was tried, its `Answer`.
    doubts : tuple of str
        Contradictions: reasons for a lecturer to look at the notebook.
    judged : bool
        False if the hand-in could not be run, through no fault of its own.
    crowded : bool
        Whether hand-ins that ran at the same time may have influenced how it ended.
    digest : str
        A hash of everything that the row was made from.
    """

    file: str
    lesson: str
    ended: str
    exercises: tuple[str, ...] = ()
    answers: dict[str, Answer] = field(default_factory=dict)
    doubts: tuple[str, ...] = ()
    judged: bool = True
    crowded: bool = False
    digest: str = ""

    @property
    def who(self) -> str:
        """The student's name, from the file or its folder; `Class` has the names of the roster."""
        return identify(self.file).name

    @property
    def passed(self) -> int:
        """How many exercises of the hand-in are passed."""
        return sum(answer.state == "passed" for answer in self.answers.values())

    @property
    def attempted(self) -> int:
        """How many exercises of the hand-in were tried."""
        return len(self.answers)

    @property
    def how_it_went(self) -> str:
        """The verdict on the run itself: how it ended, and the doubts that a lecturer should look at."""
        return "; look at this: ".join((self.ended, *self.doubts))

    def to_json(self) -> str:
        """Write the verdict on a notebook as one line of JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, line: str) -> Self:
        """Read the verdict on a notebook from a line of JSON."""
        data = json.loads(line)
        answers = {name: Answer(**answer) for name, answer in data["answers"].items()}
        changes = {
            "exercises": tuple(data["exercises"]),
            "doubts": tuple(data["doubts"]),
            "answers": answers,
        }
        return cls(**{**data, **changes})


def printable(text: str) -> str:
    r"""Make text of a hand-in safe to quote in a verdict: escape control characters and lone surrogates.

    >>> print(printable("ada\x1b[2J\nbob \u202e \udce9"))
    ada\x1b[2J\nbob \u202e \udce9
    """
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in text
    )


def _clip(said: object) -> str:
    """Shorten a hand-in's text for the report, and make each of its lines `printable`."""
    return "\n".join(map(printable, str(said)[:MAX_SHOWN_CHARACTERS].split("\n")))


def _read_findings(output: bytes, token: str) -> tuple[list[dict[str, Any]], bool]:
    """Read the lines that begin with the examiner's secret; return them, and whether there are other lines."""
    findings = []
    others = False
    for line in output.decode(errors="replace").splitlines():
        word, _, rest = line.partition(" ")
        if word != token:
            # The last line may have been cut short, even within the secret.
            others = others or not token.startswith(word)
            continue
        try:
            finding = json.loads(rest)
        except (ValueError, RecursionError):  # it was cut short
            continue
        if isinstance(finding, dict):
            findings.append(finding)
    return findings, others


def complete_row(row: Row, done: Done, token: str, limits: Limits) -> Row:
    """Judge the examiner's findings on a hand-in, and complete the row with the verdicts."""
    row = replace(row, crowded=done.crowded)
    findings, others = _read_findings(done.output, token)
    if not any("begin" in finding for finding in findings):
        ended = f"exit status {done.code}" if done.ended == "finished" else done.ended
        return mark_as_not_run(row, done.last_error or ended)
    # The second line was written before any cell ran, so it can be trusted.
    opening = findings[1] if len(findings) > 1 else {}
    if "unreadable" in opening:
        return replace(row, ended=opening["unreadable"])
    if "cells" not in opening:
        return replace(row, ended=_describe_end(done, [], False, limits))
    slug = lesson_of(opening["cells"])
    if slug is None:
        return replace(row, ended="it imports the checks of no lesson of this course")
    exercises = next(lesson.exercises() for lesson in lessons() if lesson.slug == slug)
    row = replace(row, lesson=slug, exercises=tuple(exercises))
    try:
        row = _judge_findings(row, findings[2:], opening["cells"], exercises)
        raised = [
            (each["cell"], printable(str(each["raised"]))[:80])
            for each in findings
            if "raised" in each
        ]
        has_end = any("end" in finding for finding in findings)
        ended = _describe_end(done, raised, has_end, limits)
    except Exception:  # these lines aren't the examiner's
        return replace(
            row,
            ended="its findings cannot be read",
            doubts=("it wrote to the report itself",),
            answers={},
        )
    doubts = ("it wrote to the report itself", *row.doubts) if others else row.doubts
    return replace(row, ended=ended, doubts=doubts)


def _judge_findings(
    row: Row,
    findings: Sequence[Mapping[str, Any]],
    cells: Sequence[str],
    exercises: Mapping[str, Exercise],
) -> Row:
    """Judge the observations of the answers to each exercise."""
    doubts = []
    changed = dict.fromkeys(
        str(name)[:80] for finding in findings for name in finding.get("changed", ())
    )
    if changed:
        doubts.append(f"it changes the checks themselves ({', '.join([*changed][:3])})")
    answers = {}
    for name, exercise in exercises.items():
        mine = [finding for finding in findings if finding.get("exercise") == exercise.key]
        judged = [_judge(exercise, finding, cells) for finding in mine[:MAX_ATTEMPTS]]
        tried = [
            (answer, doubt) for answer, doubt in judged if answer.state in ("passed", "not yet")
        ]
        if not tried:
            continue
        passed = [answer for answer, _ in tried if answer.state == "passed"]
        last_answer, _ = tried[-1]
        answer = passed[0] if passed else last_answer
        attempts_not_judged = len(mine) - len(judged)
        answers[name] = replace(answer, attempts=attempts_not_judged + len(tried))
        number = exercise.title.split()[1]
        doubts += dict.fromkeys(f"{number} {doubt}" for _, doubt in tried if doubt)
    return replace(row, answers=answers, doubts=tuple(map(printable, doubts)))


def _judge(
    exercise: Exercise, finding: Mapping[str, Any], cells: Sequence[str]
) -> tuple[Answer, str]:
    """Judge the observation of an answer; return the verdict, and a doubt if the examiner reported another one."""
    said = Reply(str(finding.get("status")), _clip(finding.get("reply")))
    reply = said
    hint = ""
    doubt = ""
    seed = finding.get("seed")
    try:
        observed = decode_observation(finding["observed"])
        asked = exercise.draw(exercise.choose_seed(seed) if isinstance(seed, str) else None)
        if observed or said.passed:
            reply = exercise.judge_observation(observed[0], asked)
            hint = next(
                (each.hint for each in asked.misconceptions if reply.text.endswith(each.hint)), ""
            )
    except Exception:  # the observation is missing, or no check makes such an observation
        reply = Reply("not yet", "This observation cannot be judged.")
    if reply.status != said.status:
        doubt = f"was reported as {printable(said.status)[:20]}, but is {reply.status}"
        said = reply
    cell = finding.get("cell")
    code = cells[cell - 1] if isinstance(cell, int) and 0 < cell <= len(cells) else ""
    return Answer(reply.status, _clip(said.text), _clip(code), hint), doubt


def mark_as_not_run(row: Row, reason: str) -> Row:
    """Complete the row of a hand-in that could not be run, and say why."""
    return replace(
        row, ended=f"not run, and not its own fault: {printable(reason)[:200]}", judged=False
    )


def _describe_end(done: Done, raised: Sequence[tuple[int, str]], end: bool, limits: Limits) -> str:
    if done.ended != "finished":
        allowed = {
            "out of time": f" after {limits.seconds:g} s",
            "out of memory": f": more than {limits.megabytes} MB",
            "too many processes": f": more than {limits.processes}, or than {limits.megabytes} MB hold",
        }
        return f"{done.ended}{allowed[done.ended]}; what came before counts"
    if not end:
        return "it ended before its last cell (out of memory, or it left); what came before counts"
    if raised:
        count = "1 cell raises" if len(raised) == 1 else f"{len(raised)} cells raise"
        return f"ran; {count} (the first: cell {raised[0][0]}, {raised[0][1]})"
    return "ran"
