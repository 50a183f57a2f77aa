"""The report on each student and on the whole class: names, the roster, feedback, the summary, identical answers."""

import csv
import html
import io
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest

from autodiff_lab.classroom.grading import grade as grading
from autodiff_lab.classroom.grading.confinement import why_no_sandbox
from autodiff_lab.classroom.grading.feedback import moodle_comment, write_feedback
from autodiff_lab.classroom.grading.gradebooks import (
    canvas_csv,
    exercises_csv,
    missing_csv,
    moodle_csv,
)
from autodiff_lab.classroom.grading.names import Student, identify, is_late
from autodiff_lab.classroom.grading.report import csv_text, html_page, open_report
from autodiff_lab.classroom.grading.rosters import Listed, RosterError, read_roster
from autodiff_lab.classroom.grading.students import collect_class
from autodiff_lab.classroom.grading.summary import MAX_FIRST, find_reasons, summary_page
from autodiff_lab.classroom.grading.verdicts import Answer, Row
from autodiff_lab.classroom.grading.weights import read_weights
from autodiff_lab.cli.main import main
from autodiff_lab.lessons.printing_tape import progress as lesson

from .test_grading import brief

WITHOUT = ["--unconfined"] if why_no_sandbox() else []
NAMES = tuple(lesson.exercises())
GUIDE = Path(__file__).parents[2] / "notebooks" / "for_lecturers.md"
RIGHT = Answer("passed", "Exercise 3 passed. Well.", "answer = (5, 15)")
WRONG = Answer("not yet", "Exercise 3, not yet: no", "answer = (5, 8)", "no")
STRANGE = Answer("not yet", "Exercise 3, not yet: I expect a pair.", "answer = 'x'")


def row(file, answers=None, ended="ran", **options):
    return Row(file, "printing_tape", ended, NAMES, answers or {}, **options)


def table(text):
    return list(csv.reader(io.StringIO(text)))


def roster_of(tmp_path, content, encoding="utf-8"):
    path = tmp_path / "roster.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    return read_roster(path)


def test_people_are_called_by_their_names():
    assert row("Ada Love-lace_601_assignsubmission_file_/03.ipynb").who == "Ada Love-lace"
    assert row("Ada Lovelace_601_assignsubmission_file_03.ipynb").who == "Ada Lovelace"
    assert row("Ada_601_assignsubmission_onlinetext_/onlinetext.html").who == "Ada"
    assert row("lovelaceada_LATE_7_8_03.ipynb").who == "lovelaceada"
    assert row("hw_1_2_ada/03.ipynb").who == "hw_1_2_ada", "Canvas makes no folders"
    assert identify("Eve_7_assignsubmission_file_x_8_assignsubmission_file.ipynb") == Student(
        "Eve", "7", "Moodle"
    )


def test_only_canvas_says_who_was_late():
    assert is_late("lovelaceada_LATE_7_8_03.ipynb")
    assert not any(
        map(
            is_late,
            (
                "ada_late_7_8_x/03.ipynb",
                "late.ipynb",
                "Ada_7_assignsubmission_file_late_7_8_.ipynb",
            ),
        )
    )
    late = collect_class([row("lovelaceada_late_7_8_03.ipynb"), row("bob_9_10_03.ipynb")])
    assert "Late, as Canvas says: 1" in summary_page(late, {}, "grades.html")
    unknown = collect_class([row("ada/03.ipynb")])
    assert "don&#x27;t say when they were" in summary_page(unknown, {}, "grades.html").replace(
        "'", "&#x27;"
    )
    assert [line[2] for line in table(exercises_csv(late))] == ["late", "", "late"]


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        ("name,id\nAda Lovelace,7\nZoë Li,8\n", "utf-8"),
        ("Name;ID\r\nAda Lovelace;7\r\nZoë Li;8\r\n", "utf-8-sig"),
        ("sep=;\nFirst name;Surname;ID\nAda;Lovelace;7\nZoë;Li;8\n\n;;\n", "utf-8-sig"),
        ("Name\tID\nAda Lovelace\t7\nZoë Li\t8", "utf-16"),
        ('"Student","ID"\n"    Points Possible",\n"Lovelace, Ada",7\n"Li, Zoë",8\n', "utf-8"),
    ],
)
def test_a_roster_as_programs_write_it(tmp_path, content, encoding):
    roster = roster_of(tmp_path, content, encoding)
    assert [listed.number for listed in roster] == ["7", "8"]
    everybody = collect_class([row("zoe_li/03.ipynb")], roster)
    assert [listed.number for listed in everybody.missing] == ["7"] and not everybody.unlisted


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty. Its first line has titles, such as `name`"),
        (b"name,id\n", "has titles, and no students"),
        (
            b"Ada Lovelace\nBob Li\n",
            "no column of names; its first line is: Ada Lovelace\nName one column `name`",
        ),
        (b"first name,id\nAda,7\n", "two `first name` and `last name`"),
        ("name\nZo\xeb\n".encode("latin-1"), "line 2 .* is not UTF-8, .* Save it as “CSV UTF-8”"),
        (b"PK\x03\x04rest of an .xlsx", "is a spreadsheet .* save it as “CSV UTF-8”"),
        (b"name\nA\0da\n", "is not a text file"),
        (
            b"name\nLovelace, Ada\n",
            'line 2 .* has 2 cells, .* Put a cell .* in quotes: "Lovelace, Ada"',
        ),
        (b'name\n"Ada\nBob\n', "is not CSV .* Does every quotation mark"),
        (b"name,id\nAda,7\nBob,8\nAda,7\n", r"lines 2 and 4 .* are both Ada \(7\). Delete one"),
    ],
)
def test_a_roster_that_cannot_be_read_says_what_to_write(tmp_path, content, said):
    with pytest.raises(RosterError, match=f"(?s){said}"):
        roster_of(tmp_path, content)


def test_a_bad_roster_is_told_before_anything_runs(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(grading, "_grade_notebook", lambda *_: pytest.fail("it was run"))
    nbformat.write(brief(), tmp_path / "ada.ipynb")
    for name in ("nowhere.csv", "."):
        assert main(["grade", str(tmp_path), "--roster", str(tmp_path / name), *WITHOUT]) == 1
        assert "Name a CSV file after --roster" in capsys.readouterr().err
    (tmp_path / "list.csv").write_text("x;y\n1;2\n")
    assert main(["grade", str(tmp_path), "--roster", str(tmp_path / "list.csv"), *WITHOUT]) == 1
    assert "Name one column `name`" in capsys.readouterr().err


def test_moodles_number_decides_and_the_name_only_without_it(tmp_path):
    """Two people may have the same name; then the report doesn't guess which of them handed in the file."""
    files = [
        row("Ada L_7_assignsubmission_file_/03.ipynb"),
        row("Eve_9_assignsubmission_file_/03.ipynb"),
    ]
    numbered = roster_of(
        tmp_path, "Identifier,Full name\nParticipant 7,Ada L\nParticipant 8,Ada L\n"
    )
    everybody = collect_class(files, numbered)
    assert [listed.number for listed in everybody.missing] == ["Participant 8"]
    assert [student.name for student in everybody.unlisted] == ["Eve"] and not everybody.unclear
    named = roster_of(tmp_path, "name,email\nAda L,a@x\nAda L,b@x\nBob,c@x\n")
    everybody = collect_class(files, named)
    assert [listed.name for listed in everybody.missing] == ["Bob"]
    assert [student.number for student in everybody.unclear] == ["7"]
    page = summary_page(everybody, {}, "grades.html")
    assert (
        "Missing: 1 of 3" in page
        and "not on the roster: 1" in page
        and "Not clear who this is on the roster: 1" in page
    )


def test_who_takes_the_name_of_another_stays_apart(tmp_path):
    """Two folders that fit one person: neither gets the other's points or feedback."""
    roster = roster_of(tmp_path, "name,id\nAda Lovelace,7\n")
    everybody = collect_class(
        [row("ada_lovelace/06.ipynb", {"ex_3": RIGHT}), row("7/06.ipynb")], roster
    )
    assert [(work.name, work.points) for work in everybody.works] == [("7", 0), ("ada_lovelace", 1)]
    assert (
        len(everybody.unclear) == 2
        and not everybody.missing
        and len(write_feedback(everybody)) == 2
    )


def test_canvas_is_called_as_on_the_roster(tmp_path):
    roster = roster_of(tmp_path, 'Student,ID\n"Lovelace, Ada",7\n"Li, Bob",8\n')
    everybody = collect_class([row("lovelaceada_7_8_03.ipynb")], roster)
    assert [work.name for work in everybody.works] == ["Lovelace, Ada"]
    assert table(missing_csv(everybody)) == [["name", "number"], ["Li, Bob", "8"]]


@pytest.mark.parametrize(
    "files",
    [
        ("hw_1_2_ada.ipynb", "hw_1_2_bob.ipynb"),  # sheet 1, exercise 2
        ("hw_1_2_ada.ipynb", "hw_1_3_bob.ipynb"),
        ("hw_1_2_06.ipynb", "hw_1_2_04.ipynb"),  # Canvas would give each file a number of its own
        ("group_7_8_homework.ipynb", "group_7_9_06.ipynb"),
    ],
)
def test_names_that_may_be_of_two_people_are_kept_apart_and_named(files):
    everybody = collect_class([row(file, {"ex_3": RIGHT}) for file in files])
    assert sorted(work.points for work in everybody.works) == [1, 1]
    assert everybody.apart == tuple(sorted(files)) and not everybody.together
    page = summary_page(everybody, {}, "grades.html")
    assert "Not clear whose these are" in page and all(file in page for file in files)
    assert canvas_csv(everybody) == ""


def test_no_two_students_are_called_the_same_in_the_report():
    """Files that were kept apart, and two people of one name with the numbers of Canvas."""
    files = (
        "hw_1_2_ada.ipynb",
        "hw_1_2_bob.ipynb",
        "li_7_8_06.ipynb",
        "li_9_5_06.ipynb",
        "zoe_3_4_06.ipynb",
    )
    rows = [row(file, {"ex_3": RIGHT}) for file in files]
    called = ["hw_1_2_ada", "hw_1_2_bob", "li (7)", "li (9)", "zoe"]
    assert [line[0] for line in table(csv_text(rows))[1:]] == called
    page = html_page(rows)
    assert "5 identical answers, passed: " + ", ".join(called) in page
    assert all(f">{name}</th>" in page for name in called)


def test_files_of_one_person_are_taken_together():
    ours = ("lovelaceada_7_8_06_printing_tape.ipynb", "lovelaceada_7_9_06_printing_tape-1.ipynb")
    everybody = collect_class([row(file) for file in ours])
    assert [work.student for work in everybody.works] == [Student("lovelaceada", "7", "Canvas")]
    assert "taken together by their names: 1" in summary_page(everybody, {}, "grades.html")
    files = [row("lovelaceada_7_8_homework.ipynb"), row("lovelaceada_7_9_more.ipynb")]
    assert len(collect_class(files).works) == 2, "uncertain without a roster"
    listed = [Listed("Lovelace, Ada", "7", (("id", "7"),))]
    everybody = collect_class(files, listed)
    assert [work.name for work in everybody.works] == ["Lovelace, Ada"]
    assert not everybody.apart and not everybody.together
    other = [Listed("Bob Li", "7", (("id", "7"),))]
    assert len(collect_class(files, other).works) == 2, (
        "the number is on the roster, and the name is another"
    )


def test_exercises_have_the_weights_of_a_file(tmp_path):
    path = tmp_path / "weights.csv"
    path.write_text("exercise,points\n06 ex 3,5\n\n06 ex 1,0\n", encoding="utf-8-sig")
    weights = read_weights(path)
    assert weights == {("printing_tape", "ex_3"): 5, ("printing_tape", "ex_1"): 0}
    most = 5 + 0 + len(NAMES) - 2
    passed = {"ex_3": RIGHT, "ex_1": RIGHT, "ex_2": WRONG}
    files = [
        row("Ada_7_assignsubmission_file_/06.ipynb", passed),
        row("Ada_7_assignsubmission_file_/06 old.ipynb", {"ex_1": RIGHT, "ex_2": RIGHT}),
        row("li_8_9_06.ipynb", passed),
    ]
    everybody = collect_class(files, weights=weights)
    assert [(work.name, work.points) for work in everybody.works] == [("Ada", 5), ("li", 5)]
    assert table(moodle_csv(everybody))[1][2:4] == ["5", str(most)]
    assert f"5 of {most} points." in table(moodle_csv(everybody))[1][5]
    assert [line[-1] for line in table(canvas_csv(everybody))[1:]] == [str(most), "5"]
    head, ada, _ = table(exercises_csv(everybody))
    assert dict(zip(head, ada, strict=True)) | {
        "06 ex 3": "5",
        "06 ex 1": "0",
        "06 ex 2": "0",
    } == dict(zip(head, ada, strict=True))
    page = summary_page(everybody, {}, "grades.html")
    assert "<h2>Points</h2>" in page and f"5 or more of {most} points" in page


@pytest.mark.parametrize(
    "text, said",
    [
        ("", "exercise,points"),
        ("06 ex 3,5\n", "doesn't begin with the titles"),
        (
            "exercise,points\n06 ex 99,5\n",
            "line 2 of the file of weights weights.csv: there is no exercise '06 ex 99'",
        ),
        ("exercise,points\n06 ex 3,-1\n", "Write a whole number, 0 or more"),
        ("exercise;points\n06 ex 3;2,5\n", "the points of 06 ex 3 are '2,5'"),
        ("exercise,points\n06 ex 3,1\n06 ex 3,2\n", "has points already"),
    ],
)
def test_weights_that_are_wrong_are_said_before_anything_runs(
    text, said, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    Path("weights.csv").write_text(text, encoding="utf-8")
    assert main(["grade", "hand-ins", "--weights", "weights.csv"]) == 1
    assert said in capsys.readouterr().err


def test_a_feedback_page_has_ones_own_and_nothing_else():
    rows = [
        row("ada/06.ipynb", {"ex_3": RIGHT}),
        row("ada/06 old.ipynb", {"ex_3": WRONG}),
        Row("ada/x.docx", "", "not a notebook, not opened"),
        row("bob/06.ipynb", {"ex_1": STRANGE}, doubts=("it changes the checks",)),
    ]
    everybody = collect_class(rows)
    pages = {student.name: each.page for student, each in write_feedback(everybody).items()}
    ada, bob = pages["ada"], pages["bob"]
    for said in (
        "1 of 7 exercises",
        "06.ipynb: ran",
        "x.docx: not a notebook",
        "✗ 3: not yet",
        "Another file of yours",
    ):
        assert said in ada
    assert "bob" not in ada and "I expect a pair" not in ada and "not final" not in ada
    assert "not final: your teacher will look" in bob and "changes the checks" not in bob
    comment = moodle_comment(everybody.works[0], everybody)
    assert "1 of 7" in comment and "✓ passed: 3" in comment and "x.docx: not a notebook" in comment


def test_moodle_gets_the_feedback_beside_the_grade():
    answer = replace(STRANGE, reply='not yet: <script>=1;-2</script>\n- "no"')
    _, line = table(
        moodle_csv(collect_class([row("Ada_7_assignsubmission_file_/06.ipynb", {"ex_3": answer})]))
    )
    assert html.unescape(line[5].replace("<br>", "\n")).endswith(
        '3: not yet: <script>=1;-2</script>\n- "no"\n… not attempted: 1, 2, 4, 5a, 5b, 6</p>'
    )
    assert "<script" not in line[5]
    for separator in ",;|\t":
        for cell in next(csv.reader([line[5]], delimiter=separator)):
            assert not re.match(r"""[\s"]*[=+\-@＝]""", cell)


HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "a\"b'c&d",
    "..",
    "con",
    "=1+1",
    "x" * 250,
    "é" * 120,
    "[a](javascript:b)",
    "A",
    "a",
)


def test_hostile_names_stay_in_their_files_and_are_only_text(tmp_path):
    answer = Answer("not yet", "<script>1</script>\n</section>", "</pre><script>", "</li><script>")
    rows = [
        row(f"{name}_{k}_assignsubmission_file_/06.ipynb", {"ex_1": answer})
        for k, name in enumerate(HOSTILE)
    ]
    rows += [
        row(f"{name}/06.ipynb", {"ex_1": answer}, doubts=("<script>",))
        for name in HOSTILE
        if name != ".."
    ]
    rows += [Row("<script>.docx", "", "<script>")]
    (tmp_path / "roster.csv").write_text("name,id\n<script>,=1+1\n=Eve,=2+2\n", encoding="utf-8")
    with open_report(tmp_path / "out", roster=read_roster(tmp_path / "roster.csv")) as add:
        for each in rows:
            add(each)
    pages = [*(tmp_path / "out" / "feedback").iterdir(), tmp_path / "out" / "summary.html"]
    assert len(pages) == len(rows) + 1, "one each, also where only capitals differ"
    assert len({page.name.casefold() for page in pages}) == len(pages)
    for page in [*pages, tmp_path / "out" / "grades.html"]:
        text = page.read_text(encoding="utf-8")
        assert (
            not re.search(r"<(script|img)", text)
            and text.count("<html") == 1
            and text.endswith("</html>\n")
        )
    summary = (tmp_path / "out" / "summary.html").read_text(encoding="utf-8")
    for target in re.findall(r'href="(feedback/[^"]*)"', summary):
        assert re.fullmatch(r"feedback/[\w%.~()-]+\.html", target)
    for name in ("missing.csv", "grades-exercises.csv", "grades-moodle.csv"):
        for line in table((tmp_path / "out" / name).read_text(encoding="utf-8-sig")):
            assert not any(re.match(r"""[\s"]*[=+\-@＝]""", cell) for cell in line)


@pytest.mark.skipif(os.name == "nt", reason="links need rights")
def test_feedback_is_not_written_through_a_link(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "page.html").write_text("kept")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "feedback").symlink_to(tmp_path / "mine")
    refused = pytest.raises(grading.GradingError, match="feedback is not a folder")
    with refused, open_report(tmp_path / "out", overwrite=True):
        pass
    assert os.listdir(tmp_path / "mine") == ["page.html"]


def test_the_feedback_of_an_earlier_run_goes_and_is_not_handed_in(tmp_path):
    """This holds even if the report's folder is among the hand-ins."""
    nbformat.write(brief("check.ex_3((5, 15))"), tmp_path / "ada.ipynb")
    for more in ([], ["--resume"], ["--overwrite"]):
        assert main(["grade", str(tmp_path), "--out", str(tmp_path), *more, *WITHOUT]) == 0
        assert len((tmp_path / "grades.csv").read_text().splitlines()) == 2
        assert os.listdir(tmp_path / "feedback") == ["ada-feedback.html"]
        (tmp_path / "feedback" / "bob-feedback.html").write_text("of an earlier run")


def test_identical_answers_are_there_once():
    """Trailing spaces don't matter; a different verdict, seed or letter makes a different answer."""
    spaced = replace(WRONG, code="answer = (5, 8)   \n\n")
    other = replace(WRONG, code="answer = (5,8)")
    rows = [
        row(f"{who}.ipynb", {"ex_3": answer})
        for who, answer in zip("abcd", (WRONG, spaced, other, RIGHT), strict=True)
    ]
    page = html_page(rows)
    assert page.count("<section") == 3 and "2 identical answers, not yet: a, b<" in page
    assert len(re.findall('href="#ex_3-a.ipynb"', page)) == 2, "both marks lead to it"


def test_points_are_given_exercise_by_exercise():
    rows = [
        row("ada/06.ipynb", {"ex_3": RIGHT, "ex_1": WRONG}),
        row("eve/06.ipynb", {"ex_3": RIGHT}, doubts=("odd",)),
    ]
    head, ada, eve = table(exercises_csv(collect_class(rows)))
    assert head[:6] == ["student", "number", "late", "look at this", "passed", "of"]
    assert dict(zip(head, ada, strict=True)) | {
        "06 ex 1": "0",
        "06 ex 3": "1",
        "06 ex 2": "",
    } == dict(zip(head, ada, strict=True))
    assert eve[3] == "odd" and not any(eve[6:]), "whoever looks at it decides"


def test_who_needs_somebody_is_named_first():
    rows = [
        row("a_good.ipynb", dict.fromkeys(NAMES, RIGHT)),
        row("b_idle.ipynb"),
        row("c_strange.ipynb", {"ex_1": STRANGE, "ex_2": RIGHT}),
        row("d_stuck.ipynb", dict.fromkeys(NAMES, WRONG)),
        row("e_slow.ipynb", {"ex_1": RIGHT}, "out of time after 120 s; what came before counts"),
        row("f_odd.ipynb", dict.fromkeys(NAMES, RIGHT), doubts=("it is odd",)),
        row("g_again.ipynb", ended="not run, and not its own fault: no room", judged=False),
        Row("h_word.docx", "", "not a notebook, not opened"),
    ]
    everybody = collect_class(rows)
    page = summary_page(everybody, {}, "grades.html")
    order = ["f_odd", "g_again", "h_word", "e_slow", "d_stuck", "c_strange", "b_idle"]
    assert re.findall(r"<th scope=row>(\w_\w+)</th>", page) == order
    assert find_reasons(everybody.works[0]) == []
    assert "wrong, but no mistake that the check recognises: 06 ex 1" in page
    many = collect_class([row(f"{k}.ipynb", doubts=("odd",)) for k in range(MAX_FIRST + 3)])
    assert "<p>And 3 more.</p>" in summary_page(many, {}, "grades.html")


def test_the_distribution_counts_everybody_once():
    rows = [row(f"{k}.ipynb", dict.fromkeys(NAMES[: k % 3], RIGHT)) for k in range(9)]
    # of 5.ipynb, which has passed two
    rows.append(row("5/06.ipynb", dict.fromkeys(NAMES[:1], RIGHT)))
    page = summary_page(collect_class(rows), {}, "grades.html")
    bars = re.findall(r"<tr><th scope=row>(\d+)</th>.*?<td>(\d+)</td></tr>", page)
    expected = dict.fromkeys("76543", "0") | {"2": "3", "1": "3", "0": "3"}
    assert dict(bars[: len(expected)]) == expected


@pytest.mark.skipif(os.name == "nt", reason="commands of a Unix shell")
def test_the_guides_parts_are_merged_and_nothing_is_graded_twice(tmp_path, capfd, monkeypatch):
    """Three parts on one machine, with the commands of the guide."""
    blocks = GUIDE.read_text(encoding="utf-8").split("```")
    (job,) = (
        block
        for block in blocks
        if "SLURM_ARRAY_TASK_ID" in block and block.startswith("\n#!/bin/bash")
    )
    (merge,) = (block for block in blocks if "--resume" in block and "cat " in block)
    for name in ("ada", "bob b", "carl", "-dora", "eve"):
        (tmp_path / "hand-ins" / name).mkdir(parents=True)
        nbformat.write(brief("check.ex_3((5, 15))"), tmp_path / "hand-ins" / name / "06.ipynb")
    (tmp_path / "hand-ins" / "fred.docx").write_bytes(b"PK")
    command = f'#!/bin/sh\nexec "{sys.executable}" -m autodiff_lab "$@" {" ".join(WITHOUT)}\n'
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "autodiff-lab").write_text(command)
    (tmp_path / "bin" / "autodiff-lab").chmod(0o755)
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    monkeypatch.chdir(tmp_path)
    for part in "012":
        environment = os.environ | {"SLURM_ARRAY_TASK_ID": part, "PATH": path}
        subprocess.run(["bash", "-euc", job], check=True, env=environment)
    assert [
        len((tmp_path / "graded" / part / "grades.csv").read_text().splitlines()) for part in "012"
    ] == [3, 3, 3]
    *before, last = merge.strip().splitlines()
    subprocess.run(["bash", "-euc", "\n".join(before)], check=True)
    ran = []
    real = grading._run_examiner
    monkeypatch.setattr(grading, "_run_examiner", lambda *a, **k: ran.append(a) or real(*a, **k))
    program, *options = last.split()
    assert program == "autodiff-lab" and main([*options, *WITHOUT]) == 0
    assert len(ran) == 1, "the trial, and no hand-in"
    graded = table((tmp_path / "grades" / "grades.csv").read_text(encoding="utf-8-sig"))
    assert sorted(line[0] for line in graded[1:]) == [
        "'-dora",
        "ada",
        "bob b",
        "carl",
        "eve",
        "fred",
    ]
    assert "not signed" not in capfd.readouterr().err
