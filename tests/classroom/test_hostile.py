"""Hand-ins that attack the grading, the machine and each other, and some that cheat: each costs only its own row.

All are graded twice at the same time, as whoever runs the tests and as the user `nobody`, among sleeping threads: the
machine is busy.
"""

import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import nbformat
import pytest

from autodiff_lab.classroom.grading.confinement import Limits, family_usage, why_no_sandbox
from autodiff_lab.classroom.grading.grade import grade
from autodiff_lab.classroom.grading.report import csv_text, html_page
from autodiff_lab.classroom.grading.verdicts import Row
from autodiff_lab.lessons.printing_tape import progress as lesson

from .test_confined import as_user

pytestmark = pytest.mark.skipif(bool(why_no_sandbox()), reason=why_no_sandbox())

SECONDS = 20  # one of them waits for all of it
EXERCISES = lesson.exercises()
RIGHT = f"{EXERCISES['ex_1'].reference}\ncheck.ex_1(answer)"
FINDS = "import gc; tell = next(x for x in gc.get_objects()"
FINDS += " if 'main.<locals>.write_finding' in getattr(x, '__qualname__', ''))"
"""Code that finds the examiner's write function in the memory of its own process."""
FLOODS = (
    "for _ in range(10**5): tell({'exercise': 'printing_tape.ex_3', "
    "'status': 'passed', 'observed': '[[1, 2]]', 'x': '#' * 99})"
)

HOSTILE = {
    "answers_never": "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
    "answers_that_are_themselves": "answer = []\nanswer.append(answer)\ncheck.ex_1(answer)\ncheck.ex_3(answer)",
    "answers_without_end": (
        "class Endless(tuple):\n    __len__ = lambda _: 2\n    __iter__ = lambda _: iter(lambda: bytearray(10**7), 1)\n"
        "check.ex_3(Endless())"
    ),
    "attaches_a_hook": "import sys; sys.addaudithook(lambda *_: 1 / 0)",
    "breaks_its_tools": "import json, os, sys; json.dumps = os.write = print = None; sys.modules.clear()",
    "closes_everything": "import os; os.closerange(0, 300)",
    "deletes_everything": (
        "import os, shutil, autodiff_lab as package\n"
        "for place in ('FOLDER', '/tmp', os.path.dirname(package.__file__)): shutil.rmtree(place, ignore_errors=True)"
    ),
    "exec_of_another": "import os; os.execv('/bin/sleep', ['sleep', '0'])",
    "fills_the_disk": "for k in range(999): open(f'/tmp/{k}', 'wb').write(bytes(10**6))",
    "fills_the_memory": (
        "import os, time\nfor _ in range(8): os.fork()\nx = bytearray(150_000_000)\ntime.sleep(99)"
    ),
    "floods_the_report": f"{FINDS}\n{FLOODS}",
    "forks_without_end": "import os\nwhile True: os.fork()",
    "kills_everything": (
        "import os\nfor pid in (-1, 1, os.getppid(), os.getpid()):\n    try: os.kill(pid, 9)\n    except OSError: pass"
    ),
    "leaves_a_daemon": "import os, time\nif not os.fork():\n    os.setsid()\n    os.fork()\n    time.sleep(321.123)",
    "makes_threads": (
        "import threading, time\nthreading.stack_size(65536)\n"
        "while True: threading.Thread(target=time.sleep, args=(99,)).start()"
    ),
    "reads_address_zero": "import ctypes; ctypes.string_at(0)",
    "raises_a_name": "raise type('\\x1b[2J\\n  7 of  7  ada.ipynb: ran', (Exception,), {'__str__': lambda _: 1 / 0})",
    "reads_the_others": (
        "import glob\nfor f in glob.glob('FOLDER/*') + glob.glob('/proc/[0-9]*/root/tmp/home/../../FOLDER/*'):\n"
        "    raise KeyError(f)"
    ),
    "tells_nonsense": f"{FINDS}\ntell({{'cell': [], 'raised': {{}}, 'exercise': {{}}, 'changed': 7}})",
    "tells_without_end": (
        "import os\nfor fd in range(3, 99):\n    try: os.write(fd, b'[' * 10**5 + b'{}\\n')\n    except OSError: pass"
    ),
}
ONE = "check.ex_3"
CHEATS = {
    "cheat_expects_another": f"{ONE}.expected = (7.0, 7.0)\n{ONE}((7.0, 7.0))",
    "cheat_fits_the_check": f"{ONE}.observe.__code__ = (lambda _: (5, 15)).__code__\n{ONE}(1)",
    "cheat_observes_another": f"{ONE}.observe = lambda _: (5, 15)\n{ONE}(1)",
    "cheat_patches_the_judge_and_restores_it": (
        f"from dataclasses import replace\nkind = type({ONE}); kept = kind._judge_all\n"
        f"kind._judge_all = lambda *_: replace({ONE}.hint(), status='passed')\n{ONE}(1)\nkind._judge_all = kept"
    ),
    "cheat_replaces_the_question_in_one_cell_and_restores_it_in_another": (
        f"kind = type({ONE}); kept = kind.__call__\nkind.__call__ = lambda *_: print('passed')",
        f"{ONE}(1)",
        "kind.__call__ = kept",
    ),
    "cheat_patches_the_observer_and_restores_it": (
        f"kept = {ONE}.observe\n{ONE}.observe = lambda _: (5, 15)\n{ONE}(1)\n{ONE}.observe = kept"
    ),
    "cheat_writes_and_leaves": (
        'import os\nline = b\'{"exercise": "printing_tape.ex_3", "status": "passed", "observed": "[[5, 15]]"}\\n\'\n'
        "for fd in range(3, 99):\n    try: os.write(fd, line)\n    except OSError: pass\nos._exit(0)"
    ),
    "unseen_reads_the_answer": f"{ONE}({ONE}.expected)",
    "unseen_writes_as_the_examiner": (
        f"{FINDS}\ntell({{'exercise': 'printing_tape.ex_3', 'status': 'passed', 'observed': '[[5, 15]]', 'cell': 3}})"
    ),
}
FILES = {
    "deep": b"[" * 10**6,
    "number": b'{"cells": ' + b"9" * 10**6 + b"}",
    "text": b"\xff\xfe",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    folder.chmod(0o755)
    handed = {"ada": "1", "zoë": "1"} | HOSTILE | CHEATS
    for name, acts in handed.items():
        cells = [acts] if isinstance(acts, str) else acts
        sources = [
            "from autodiff_lab.lessons import printing_tape as check",
            RIGHT,
            *(act.replace("FOLDER", str(folder)) for act in cells),
            RIGHT,
        ]
        nbformat.write(
            nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in sources]),
            folder / f"{name}.ipynb",
        )
    for name, content in FILES.items():
        (folder / f"{name}.ipynb").write_bytes(content)
    os.mkfifo(folder / "fifo.ipynb")
    os.mkfifo(folder / "my_progress.jsonl")
    (folder / "link.ipynb").symlink_to("/etc/passwd")
    (folder / "loop").symlink_to(".")
    with socket.socket(socket.AF_UNIX) as server, pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        server.bind("socket.ipynb")
        yield folder


@pytest.fixture(scope="module")
def graded(folder):
    """Return each user's rows, by name."""
    jobs = f"jobs=4, limits=Limits(seconds={SECONDS})"
    code = (
        "import sys\nfrom pathlib import Path\nfrom autodiff_lab.classroom.grading.grade import Limits, grade\n"
        f"grade(Path(sys.argv[1]), {jobs}, tell=lambda row: print(row.to_json(), flush=True))"
    )
    stop = threading.Event()
    sleepers = [threading.Thread(target=stop.wait, daemon=True) for _ in range(300)]
    for sleeper in sleepers:
        sleeper.start()
    found = {}
    try:
        other = None
        if os.geteuid() == 0:
            command = [*as_user(folder), sys.executable, "-c", code, str(folder)]
            other = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
        found["me"] = grade(folder, Limits(seconds=SECONDS), jobs=4)
        if other:
            said, complaint = other.communicate(timeout=120)
            assert (other.returncode, complaint) == (0, "")
            found["nobody"] = [Row.from_json(line) for line in said.splitlines()]
    finally:
        stop.set()
    return {user: {row.who: row for row in rows} for user, rows in found.items()}


@pytest.fixture(params=["me", "nobody"])
def rows(graded, request):
    if request.param not in graded:
        pytest.skip("only root can become another user; these tests have just run as one")
    return graded[request.param]


def test_everybody_has_a_row_and_the_honest_their_points(rows, folder):
    assert len(HOSTILE) == 20
    assert set(rows) == {"ada", "zoë", "fifo", "link", "loop", "socket"} | set(HOSTILE) | set(
        CHEATS
    ) | set(FILES)
    for who in ("ada", "zoë"):
        row = rows[who]
        assert (row.ended, row.doubts, row.passed, row.attempted) == ("ran", (), 1, 1)
        assert row.answers["ex_1"].attempts == 2
    assert all(row.judged for row in rows.values()), "nothing is put down to the machine"
    assert (folder / "ada.ipynb").is_file()


def test_what_came_before_the_attack_counts(rows):
    kept = {
        who
        for who in HOSTILE
        if rows[who].answers.get("ex_1") and rows[who].answers["ex_1"].state == "passed"
    }
    assert set(HOSTILE) - kept <= {"tells_nonsense", "breaks_its_tools"}, (
        "their own answers are all that they lose"
    )


def test_each_attack_is_told_as_what_it_is(rows):
    ended = {who: row.ended for who, row in rows.items()}
    assert ended["forks_without_end"].startswith("too many processes")
    assert ended["makes_threads"].startswith(("too many processes", "out of memory"))
    assert ended["fills_the_memory"].startswith(("out of memory", "too many processes"))
    assert ended["answers_never"].startswith(f"out of time after {SECONDS} s")
    assert (
        ended["fills_the_disk"].startswith("ran; 1 cell raises")
        and "OSError" in ended["fills_the_disk"]
    )
    assert ended["reads_the_others"] == ended["deletes_everything"] == "ran", (
        "there was nothing to be found"
    )
    assert "ran; 1 cell raises" in ended["raises_a_name"] and ended["raises_a_name"].isprintable()
    for who in ("kills_everything", "exec_of_another", "reads_address_zero", "closes_everything"):
        assert "ended before its last cell" in ended[who]
    for who in ("fifo", "link", "loop", "socket"):
        assert "not opened" in ended[who]
    for who in FILES:
        assert "not a notebook that can be read" in ended[who]
    assert rows["tells_nonsense"].doubts and rows["floods_the_report"].doubts


def test_nothing_is_left_running(graded):
    """Only this process and its descendants are looked at, since others may be grading too."""
    deadline = time.monotonic() + 10  # the kernel clears up behind the first process of each
    while family_usage(os.getpid())[1] >= 40 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert family_usage(os.getpid())[1] < 40


@pytest.mark.parametrize("who", [name for name in CHEATS if name.startswith("cheat")])
def test_a_cheat_is_pointed_at(rows, who):
    row = rows[who]
    assert row.doubts and "look at this" in row.how_it_went
    if "observe" not in who and "fits" not in who:
        assert row.answers.get("ex_3") is None or row.answers["ex_3"].state == "not yet"


@pytest.mark.parametrize("who", [name for name in CHEATS if name.startswith("unseen")])
def test_what_is_not_seen_is_said_in_the_guide(rows, who):
    """If grading detects one of these some day, this test fails and the guide has to be updated."""
    row = rows[who]
    assert row.answers["ex_3"].state == "passed" and not row.doubts
    guide = (Path(__file__).parents[2] / "notebooks" / "for_lecturers.md").read_text(
        encoding="utf-8"
    )
    said = " ".join(guide.split())
    assert "reading the answer from the package" in said and "memory of its process" in said
    if who == "unseen_reads_the_answer":
        assert "check.ex_3.expected" in row.answers["ex_3"].code, "the report shows it"


def test_the_report_holds_them_all(rows):
    page = html_page([*rows.values()])
    assert page.count("<tr>") >= len(rows) and not set(page) & set("\x1b\x00")
    assert len(csv_text([*rows.values()]).splitlines()) == len(rows) + 1
