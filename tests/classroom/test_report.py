"""What a lecturer gets of a grading run: a report that survives a kill, in order, and tables for Moodle and Canvas."""

import csv
import io
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace

import nbformat
import pytest

from autodiff_lab.classroom.grading import grade as grading
from autodiff_lab.classroom.grading.confinement import Limits, why_no_walls
from autodiff_lab.classroom.grading.grade import grade
from autodiff_lab.classroom.grading.gradebooks import canvas_csv, moodle_csv
from autodiff_lab.classroom.grading.journal import key_path, load_key, read_journal
from autodiff_lab.classroom.grading.report import default_folder, html_page, open_report
from autodiff_lab.classroom.grading.verdicts import Answer, Row
from autodiff_lab.cli.main import draw_progress, main
from autodiff_lab.lessons.lesson_03 import progress as lesson

from .test_grading import brief

WITHOUT = ["--unconfined"] if why_no_walls() else []
NAMES = tuple(lesson.exercises())
REPORT = ("grades.csv", "grades.html")


def hand_in(folder, **sources):
    for name, source in sources.items():
        nbformat.write(brief(source), folder / f"{name}.ipynb")


def known_rows(out):
    rows, complaint = read_journal(out, load_key())
    assert not complaint
    return rows


@pytest.mark.skipif(os.name == "nt", reason="it is killed as on Unix")
def test_a_killed_run_goes_on_and_reports_the_same(tmp_path, capsys, monkeypatch):
    """It is killed while the second of three runs."""
    folder, whole = tmp_path / "class", tmp_path / "whole"
    folder.mkdir()
    out = default_folder(folder)
    hand_in(folder, ada="check.ex_03_3((5, 15))", bob="import time; time.sleep(3)", zoë="check.ex_03_3((5, 8))")
    command = [sys.executable, "-m", "autodiff_lab", "grade", str(folder), "--jobs", "1", *WITHOUT]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert b"ada.ipynb" in run.stdout.readline()
    run.send_signal(signal.SIGKILL)
    run.communicate()
    assert [*known_rows(out)] == ["ada.ipynb"]
    with (out / "grades.jsonl").open("ab") as journal:
        journal.write(b'\n{"file": "zo\xc3')  # as if it had been in the middle of a letter

    ran = []
    real = grading._run_examiner
    monkeypatch.setattr(grading, "_run_examiner", lambda files, *a, **k: ran.append(files) or real(files, *a, **k))
    assert main(["grade", str(folder), "--resume", *WITHOUT]) == 0
    assert len(ran) == 1 + 2, "the trial, and the two that were missing"
    assert main(["grade", str(folder), "--out", str(whole), *WITHOUT]) == 0
    for name in REPORT:
        assert (out / name).read_bytes() == (whole / name).read_bytes()

    hand_in(folder, zoë="check.ex_03_3((5, 15))", late="1")
    ran.clear()
    capsys.readouterr()
    assert main(["grade", str(folder), "--resume", *WITHOUT]) == 0
    assert len(ran) == 1 + 2, "what has changed, and what is new"
    said = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in said[:4]] == ["1", "0", "0", "1"]
    ran.clear()
    monkeypatch.setattr(grading, "_run_examiner", lambda files, *_, **__: ran.append(files))
    grade(folder, Limits(seconds=50), walls=not WITHOUT, known=known_rows(out))
    assert len(ran) == 4, "with other limits all begin anew"


def test_what_could_not_be_run_is_tried_again(tmp_path, monkeypatch):
    hand_in(tmp_path, ada="1")
    monkeypatch.setattr(grading, "_run_examiner", lambda *_, **__: (_ for _ in ()).throw(OSError("no room")))
    [row] = grade(tmp_path, walls=not WITHOUT)
    assert not row.judged and "no room" in row.ended
    monkeypatch.undo()
    [row] = grade(tmp_path, walls=not WITHOUT, known={row.file: row})
    assert row.ended == "ran" and grade(tmp_path, walls=not WITHOUT, known={row.file: row})[0] is row


def test_several_run_at_a_time_and_are_shown_by_name(tmp_path, monkeypatch):
    """They end in the other order."""
    hand_in(tmp_path, a="1", b="1", c="1")
    running, most = [], []

    def run(path, *others):
        running.append(path)
        most.append(len(running))
        time.sleep(0.3 * (3 - "abc".index(path.stem)))
        running.remove(path)
        return Row(path.name, "", "ran")

    monkeypatch.setattr(grading, "_grade_notebook", run)
    told, shown = [], []
    rows = grade(tmp_path, jobs=3, tell=lambda row: told.append(row.who), show=lambda row: shown.append(row.who))
    assert (told, shown, [row.who for row in rows]) == (["c", "b", "a"], ["a", "b", "c"], ["a", "b", "c"])
    assert max(most) == 3
    most.clear()
    grade(tmp_path, jobs=1)
    assert max(most) == 1


def test_a_line_on_a_terminal_says_how_far_it_is(capfd, monkeypatch):
    draw_progress(1, 4)
    assert capfd.readouterr().err == "", "elsewhere it is quiet"
    ours, theirs = pytest.importorskip("pty").openpty()
    with os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        draw_progress(1, 4)
        draw_progress(0, 0)
        said = ""
        while said.count("\x1b[K") < 2:  # a terminal hands over what has arrived
            said += os.read(ours, 1000).decode()
    os.close(ours)
    assert re.fullmatch(r"\r\x1b\[K\[#{7} {23}\] 1 of 4\r\x1b\[K", said)


WRONG = Answer("not yet", "Exercise 03.3, not yet: no & no", "answer = (5, 8)\n<b>", "no & no", attempts=3)
RIGHT = Answer("passed", "Exercise 03.3 passed. Well.", "answer = (5, 15)")


def test_every_answer_is_in_the_report_right_or_wrong():
    """With what was said to it, and how many attempts it took; what went wrong most comes first."""
    rows = [Row(f"{who}.ipynb", "03", "ran", NAMES, {"ex_03_3": WRONG}) for who in ("ada", "bob")]
    other = replace(WRONG, hint="another", reply="Exercise 03.1, not yet: another")
    rows += [Row("eve.ipynb", "03", "ran", NAMES, {"ex_03_3": RIGHT, "ex_03_1": other}, ("it is odd",))]
    page = html_page(rows)
    assert page.index("2 of 3: no &amp; no") < page.index("1 of 3: another") < page.index("<table>")
    assert "<b>03.3</b>: 1 passed, 2 not yet, 0 not attempted" in page
    for said in (
        "✗ ada: not yet, 3 attempts",
        "✓ eve: passed<",
        "answer = (5, 15)",
        "passed. Well.",
        "(5, 8)\n&lt;b&gt;",
    ):
        assert said in page
    links, ids = (set(re.findall(pattern, page)) for pattern in (r'href="#([^"]*)"', r' id="([^"]*)"'))
    assert links == ids and len(ids) == 4
    assert "Look at this: it is odd." in page


def table(text):
    return list(csv.reader(io.StringIO(text)))


def test_moodle_gets_its_grading_worksheet():
    """Its importer asks for Identifier, Grade and Last modified (grade)."""
    one = "Ada Love_lace_7_assignsubmission_file"
    passed = {"ex_03_3": RIGHT}
    rows = [
        Row(f"{one}/03.ipynb", "03", "ran", NAMES, passed),
        Row(f"{one}/03 copy.ipynb", "03", "ran", NAMES),
        Row(f"{one}/04.ipynb", "04", "ran", ("ex_04_1",), {"ex_04_1": RIGHT}),
        Row("=Eve_8_assignsubmission_file_/03.ipynb", "03", "ran", NAMES, passed, ("odd",)),
        Row("Bob_9_assignsubmission_file_/03.ipynb", "03", "not run", NAMES, judged=False),
        Row("Carl_10_assignsubmission_file_03.ipynb", "03", "ran", NAMES),
        Row("notes.ipynb", "", "no lesson"),
    ]
    head, *lines = table(moodle_csv(rows))
    assert head == ["Identifier", "Full name", "Grade", "Maximum grade", "Last modified (grade)"]
    assert sorted(lines) == [
        ["Participant 10", "Carl", "0", "8", ""],
        ["Participant 7", "Ada Love_lace", "2", "8", ""],
        ["Participant 8", "'=Eve", "", "8", ""],  # there is something to look at
    ]
    assert canvas_csv(rows) == "" and moodle_csv([Row("ada.ipynb", "03", "ran", NAMES)]) == ""


def test_canvas_gets_a_table_for_its_gradebook():
    """Its importer asks for Student and ID at the left, and Section before the assignments."""
    rows = [
        Row("lovelaceada_4711_99_03_tape.ipynb", "03", "ran", NAMES, {"ex_03_3": RIGHT}),
        Row("lovelaceada_4711_98_04.ipynb", "04", "ran", ("ex_04_1",)),
        Row("bob_LATE_4712_97_03-1.ipynb", "03", "ran", NAMES, {}),
    ]
    assert table(canvas_csv(rows)) == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Notebook 03", "Notebook 04"],
        ["Points Possible", "", "", "", "", "7", "1"],
        ["lovelaceada", "4711", "", "", "", "1", "0"],
        ["bob", "4712", "", "", "", "0", ""],
    ]


def test_a_gradebook_is_written_where_the_names_fit(tmp_path):
    with open_report(tmp_path) as add:
        add(Row("bob_4712_97_03.ipynb", "03", "ran", NAMES))
    assert (tmp_path / "grades-canvas.csv").read_bytes().startswith(b"Student,ID,")
    assert not (tmp_path / "grades-moodle.csv").exists()
    with pytest.raises(FileExistsError, match="--resume"), open_report(tmp_path):
        pass
