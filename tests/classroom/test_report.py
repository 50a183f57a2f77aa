"""What a lecturer gets of a grading run: a report that survives a kill, in order, and tables for Moodle and Canvas."""

import csv
import io
import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from dataclasses import replace

import nbformat
import pytest

from autodiff_lab.classroom.grading import grade as grading
from autodiff_lab.classroom.grading.confinement import Done, Limits, why_no_sandbox
from autodiff_lab.classroom.grading.grade import grade
from autodiff_lab.classroom.grading.gradebooks import canvas_csv, moodle_csv
from autodiff_lab.classroom.grading.hand_ins import MAX_FILES
from autodiff_lab.classroom.grading.journal import key_path, load_key, read_journal, sign_row
from autodiff_lab.classroom.grading.report import csv_text, default_folder, html_page, open_report
from autodiff_lab.classroom.grading.students import collect_class
from autodiff_lab.classroom.grading.verdicts import Answer, Row
from autodiff_lab.cli.main import draw_progress, main
from autodiff_lab.lessons.printing_tape import progress as lesson

from .test_grading import brief

WITHOUT = ["--unconfined"] if why_no_sandbox() else []
NAMES = tuple(lesson.exercises())
REPORT = ("grades.csv", "grades.html", "summary.html", "grades-exercises.csv")


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
    hand_in(
        folder,
        ada="check.ex_3((5, 15))",
        bob="import time; time.sleep(3)",
        zoë="check.ex_3((5, 8))",
    )
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
    monkeypatch.setattr(
        grading, "_run_examiner", lambda files, *a, **k: ran.append(files) or real(files, *a, **k)
    )
    assert main(["grade", str(folder), "--resume", *WITHOUT]) == 0
    assert len(ran) == 1 + 2, "the trial, and the two that were missing"
    assert main(["grade", str(folder), "--out", str(whole), *WITHOUT]) == 0
    for name in REPORT:
        assert (out / name).read_bytes() == (whole / name).read_bytes()

    hand_in(folder, zoë="check.ex_3((5, 15))", late="1")
    ran.clear()
    capsys.readouterr()
    assert main(["grade", str(folder), "--resume", *WITHOUT]) == 0
    assert len(ran) == 1 + 2, "what has changed, and what is new"
    said = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in said[:4]] == ["1", "0", "0", "1"]
    ran.clear()
    monkeypatch.setattr(grading, "_run_examiner", lambda files, *_, **__: ran.append(files))
    grade(folder, Limits(seconds=50), sandbox=not WITHOUT, known=known_rows(out))
    assert len(ran) == 4, "with other limits all begin anew"


def forged_row(folder):
    """A row that a student who knows the package would forge: one of an earlier run, with full marks."""
    rows = grade(folder, Limits(), sandbox=not WITHOUT)
    return replace(rows[0], answers=dict.fromkeys(NAMES, Answer("passed")))


def test_a_planted_journal_is_not_believed(tmp_path, capsys):
    folder, out = tmp_path / "class", tmp_path / "out"
    folder.mkdir()
    out.mkdir()
    hand_in(folder, eve="x = 1")
    row = forged_row(folder)
    lines = [row.to_json(), sign_row(row, b"of somebody else")]
    (out / "grades.jsonl").write_text("\n".join(lines))
    assert main(["grade", str(folder), "--out", str(out), "--resume", *WITHOUT]) == 0
    said = capsys.readouterr()
    assert "0 of  7  eve.ipynb: ran" in said.out
    assert (
        "2 of the rows" in said.err and str(key_path()) in said.err and "graded again" in said.err
    )
    (out / "grades.jsonl").write_text(sign_row(row, load_key()))
    assert main(["grade", str(folder), "--out", str(out), "--resume", *WITHOUT]) == 0
    assert "7 of  7  eve.ipynb: ran" in capsys.readouterr().out, "one's own are taken as they are"


@pytest.mark.skipif(os.name == "nt", reason="links need rights")
def test_a_journal_that_leads_elsewhere_is_not_written_to(tmp_path, capsys):
    folder, out, mine = tmp_path / "class", tmp_path / "out", tmp_path / "mine"
    folder.mkdir()
    out.mkdir()
    mine.write_text("kept")
    hand_in(folder, eve="x = 1")
    for lead in (lambda path: path.symlink_to(mine), os.mkfifo):
        lead(out / "grades.jsonl")
        assert main(["grade", str(folder), "--out", str(out), "--resume", *WITHOUT]) == 1
        assert "is a link or a device" in capsys.readouterr().err
        (out / "grades.jsonl").unlink()
    assert mine.read_text() == "kept"


@pytest.mark.skipif(os.name == "nt", reason="rights as on Unix")
def test_the_key_is_whoever_grades_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    key = load_key()
    assert (
        key == load_key() == key_path().read_bytes()
        and stat.S_IMODE(key_path().stat().st_mode) == 0o600
    )
    key_path().chmod(0o644)
    assert load_key() != key, "others may have read it"
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    assert load_key() != load_key(), "where none can be kept there is one for each run"


def test_who_ran_out_of_time_beside_others_is_tried_again_alone(tmp_path, monkeypatch):
    """If others held the processors, that is none of its fault."""
    hand_in(tmp_path, ada="check.ex_3((5, 15))", bob="1", eve="1")
    real, asked = grading.run_confined, []

    def run(command, files, limits, **options):
        asked.append(files["notebook.ipynb"])
        if b"check.ex_3(" in asked[-1] and asked.count(asked[-1]) == 1:
            return Done("out of time", -9, b"", "", crowded=True)
        return real(command, files, limits, **options)

    monkeypatch.setattr(grading, "run_confined", run)
    shown = []
    rows = grade(tmp_path, jobs=2, sandbox=not WITHOUT, show=lambda row: shown.append(row.who))
    assert [(row.who, row.ended) for row in rows] == [
        ("ada", "ran"),
        ("bob", "ran"),
        ("eve", "ran"),
    ]
    assert rows[0].passed == 1 and shown == ["ada", "bob", "eve"]
    assert len(asked) == 4 and asked[-1] == asked[0], "after all others"


def test_every_file_has_a_row(tmp_path):
    """Hand-ins of any type have a row; files that programs leave behind have none."""
    hand_in(tmp_path, ada="1")
    (tmp_path / "bob.docx").write_bytes(b"PK")
    (tmp_path / "carl").mkdir()
    (tmp_path / "carl" / "answers.py").write_text("1")
    (tmp_path / "dora").mkdir()
    (tmp_path / "eve").symlink_to(tmp_path / "carl", target_is_directory=True)
    (tmp_path / "FRED.IPYNB").write_bytes((tmp_path / "ada.ipynb").read_bytes())
    for litter in ("__MACOSX", ".ipynb_checkpoints", "carl/__pycache__"):
        (tmp_path / litter).mkdir()
        (tmp_path / litter / "x.ipynb").write_text("{}")
    (tmp_path / ".DS_Store").write_text("")
    rows = {row.file.replace("\\", "/"): row.ended for row in grade(tmp_path, sandbox=not WITHOUT)}
    assert set(rows) == {"ada.ipynb", "FRED.IPYNB", "bob.docx", "carl/answers.py", "dora", "eve"}
    assert rows["ada.ipynb"] == rows["FRED.IPYNB"] == "ran"
    assert "not a notebook" in rows["bob.docx"] and "not a notebook" in rows["carl/answers.py"]
    assert rows["dora"] == "an empty folder" and "a link" in rows["eve"]


def test_one_student_has_so_many_files_and_no_more(tmp_path):
    hand_in(tmp_path, ada="1")
    (tmp_path / "eve").mkdir()
    for k in range(60):
        (tmp_path / "eve" / f"{k:02}.txt").write_text("")
    (tmp_path / "eve" / "zz.ipynb").write_bytes((tmp_path / "ada.ipynb").read_bytes())
    deep = tmp_path / "eve"
    for _ in range(200):
        deep /= "d" * 9
        deep.mkdir()
    rows = grade(tmp_path, sandbox=not WITHOUT)
    mine = {row.file: row.ended for row in rows if row.who == "eve"}
    assert len(mine) == MAX_FILES + 1 and mine[os.path.join("eve", "zz.ipynb")] == "ran"
    assert "only 50 files" in mine[os.path.join("eve", "and 11 more files")]


def test_a_notebook_is_parsed_inside_the_sandbox(tmp_path, monkeypatch):
    """Parsing a notebook can take twenty times its size in memory."""
    (tmp_path / "eve.ipynb").write_text('{"cells": [[' + "[]," * 10**6 + "1]]}")
    hand_in(tmp_path, ada="1")
    real = json.loads
    monkeypatch.setattr(
        json, "loads", lambda text, **options: real(text, **options) if len(text) < 10**6 else 1 / 0
    )
    ended = {row.who: row.ended for row in grade(tmp_path, sandbox=not WITHOUT)}
    assert ended["ada"] == "ran" and "not a notebook that can be read" in ended["eve"]
    hand_in(tmp_path, eve="x = '" + "a" * 10**6 + "'")
    ended = {row.who: row.ended for row in grade(tmp_path, sandbox=not WITHOUT)}
    assert ended["ada"] == "ran" and ended["eve"].startswith("the code is longer than")


def test_nobody_hands_in_as_somebody_else():
    """In Moodle's names the first number is Moodle's own; what follows is the student's choice."""
    row = Row(
        "Mallory M_7_assignsubmission_file_x_8_assignsubmission_file.ipynb",
        "printing_tape",
        "ran",
        NAMES,
        {},
    )
    assert table(moodle_csv(collect_class([row])))[1][:5] == [
        "Participant 7",
        "Mallory M",
        "",
        "7",
        "",
    ]


def test_no_cell_is_a_formula_whatever_separates_cells():
    for name in ("=1+1", "x;=1+1;y", "x\t=1+1", "x;-1+1", "x|@y", 'x; "=1+1"', "＝1+1"):
        line = csv_text([Row(f"{name}.ipynb", "printing_tape", "ran", NAMES)]).splitlines()[1]
        for separator in ",;|\t":
            cells = next(csv.reader([line], delimiter=separator))
            assert not any(re.match(r"""[\s"]*[=+\-@＝]""", cell) for cell in cells), (
                name,
                separator,
            )


@pytest.mark.skipif(not hasattr(os, "geteuid") or bool(WITHOUT), reason="not root, or no sandbox")
def test_root_is_warned(tmp_path, capsys, monkeypatch):
    hand_in(tmp_path, ada="1")
    for user, warned in ((0, True), (1000, False)):
        monkeypatch.setattr(os, "geteuid", lambda user=user: user)
        assert main(["grade", str(tmp_path), "--overwrite", "--out", str(tmp_path / "out")]) == 0
        assert ("you are root" in capsys.readouterr().err) is warned


def test_what_could_not_be_run_is_tried_again(tmp_path, monkeypatch):
    hand_in(tmp_path, ada="1")
    monkeypatch.setattr(
        grading, "_run_examiner", lambda *_, **__: (_ for _ in ()).throw(OSError("no room"))
    )
    [row] = grade(tmp_path, sandbox=not WITHOUT)
    assert not row.judged and "no room" in row.ended
    monkeypatch.undo()
    [row] = grade(tmp_path, sandbox=not WITHOUT, known={row.file: row})
    assert (
        row.ended == "ran" and grade(tmp_path, sandbox=not WITHOUT, known={row.file: row})[0] is row
    )


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
    rows = grade(
        tmp_path,
        jobs=3,
        tell=lambda row: told.append(row.who),
        show=lambda row: shown.append(row.who),
    )
    assert (told, shown, [row.who for row in rows]) == (
        ["c", "b", "a"],
        ["a", "b", "c"],
        ["a", "b", "c"],
    )
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


WRONG = Answer(
    "not yet", "Exercise 3, not yet: no & no", "answer = (5, 8)\n<b>", "no & no", attempts=3
)
RIGHT = Answer("passed", "Exercise 3 passed. Well.", "answer = (5, 15)")


def test_every_answer_is_in_the_report_right_or_wrong():
    """With what was said to it, and how many attempts it took; what went wrong most comes first."""
    rows = [
        Row(f"{who}.ipynb", "printing_tape", "ran", NAMES, {"ex_3": WRONG})
        for who in ("ada", "bob")
    ]
    other = replace(WRONG, hint="another", reply="Exercise 1, not yet: another")
    rows += [
        Row(
            "eve.ipynb",
            "printing_tape",
            "ran",
            NAMES,
            {"ex_3": RIGHT, "ex_1": other},
            ("it is odd",),
        )
    ]
    page = html_page(rows)
    assert page.index("2 of 3: no &amp; no") < page.index("1 of 3: another") < page.index("<table>")
    assert "<b>3</b>: 1 passed, 2 not yet, 0 not attempted" in page
    for said in (
        "✗ 2 identical answers, not yet: ada (3 attempts), bob (3 attempts)<",
        "✓ passed: eve<",
        "answer = (5, 15)",
        "passed. Well.",
        "(5, 8)\n&lt;b&gt;",
    ):
        assert said in page
    links, ids = (
        set(re.findall(pattern, page)) for pattern in (r'href="#([^"]*)"', r' id="([^"]*)"')
    )
    assert links == ids and len(ids) == 3, "identical answers are there once"
    assert "Look at this: it is odd." in page


def table(text):
    return list(csv.reader(io.StringIO(text)))


def test_moodle_gets_its_grading_worksheet():
    """Its importer asks for Identifier, Grade and Last modified (grade)."""
    one = "Ada Love_lace_7_assignsubmission_file"
    passed = {"ex_3": RIGHT}
    rows = [
        Row(f"{one}/03.ipynb", "printing_tape", "ran", NAMES, passed),
        Row(f"{one}/03 copy.ipynb", "printing_tape", "ran", NAMES),
        Row(f"{one}/04.ipynb", "adjoint_flow", "ran", ("ex_1",), {"ex_1": RIGHT}),
        Row(
            "=Eve_8_assignsubmission_file_/03.ipynb",
            "printing_tape",
            "ran",
            NAMES,
            passed,
            ("odd",),
        ),
        Row(
            "Bob_9_assignsubmission_file_/03.ipynb", "printing_tape", "not run", NAMES, judged=False
        ),
        Row("Carl_10_assignsubmission_file_03.ipynb", "printing_tape", "ran", NAMES),
        Row("notes.ipynb", "", "no lesson"),
    ]
    head, *lines = table(moodle_csv(collect_class(rows)))
    titles = [
        "Identifier",
        "Full name",
        "Grade",
        "Maximum grade",
        "Last modified (grade)",
        "Feedback comments",
    ]
    assert head == titles
    assert sorted(line[:5] for line in lines) == [
        ["Participant 10", "Carl", "0", "8", ""],
        ["Participant 7", "Ada Love_lace", "2", "8", ""],
        ["Participant 8", "'=Eve", "", "8", ""],  # there is something to look at
    ]
    unnamed = [Row("ada.ipynb", "printing_tape", "ran", NAMES)]
    assert canvas_csv(collect_class(rows)) == "" and moodle_csv(collect_class(unnamed)) == ""


def test_canvas_gets_a_table_for_its_gradebook():
    """Its importer asks for Student and ID at the left, and Section before the assignments."""
    rows = [
        Row(
            "lovelaceada_4711_99_05_printing_tape.ipynb",
            "printing_tape",
            "ran",
            NAMES,
            {"ex_3": RIGHT},
        ),
        Row("lovelaceada_4711_98_04.ipynb", "adjoint_flow", "ran", ("ex_1",)),
        Row("bob_LATE_4712_97_05-1.ipynb", "printing_tape", "ran", NAMES, {}),
    ]
    assert table(canvas_csv(collect_class(rows))) == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Notebook 04", "Notebook 06"],
        ["Points Possible", "", "", "", "", "1", "7"],
        ["lovelaceada", "4711", "", "", "", "0", "1"],
        ["bob", "4712", "", "", "", "", "0"],
    ]


def test_a_gradebook_is_written_where_the_names_fit(tmp_path):
    with open_report(tmp_path) as add:
        add(Row("bob_4712_97_03.ipynb", "printing_tape", "ran", NAMES))
    assert (tmp_path / "grades-canvas.csv").read_bytes().startswith(b"Student,ID,")
    assert not (tmp_path / "grades-moodle.csv").exists()
    with pytest.raises(FileExistsError, match="--resume"), open_report(tmp_path):
        pass
