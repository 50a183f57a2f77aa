"""Progress: kept in a file that may be missing, broken, shared, read-only or newer; and never in the way."""

import json
import os
import pkgutil
import signal
import stat
import subprocess
import sys

import pytest

import autodiff_lab.lessons
from autodiff_lab.lessons import printing_tape, start_here
from autodiff_lab.lessons.checks import progress_file
from autodiff_lab.lessons.checks.course import lessons
from autodiff_lab.lessons.checks.exercise import Exercise
from autodiff_lab.lessons.order import number_of

EXERCISES = len(printing_tape.progress.exercises())
DONE, NOTHING = (
    f"Notebook {number_of('printing_tape')}: {done} of {EXERCISES} exercises done."
    for done in (1, 0)
)


@pytest.fixture
def file(tmp_path, monkeypatch):
    path = tmp_path / "progress.jsonl"
    monkeypatch.setenv(progress_file.VARIABLE, str(path))
    monkeypatch.setattr(progress_file, "_session", [])
    return path


def quiz():
    return Exercise(
        "printing_tape.ex_3", expects="a number", expected=5, reference="answer = 5", praise="Yes."
    )


def events(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line]


def test_what_is_tried_and_passed_is_kept_once(file):
    one = quiz()
    for answer in (..., 4, 4, 5, 5, 4):
        one(answer)
    assert [event["kind"] for event in events(file)] == ["tried", "passed"]
    assert progress_file.states() == {"printing_tape.ex_3": "passed"}
    assert DONE in repr(printing_tape.progress())


def test_what_passed_at_the_first_try_is_not_noted_as_tried_later(file):
    one = quiz()
    for answer in (5, 4, 5):
        one(answer)
    assert [event["kind"] for event in events(file)] == ["passed"]


def test_nothing_is_written_unless_asked(tmp_path, monkeypatch):
    monkeypatch.delenv(progress_file.VARIABLE, raising=False)
    monkeypatch.setattr(progress_file, "_folder", tmp_path)
    monkeypatch.setattr(progress_file, "_session", [])
    quiz()(5)
    assert not list(tmp_path.iterdir())
    assert progress_file.states() == {"printing_tape.ex_3": "passed"}, "the session remembers"
    monkeypatch.setenv(progress_file.VARIABLE, "off")
    quiz()(4)
    assert not list(tmp_path.iterdir())


def test_progress_is_kept_for_a_notebook_and_not_for_a_program(tmp_path, monkeypatch):
    monkeypatch.delenv(progress_file.VARIABLE, raising=False)
    monkeypatch.delenv("PYTEST_CURRENT_TEST")
    monkeypatch.setattr(progress_file, "_folder", tmp_path)
    for can_be_asked in (True, False):

        class Shell:
            class kernel:
                _allow_stdin = can_be_asked

        monkeypatch.setitem(
            sys.modules, "IPython", type("IPython", (), {"get_ipython": staticmethod(Shell)})
        )
        assert progress_file._path() == (tmp_path / progress_file.FILE if can_be_asked else None)
    # JupyterLite's kernel says nothing of whom it can ask
    monkeypatch.setitem(sys.modules, "pyodide_kernel", object())
    assert progress_file._path() == tmp_path / progress_file.FILE


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe\x00",
        b"[[[[",
        b'null\n3\n[]\n{}\n"x"',
        b'{"version": 1, "kind": ["passed"], "exercise": {}}',
        b'{"version": 1, "kind": "passed", "exercise": "printing_tape.ex_3"',
        b'{"version": 1, "kind": "passed"}\n{"version": "1", "kind": "seed", "seed": 3}',
        b"[" * 100_000,
    ],
)
def test_a_broken_file_costs_only_what_is_broken(file, content):
    file.write_bytes(content)
    assert quiz()(5).passed
    assert progress_file.states()["printing_tape.ex_3"] == "passed"
    assert DONE in repr(printing_tape.progress())


def test_a_line_that_was_cut_off_does_not_take_the_next_with_it(file):
    file.write_text('{"version": 1, "kind": "pas')
    quiz()(5)
    assert progress_file.states() == {"printing_tape.ex_3": "passed"}


def test_a_progress_file_of_a_later_version_is_read_and_kept(file):
    later = (
        '{"version": 2, "kind": "passed", "exercise": "printing_tape.ex_1", "how": "elegantly"}\n'
    )
    file.write_text(later + '{"version": 1, "kind": "passed", "exercise": "printing_tape.ex_3"}\n')
    assert progress_file.states() == {"printing_tape.ex_3": "passed"}
    assert "later version" in repr(printing_tape.progress())
    printing_tape.ex_1("?")
    assert file.read_text().startswith(later)


def test_a_folder_in_the_place_of_the_file(file):
    file.mkdir()
    assert quiz()(5).passed
    assert DONE in repr(printing_tape.progress()) and "only this session" in repr(
        printing_tape.progress()
    )
    assert NOTHING in repr(printing_tape.progress.reset())


def test_a_folder_that_does_not_exist_or_is_nobodys(monkeypatch, tmp_path):
    for path in (tmp_path / "gone" / "file", "/proc/progress", "a\0b"):
        if "\0" not in str(path):
            monkeypatch.setenv(progress_file.VARIABLE, str(path))
        else:
            monkeypatch.setattr(progress_file, "_path", lambda: tmp_path / "a\0b")
        monkeypatch.setattr(progress_file, "_session", [])
        assert quiz()(5).passed
        assert DONE in repr(printing_tape.progress())
        printing_tape.progress.reset()
        assert NOTHING in repr(printing_tape.progress())


def test_two_kernels_at_once(file):
    code = (
        "import sys; from autodiff_lab.lessons.checks import progress_file\n"
        "for k in range(40): progress_file.note(f'ex_{sys.argv[1]}_{k}', 'passed')"
    )
    both = [subprocess.Popen([sys.executable, "-c", code, name]) for name in ("a", "b")]
    assert [one.wait(60) for one in both] == [0, 0]
    assert len(progress_file.states()) == 80


def test_reset_is_one_call(file):
    printing_tape.ex_3((0, 0))
    printing_tape.ex_3.hint()
    printing_tape.seed("Ada")
    assert NOTHING in repr(printing_tape.progress.reset())
    assert not file.exists() and progress_file.current_seed() is None
    assert printing_tape.ex_3.hints_given == printing_tape.ex_3.attempts == 0


def test_reset_where_the_file_cannot_be_removed(file, monkeypatch):
    quiz()(5)

    def refuse(*args, **kwargs):
        raise PermissionError

    monkeypatch.setattr(type(file), "unlink", refuse)
    printing_tape.progress.reset()
    assert progress_file.states() == {} and file.exists()
    quiz()(5)
    assert progress_file.states() == {"printing_tape.ex_3": "passed"}


def test_a_seed_holds_in_every_notebook_until_taken_back(file):
    assert progress_file.current_seed() is None
    printing_tape.seed("Ada Lovelace")
    assert progress_file.current_seed() == "ada lovelace"
    assert "ada lovelace" in repr(start_here.progress())
    start_here.seed(None)
    assert progress_file.current_seed() is None


def test_a_seed_is_text_and_no_markup(file):
    page = printing_tape.seed("<script>\x00\ud800</script>")._repr_html_()
    assert "<script" not in page
    repr(printing_tape.progress()).encode()


def test_the_table_can_be_read_aloud(file):
    quiz()(5)
    page = printing_tape.progress()._repr_html_()
    assert page.count("<table>") == 2 and page.count("<caption") == 2
    assert 'scope="col"' in page and 'scope="row"' in page
    assert "✓ done" in page, "a word, and not a colour alone"


def test_every_lesson_is_in_the_course():
    course = lessons()
    packages = {
        found.name for found in pkgutil.iter_modules(autodiff_lab.lessons.__path__) if found.ispkg
    }
    assert packages - {"checks", "examples"} == {each.slug for each in course}
    assert all(each.exercises() for each in course)


def test_a_report_that_cannot_be_made_is_a_sentence(file, monkeypatch):
    monkeypatch.setattr(progress_file, "states", lambda: 1 / 0)
    assert repr(printing_tape.progress()) == "Progress cannot be shown (ZeroDivisionError)."


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes on Windows")
def test_a_pipe_in_the_place_of_the_file_does_not_hang(file):
    os.mkfifo(file)
    before = signal.signal(signal.SIGALRM, lambda *_: pytest.fail("it hangs"))
    signal.alarm(5)
    try:
        quiz()(5)
        assert progress_file.states() == {"printing_tape.ex_3": "passed"}, "the session remembers"
        assert "progress.jsonl is not a file: only this session is shown" in progress_file.trouble()
        assert DONE in repr(printing_tape.progress())
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    assert stat.S_ISFIFO(file.stat().st_mode)
