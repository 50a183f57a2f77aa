"""A folder of handed-in notebooks: good, wrong, empty, crashing, endless and hostile ones; each costs its own row."""

import copy
import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from autodiff_lab.classroom.grading import grade as grading
from autodiff_lab.classroom.grading.confinement import why_no_sandbox
from autodiff_lab.classroom.grading.examiner import code_of, examine
from autodiff_lab.classroom.grading.grade import Limits, grade
from autodiff_lab.classroom.grading.report import (
    csv_text,
    default_folder,
    html_page,
    open_report,
    report_paths,
)
from autodiff_lab.classroom.grading.verdicts import Answer, Row
from autodiff_lab.cli.main import build_parser, main
from autodiff_lab.lessons.printing_tape import progress as lesson
from autodiff_lab.text.notation import escape

from ..notebooks.reading import fill_answers, named, read, without_still_pictures

ROOT = Path(__file__).parents[2]
WITHOUT = ["--unconfined"] if why_no_sandbox() else []
EXERCISES = lesson.exercises()
OPEN = read(named("printing_tape"))
GOOD = fill_answers(OPEN, EXERCISES)
SHORT = nbformat.from_dict(GOOD | {"cells": without_still_pictures(GOOD.cells)})


def wrong():
    """The first wrong answer that each exercise knows."""
    notebook = copy.deepcopy(OPEN)
    for cell in notebook.cells:
        for name, exercise in EXERCISES.items():
            if cell.cell_type == "code" and f"check.{name}(" in cell.source:
                cell.source = f"{exercise.misconceptions[0].written}\n\n{exercise.call}"
    return notebook


def with_cells(notebook, *sources, after=None):
    """A copy with cells put in after the first exercise, or at the end."""
    notebook = copy.deepcopy(notebook)
    first = next(k for k, cell in enumerate(notebook.cells) if "check.ex_1(" in cell.source)
    place = first + 1 if after is None else after
    notebook.cells[place:place] = [nbformat.v4.new_code_cell(source) for source in sources]
    return notebook


def states(row):
    return {name: answer.state for name, answer in row.answers.items()}


def met(row):
    return {name: answer.hint for name, answer in row.answers.items()}


def brief(*sources):
    """A notebook of the lesson that has only these cells."""
    cells = ["from autodiff_lab.lessons import printing_tape as check", *sources]
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])


@pytest.fixture(scope="module")
def outside(tmp_path_factory):
    return tmp_path_factory.mktemp("outside")


@pytest.fixture(scope="module")
def graded(tmp_path_factory, outside):
    """The rows of a class, by name."""
    if why_no_sandbox():
        pytest.skip(why_no_sandbox())
    folder = tmp_path_factory.mktemp("class")
    handed = {
        "good": GOOD,
        "wrong": wrong(),
        "empty": OPEN,
        "strange": with_cells(OPEN, "answer = ['\\x1b[2J', -77]", "check.ex_1(answer)"),
        "crashing": with_cells(SHORT, "raise RuntimeError('mine')", "undefined_name"),
        "endless": with_cells(SHORT, "import time\nwhile True: time.sleep(0.1)"),
        "hungry": with_cells(SHORT, "x = bytearray(10**12)", "import os; os.abort()"),
        "leaves": with_cells(SHORT, "import os; os._exit(0)"),
        "kills": with_cells(SHORT, "import os, signal; os.kill(os.getppid(), signal.SIGKILL)"),
        "cheats": with_cells(OPEN, "type(check.ex_1)._judge = lambda *_: 0 / 0", "check.ex_2(1)"),
        "shouts": with_cells(
            SHORT, "import os\nfor _ in range(300): os.write(1, b'{\"exercise\": 1}' * 50_000)"
        ),
        "destroys": with_cells(
            GOOD,
            f"import shutil; shutil.rmtree({str(folder)!r}, ignore_errors=True)",
            f"open({str(outside / 'evil')!r}, 'w').write('was here')",
            f"print(open({str(folder / 'good' / '03.ipynb')!r}).read())",
        ),
        "calls": with_cells(SHORT, "import socket; socket.create_connection(('127.0.0.1', 9), 2)"),
    }
    for name, notebook in handed.items():
        (folder / name).mkdir()
        nbformat.write(notebook, folder / name / "03.ipynb")
    (folder / "broken").mkdir()
    (folder / "broken" / "03.ipynb").write_text("{ not a notebook")
    (folder / "odd").mkdir()
    (folder / "odd" / "03.ipynb").write_text('{"cells": 7}')
    nbformat.write(nbformat.v4.new_notebook(), folder / "=cmd().ipynb")
    (folder / "good" / ".ipynb_checkpoints").mkdir()
    nbformat.write(OPEN, folder / "good" / ".ipynb_checkpoints" / "03-checkpoint.ipynb")
    rows = grade(folder, Limits(seconds=20))
    assert len(rows) == len(handed) + 3
    assert (folder / "good" / "03.ipynb").is_file(), "what was handed in is still there"
    return {row.who: row for row in rows}


def test_good_answers_pass(graded):
    row = graded["good"]
    assert (row.ended, row.lesson) == ("ran", "printing_tape")
    assert (
        row.passed == row.attempted == len(EXERCISES)
        and not any(met(row).values())
        and not row.doubts
    )


def test_wrong_answers_are_recognised(graded):
    row = graded["wrong"]
    assert (row.passed, row.attempted) == (0, len(EXERCISES))
    assert met(row) == {
        name: exercise.misconceptions[0].hint for name, exercise in EXERCISES.items()
    }


def test_an_empty_notebook_is_not_attempted(graded):
    assert graded["empty"].ended == "ran" and not graded["empty"].answers


def test_a_crash_stops_only_its_cell(graded):
    row = graded["crashing"]
    assert row.ended.startswith("ran; 2 cells raise") and "RuntimeError" in row.ended
    assert row.passed == len(EXERCISES)


def test_an_unrecognised_answer_is_shown_with_its_reply(graded):
    row = graded["strange"]
    assert states(row) == {"ex_1": "not yet"} and met(row) == {"ex_1": ""}
    answer = row.answers["ex_1"]
    assert answer.reply.startswith("Exercise 1, not yet: ") and "check.ex_1(answer)" in answer.code
    page = html_page([row])
    assert "check.ex_1(answer)" in page and page.count(escape(answer.reply)) >= 2, (
        "at its ✗, and in the list"
    )


@pytest.mark.parametrize("who", ["endless", "leaves", "hungry"])
def test_what_came_before_the_end_counts(graded, who):
    row = graded[who]
    assert (
        "out of time after 20 s" if who == "endless" else "ended before its last cell"
    ) in row.ended
    assert states(row) == {"ex_1": "passed"}


def test_whoever_changes_the_checks_is_pointed_at(graded):
    assert (
        "changes the checks" in graded["cheats"].doubts[0]
        and "Exercise._judge" in graded["cheats"].how_it_went
    )


def test_shouting_drowns_nobody(graded):
    assert graded["shouts"].lesson == "printing_tape" and set(graded["shouts"].answers) <= set(
        EXERCISES
    )


def test_nobody_reaches_the_files_of_others(graded, outside):
    assert not (outside / "evil").exists()
    row = graded["destroys"]
    assert "2 cells raise" in row.ended, "writing outside, and reading somebody's answers"
    assert row.passed == len(EXERCISES)


def test_nobody_reaches_the_network(graded):
    assert "OSError" in graded["calls"].ended or "ConnectionRefused" in graded["calls"].ended


def test_what_is_no_notebook_has_a_row(graded):
    for who in ("broken", "odd"):
        assert "not a notebook that can be read" in graded[who].ended
    assert "no lesson" in graded["=cmd()"].ended


def test_the_table_as_csv(graded):
    lines = list(csv.DictReader(io.StringIO(csv_text(list(graded.values())))))
    by_name = {line["who"]: line for line in lines}
    assert by_name["good"]["passed"] == str(len(EXERCISES)) == by_name["good"]["exercises"]
    assert by_name["wrong"]["wrong answers met"].startswith("1: ")
    assert "'=cmd()" in by_name, "a spreadsheet must not take a name for a formula"


def test_the_table_as_a_page():
    row = Row(
        "<b>ada</b>.ipynb",
        "printing_tape",
        "ran",
        ("ex_1",),
        {"ex_1": Answer("not yet", hint="x < y & z")},
    )
    page = html_page([row])
    assert "<b>ada" not in page and "&lt;b&gt;ada" in page and "x &lt; y &amp; z" in page
    assert "http" not in page.replace("http-equiv", ""), "it needs nothing else"
    assert "1 of 1: x &lt; y" in page, "what the class has met"


def test_how_it_went_stands_beside_the_name():
    """In a wide table the last columns are out of sight."""
    page = html_page([Row("ada.ipynb", "printing_tape", "ran", ("ex_1",))])
    assert re.findall(r'<th scope="col">([^<]*)', page) == ["who", "how it went", "passed", "1"]


def test_the_guide_names_the_limits_that_hold():
    guide = " ".join((ROOT / "notebooks" / "for_lecturers.md").read_text(encoding="utf-8").split())
    most = Limits()
    assert (
        f"together get {most.seconds} seconds" in guide
        and f"{most.megabytes} MB (`--megabytes`)" in guide
    )
    assert f"{most.processes} processes and threads" in guide
    assert f"{most.disk} MB to files, and {most.disk} MB to shared memory" in guide
    options = build_parser().parse_args(["grade", "."])
    assert (options.seconds, options.megabytes, options.unconfined) == (
        most.seconds,
        most.megabytes,
        False,
    )


def test_the_guides_container_holds_one_student_each(tmp_path, programs):
    """Its commands are run with a fake `docker` that only prints its arguments."""
    guide = (ROOT / "notebooks" / "for_lecturers.md").read_text(encoding="utf-8")
    (recipe,) = (block for block in guide.split("```") if "docker run" in block)
    programs("docker", f'echo "$@" >> {tmp_path}/asked\nfor last; do :; done')
    for name in ("ada", "bob b"):
        (tmp_path / "hand-ins" / name).mkdir(parents=True)
        (tmp_path / "grades" / name).mkdir(parents=True)
        (tmp_path / "grades" / name / "grades.csv").write_text(f"who\n{name}\n")
    path = f"{os.environ['PATH']}:{os.defpath}"
    done = subprocess.run(
        ["sh", "-euc", recipe], cwd=tmp_path, env={"PATH": path}, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "ada\nbob b\n"), done.stderr
    build, *runs = (tmp_path / "asked").read_text().splitlines()
    assert build.startswith("build ") and len(runs) == 2
    for name, run in zip(("ada", "bob b"), runs, strict=True):
        assert (
            f"--volume {tmp_path}/hand-ins/{name}:/in/{name}:ro --volume {tmp_path}/grades/{name}:/out"
            in run
        )
        assert "--network none --read-only" in run and "--pids-limit" in run and "--memory " in run
        command = run.partition(" autodiff-lab grade ")[2].split()
        assert build_parser().parse_args(["grade", *command]).unconfined


def test_a_report_is_not_written_over(tmp_path):
    with open_report(tmp_path):
        pass
    with pytest.raises(FileExistsError, match="--overwrite"), open_report(tmp_path):
        pass
    with open_report(tmp_path, overwrite=True):
        pass


def test_the_command(tmp_path, capsys):
    """It writes beside the hand-ins, not among them: who can write there could leave it a report to go on with."""
    folder = tmp_path / "class"
    folder.mkdir()
    nbformat.write(OPEN, folder / "ada.ipynb")
    assert main(["grade", str(folder), "--seconds", "60", *WITHOUT]) == 0
    said = capsys.readouterr().out
    assert (
        "0 of  7  ada.ipynb: ran" in said and (tmp_path / "class-grades" / "grades.html").is_file()
    )
    assert os.listdir(folder) == ["ada.ipynb"]
    assert main(["grade", str(folder), *WITHOUT]) == 1
    assert "is there already" in capsys.readouterr().err
    assert main(["grade", str(tmp_path / "nowhere")]) == 1
    assert "there are no notebooks" in capsys.readouterr().err


FORGES = "import gc; tell = next(x for x in gc.get_objects()"
FORGES += " if 'main.<locals>.write_finding' in getattr(x, '__qualname__', ''))"
"""It finds, in the memory of its own process, the function with which the examiner writes findings."""
TELLS = (
    r'tell(dict(exercise="printing_tape.ex_1", status="not yet", reply="\ud800\x1b[2J", '
    r'observed="[]", changed=["\x1b[0m"]))'
)
NAMES = [
    b"ada.ipynb",
    b"b\xe9a.ipynb",
    "b\xe9b.ipynb".encode(),
    b"carl\x1b[2J\n  7 of  7  dora.ipynb",
    "\u202eeve.ipynb".encode(),
]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are text")
def test_no_name_and_no_finding_loses_a_row_or_forges_a_line(tmp_path, monkeypatch):
    """The terminal can only show ASCII."""
    notebook = nbformat.writes(
        brief(FORGES, TELLS, "raise type('\x1b[31m\u202e', (Exception,), {})")
    ).encode()
    for name in NAMES:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_bytes(notebook)
    (tmp_path / "frank.ipynb").symlink_to("nowhere")
    screen = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", screen)
    out = tmp_path / "out"
    assert main(["grade", str(tmp_path), "--out", str(out), *WITHOUT]) == 0
    screen.flush()
    lines = screen.buffer.getvalue().decode("ascii").split("\n")
    assert len(lines) == len(NAMES) + 1 + 2 and "".join(lines).isprintable()
    table = list(csv.DictReader((out / "grades.csv").read_text(encoding="utf-8-sig").splitlines()))
    assert [line["file"] for line in table] == sorted(
        [
            "ada.ipynb",
            r"b\udce9a.ipynb",
            "béb.ipynb",
            r"carl\x1b[2J\n  7 of  7  dora.ipynb",
            r"\u202eeve.ipynb",
            "frank.ipynb",
        ]
    )
    for line in table:
        if line["who"] == "frank":
            assert "a link" in line["how it went"]
        else:
            assert line["attempted"] == "1" and r"\x1b[0m" in line["doubts"]
            assert r"\x1b[31m\u202e" in line["how it went"]
    page = (out / "grades.html").read_text(encoding="utf-8")
    assert r"\ud800\x1b[2J" in page and not set(page) & set("\x1b\u202e\ud800")


def test_rows_are_written_as_they_come(tmp_path):
    """However the grading ends, the finished results are kept, and in the end they are in order."""
    table, page = report_paths(tmp_path)
    with pytest.raises(KeyboardInterrupt), open_report(tmp_path) as add:
        add(Row("zoë.ipynb", "printing_tape", "ran"))
        assert "zoë.ipynb" in table.read_text(encoding="utf-8-sig")
        add(Row("ada.ipynb", "printing_tape", "ran"))
        raise KeyboardInterrupt
    lines = table.read_text(encoding="utf-8-sig").splitlines()
    assert [line.partition(",")[0] for line in lines] == ["who", "ada", "zoë"]
    assert "zoë" in page.read_text(encoding="utf-8")


def test_where_nothing_can_be_written_nothing_is_run(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(grading, "_grade_notebook", lambda *_: pytest.fail("it was run"))
    nbformat.write(brief(), tmp_path / "ada.ipynb")
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "file", tmp_path / "file" / "below", Path("/proc")):
        assert main(["grade", str(tmp_path), "--out", str(out), *WITHOUT]) == 1
        said = capsys.readouterr().err
        assert f"the grades cannot be written into {out}" in said and "--out DIR" in said


@pytest.fixture
def programs(tmp_path_factory, monkeypatch):
    """A folder that contains every program."""
    if os.name == "nt":
        pytest.skip("scripts stand for the programs")
    folder = tmp_path_factory.mktemp("bin")
    monkeypatch.setenv("PATH", str(folder))

    def put(name, script):
        (folder / name).write_text("#!/bin/sh\n" + script)
        (folder / name).chmod(0o755)

    return put


def test_without_bubblewrap_it_refuses_unless_told(tmp_path, capsys, programs):
    nbformat.write(brief(), tmp_path / "ada.ipynb")
    assert main(["grade", str(tmp_path)]) == 1
    said = capsys.readouterr()
    assert not said.out and "bubblewrap is not installed" in said.err and "--unconfined" in said.err
    assert not default_folder(tmp_path).exists()
    assert main(["grade", str(tmp_path), "--unconfined"]) == 0
    said = capsys.readouterr()
    assert "WARNING" in said.err and "delete your files" in said.err
    assert "ada.ipynb: ran" in said.out
    assert "without a sandbox (--unconfined)" in (
        default_folder(tmp_path) / "grades.html"
    ).read_text(encoding="utf-8")


def test_a_sandbox_that_fails_is_reported_once_and_blames_no_student(tmp_path, capsys, programs):
    programs("bwrap", "echo 'bwrap: No permissions \033[2J' >&2\nexit 1")
    for name in ("ada", "bob"):
        nbformat.write(brief(), tmp_path / f"{name}.ipynb")
    assert main(["grade", str(tmp_path)]) == 1
    said = capsys.readouterr()
    assert not said.out and said.err.count(r"bwrap: No permissions \x1b[2J") == 1
    assert "No hand-in was run" in said.err and not default_folder(tmp_path).exists()


@pytest.mark.skipif(bool(why_no_sandbox()), reason=why_no_sandbox())
def test_limits_too_small_for_any_notebook_are_reported_once(tmp_path, capsys):
    nbformat.write(brief(), tmp_path / "ada.ipynb")
    assert main(["grade", str(tmp_path), "--megabytes", "30"]) == 1
    said = capsys.readouterr()
    assert "not even an empty notebook" in said.err and "30 MB" in said.err and not said.out


@pytest.mark.skipif(bool(why_no_sandbox()), reason=why_no_sandbox())
def test_a_sandbox_that_fails_later_blames_no_student(tmp_path, capsys, programs):
    """It works twice: for the empty notebook, and for the first hand-in."""
    place, real = tmp_path, shutil.which("bwrap", path=os.defpath)
    programs(
        "bwrap",
        f"[ -e {place}/1 ] && [ -e {place}/2 ] && exit 1\n"
        f'if [ -e {place}/1 ]; then : > {place}/2; fi\n: > {place}/1\nexec {real} "$@"',
    )
    for name in ("ada", "bob"):
        nbformat.write(brief(), tmp_path / f"{name}.ipynb")
    assert main(["grade", str(tmp_path), "--jobs", "1"]) == 1
    said = capsys.readouterr()
    assert "ada.ipynb: ran" in said.out and "bob.ipynb: not run, and not its own fault" in said.out
    assert "1 of them could not be run, through no fault of theirs" in said.err


def test_a_seed_of_ones_own_is_graded_with_it(tmp_path):
    """Where the numbers are drawn by a seed, the file of progress beside the notebook tells which."""
    from autodiff_lab.lessons.dual_numbers import progress as second

    varied = next(each for each in second.exercises().values() if each.is_varied)
    cells = [
        "from autodiff_lab.lessons import dual_numbers as check",
        varied.instance("Ada").reference,
        varied.call,
    ]
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(source) for source in cells]
    )
    nbformat.write(notebook, tmp_path / "02.ipynb")
    assert grade(tmp_path, sandbox=not WITHOUT)[0].passed == 0
    (tmp_path / "my_progress.jsonl").write_text(
        json.dumps({"version": 1, "kind": "seed", "seed": "ada"}) + "\n"
    )
    assert grade(tmp_path, sandbox=not WITHOUT)[0].passed == 1


def test_the_examiner_reads_cells_in_either_form(tmp_path):
    document = {
        "cells": [
            {"cell_type": "code", "source": ["a = 1\n", "b = 2"]},
            {"cell_type": "code", "source": "c"},
        ]
    }
    (tmp_path / "n.ipynb").write_text(json.dumps(document))
    assert code_of((tmp_path / "n.ipynb").read_bytes()) == ["a = 1\nb = 2", "c"]


def test_a_cell_that_leaves_does_not_end_the_examination():
    found = list(examine(["exit()", "raise SystemExit", "import sys; sys.exit(3)", "1"]))
    assert found[-1] == {"end": True, "changed": []}


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="the signals of Unix")
def test_killing_ones_parent_costs_ones_own_row(graded):
    assert graded["kills"].lesson == "printing_tape"
    assert signal.SIGKILL
