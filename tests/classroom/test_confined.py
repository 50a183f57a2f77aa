"""The sandbox of a hand-in, tested from inside as root and as a user: files, network, system calls and limits."""

import ast
import contextlib
import os
import platform
import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from autodiff_lab.classroom.grading import confinement
from autodiff_lab.classroom.grading.confinement import (
    Limits,
    family_usage,
    run_confined,
    why_no_sandbox,
)

pytestmark = pytest.mark.skipif(bool(why_no_sandbox()), reason=why_no_sandbox())

ROOT = Path(__file__).parents[2]
LIB = f"{sys.prefix}/lib"
SMALL = Limits(seconds=20, megabytes=300, processes=40, disk=20)


def run(code, limits=SMALL, **options):
    return run_confined([sys.executable, "-c", code], {"mine.txt": b"mine"}, limits, **options)


def said(code, **options):
    done = run(code, **options)
    assert (done.ended, done.code) == ("finished", 0), done.last_error
    return done.output.decode().strip()


def test_a_hand_in_has_its_files_and_may_change_them():
    assert said("open('mine.txt', 'a').write('!'); print(open('mine.txt').read())") == "mine!"


def test_a_hand_ins_folders_are_its_own_and_empty():
    """Except for the folders that lead to Python, if it is installed there."""
    places = [Path(name) for name in ("/tmp", "/home", "/run", "/dev/shm")]
    seen = said(
        f"import os; print(*map(os.listdir, {[*map(str, places)]}), sep='\\n')"
    ).splitlines()
    for place, names in zip(places, map(ast.literal_eval, seen), strict=True):
        ways = {
            path.relative_to(place).parts[0]
            for path in confinement._python_paths()
            if path.is_relative_to(place)
        }
        assert set(names) - ways == ({"home"} if place == Path("/tmp") else set())


def test_files_of_others_are_not_there(tmp_path):
    kept = [
        tmp_path / "other.ipynb",
        Path.home() / ".bashrc",
        Path("/etc/passwd"),
        ROOT / "README.md",
        ROOT / "tests",
    ]
    (tmp_path / "other.ipynb").write_text("{}")
    assert sum(map(os.path.exists, kept)) >= 4, "they exist outside the sandbox"
    assert (
        said(f"import os; print(*map(os.path.exists, {[*map(str, kept)]}))")
        == "False " * 4 + "False"
    )


def test_a_folder_can_be_hidden_inside_one_that_is_shown():
    lessons = confinement.PACKAGE / "lessons"
    look = f"import os; print(len(os.listdir({str(lessons)!r})))"
    assert int(said(look)) > 5
    assert said(look, hidden=[lessons]) == "0"


@pytest.mark.parametrize("place", ["/", "/usr", "/dev", "/home", "/run", "/etc", str(ROOT), LIB])
def test_a_hand_in_writes_nowhere_else(place):
    tried = f"import os\ntry: open({place + '/was_here'!r}, 'w')\nexcept OSError: print('refused')"
    # A folder between /tmp and Python is in memory, too.
    assert said(tried) == ("" if Path(place).is_relative_to("/tmp") and place != LIB else "refused")
    assert not Path(place, "was_here").exists()


def test_no_socket_answers(tmp_path, monkeypatch):
    path = str(tmp_path / "s")[-100:]
    with (
        socket.socket(socket.AF_UNIX) as unix,
        socket.socket(socket.AF_UNIX) as abstract,
        socket.socket() as tcp,
    ):
        monkeypatch.chdir(tmp_path)  # the address of a socket is short
        unix.bind("s")
        abstract.bind(f"\0{path}")
        tcp.bind(("127.0.0.1", 0))
        for each in (unix, abstract, tcp):
            each.listen()
        ways = [
            ("AF_UNIX", str(tmp_path / "s")),
            ("AF_UNIX", f"\0{path}"),
            ("AF_INET", tcp.getsockname()),
            ("AF_INET", ("1.1.1.1", 53)),
        ]
        code = (
            "import socket\n"
            f"for family, address in {ways!r}:\n"
            "    try: print('open', socket.socket(getattr(socket, family)).connect(address))\n"
            "    except OSError: print('shut')"
        )
        sandboxed = said(code).split()
        without = said(code.replace(repr(ways), repr(ways[:3])), sandbox=False)
    assert sandboxed == ["shut"] * 4
    assert without.count("open") == 3, "the same code connects to all three without the sandbox"


def test_the_lecturers_environment_stays_outside(monkeypatch):
    monkeypatch.setenv("MY_TOKEN", "secret")
    assert "secret" not in said("import os; print(os.environ)")


def test_a_hand_in_has_no_capabilities_even_as_root():
    mounts = "mount -o remount,rw /usr; mount -t tmpfs none /home; unshare --user true"
    code = f"import subprocess as s; print([s.call(each, shell=True, stderr=-3) != 0 for each in {mounts.split('; ')}])"
    assert said(code) == "[True, True, True]"
    assert "CapEff:\t0000000000000000" in said("print(open('/proc/self/status').read())")


# Opened for writing and closed again: nothing is written.
OPENS_FOR_WRITING = """
import os
for place, folders, names in os.walk("/proc"):
    folders[:] = [name for name in folders if not name.isdecimal()]
    for path in (os.path.join(place, name) for name in names):
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
            print(path)
        except OSError:
            pass
"""


def test_no_setting_of_the_kernel_can_be_written():
    """The settings apply to the whole machine, and root may write them even after it has dropped its capabilities."""
    assert said(OPENS_FOR_WRITING) == ""


def test_proc_shows_only_what_a_notebook_needs():
    private = [
        f"/proc/{name}"
        for name in ("keys", "key-users", "kallsyms", "timer_list", "cmdline", "slabinfo")
    ]
    there = [path for path in private if Path(path).exists()]
    assert len(there) >= 3, "they exist outside the sandbox"
    reads = f"for path in {there}:\n    try: print(open(path).read()[:9])\n    except OSError: pass"
    assert said(reads) == ""
    assert "MemTotal" in said(
        "print(open('/proc/meminfo').read(), open('/proc/self/status').read())"
    )


HAS_FILTER = pytest.mark.skipif(
    platform.machine() not in confinement.MACHINES, reason=f"no filter for {platform.machine()}"
)


@HAS_FILTER
def test_refused_system_calls_do_not_exist():
    """The lecturer's keyring, io_uring and others. Outside the sandbox, none of these calls fails with ENOSYS."""
    column = [*confinement.MACHINES].index(platform.machine())
    numbers = {
        name: each[column] for name, each in confinement.REFUSED_CALLS.items() if each[column] >= 0
    }
    assert {"add_key", "request_key", "keyctl", "io_uring_setup", "userfaultfd"} <= set(numbers)
    code = (
        "import ctypes, errno\ncall = ctypes.CDLL(None, use_errno=True).syscall\n"
        f"for name, number in {numbers}.items():\n"
        "    if call(number, 0, 0, 0, 0, 0) != -1 or ctypes.get_errno() != errno.ENOSYS: print(name)"
    )
    assert said(code) == ""


def test_the_numbers_of_calls_are_those_of_the_kernels_headers():
    for column, header in enumerate(("x86_64-linux-gnu/asm/unistd_64.h", "asm-generic/unistd.h")):
        path = Path("/usr/include", header)
        if not path.exists():
            continue
        numbers = dict(re.findall(r"#define __NR_(\w+)\s+(\d+)", path.read_text()))
        for name, each in {
            **confinement.REFUSED_CALLS,
            **confinement.CALLS_FOR_SOCKETS,
            **confinement.CALLS_FOR_OPTIONS,
        }.items():
            assert int(numbers.get(name, -1)) == each[column], (header, name)


@HAS_FILTER
def test_only_sockets_inside_the_sandbox_work():
    """AF_VSOCK ignores namespaces: it connects a virtual machine with its host."""
    code = (
        "import socket\nfor name in dir(socket):\n    for kind in range(1, 6) if name.startswith('AF_') else ():\n"
        "        try: print(socket.socket(getattr(socket, name), kind) and name)\n        except OSError: pass"
    )
    assert set(said(code).split()) == {"AF_UNIX"}
    asks = "import asyncio; print(asyncio.run(asyncio.sleep(0, 'works')))"
    assert said(asks) == "works"


@HAS_FILTER
def test_memory_that_the_kernel_holds_for_sockets_counts():
    """These sockets are empty: what counts is how much they could hold."""
    opens = "kept = [socket.socketpair() for _ in range(100)]"
    code = f"import os, socket, time\nfor _ in range(3): os.fork()\n{opens}\ntime.sleep(60)"
    assert run(code).ended == "out of memory"
    larger = "import socket\nsocket.socketpair()[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 10**6)"
    assert run(larger).last_error.startswith("OSError")


def test_memory_that_the_kernel_holds_for_names_of_files_counts():
    code = "import os, time\nfor k in range(100_000): os.mknod(f'/tmp/{k}')\ntime.sleep(60)"
    assert run(code, Limits(20, 120, 40, 20)).ended == "out of memory"


def test_few_files_can_be_open_at_a_time():
    done = run("kept = [open('/dev/null') for _ in range(300)]")
    assert "Too many open files" in done.last_error


def test_a_hand_in_cannot_raise_its_priority():
    limits = (
        "import resource as r; "
        "print([r.getrlimit(each) for each in (r.RLIMIT_RTPRIO, r.RLIMIT_NICE)])"
    )
    assert said(limits) == "[(0, 0), (0, 0)]"


FORKS = """\
import os, time
for _ in range({0}):
    if not os.fork():
        {1}
        time.sleep(60)
time.sleep(60)"""


def test_memory_is_counted_for_all_processes_together():
    """None of the processes exceeds the limit alone."""
    assert run(FORKS.format(4, "x = bytearray(100_000_000)")).ended == "out of memory"


@HAS_FILTER
def test_memory_that_no_process_holds_is_refused():
    """It could not be measured. Outside the sandbox, the same calls succeed."""
    code = (
        "import ctypes, os\n"
        "try: os.memfd_create('x'); print('made')\n"
        "except OSError: print('refused')\n"
        "print('refused' if ctypes.CDLL(None).shmget(0, 4096, 0o1600) < 0 else 'made')"
    )
    assert said(code) == "refused\nrefused"
    assert said(code.replace("shmget(0, 4096, 0o1600)", "getpid()"), sandbox=False) == "made\nmade"


def test_too_much_memory_for_one_process_is_a_memory_error():
    assert run("bytearray(400_000_000)").last_error.startswith("MemoryError")


@pytest.mark.parametrize("place", ["/tmp", "/tmp/home", "/dev/shm", "."])
def test_the_total_of_what_is_written_is_limited(place):
    code = f"for k in range(99): open(f'{place}/{{k}}', 'wb').write(bytes(1_000_000)); print(k, flush=True)"
    done = run(code)
    assert 15 <= len(done.output.split()) <= 20, "of 20 MB"
    assert "No space left" in done.last_error


def test_processes_and_threads_are_counted_together():
    assert run(FORKS.format(50, "pass")).ended == "too many processes"
    threads = "import threading, time\nfor _ in range(50): threading.Thread(target=time.sleep, args=(60,)).start()"
    assert run(threads, Limits(20, 4000, 40)).ended == "too many processes"


def test_a_fork_bomb_is_killed():
    assert run("import os\nwhile True: os.fork()").ended == "too many processes"
    few_megabytes = Limits(seconds=20, megabytes=250, processes=400)
    assert (
        run(FORKS.format(60, "x = bytearray(5_000_000)"), few_megabytes).ended
        == "too many processes"
    )
    assert family_usage(os.getpid())[1] < 40, "none of its processes is left"


def test_a_program_that_delays_the_measurement_is_not_out_of_time(monkeypatch):
    """A fork bomb can delay the count of its processes until its time is over."""
    monkeypatch.setattr(confinement, "family_usage", lambda *_: (0.0, time.sleep(0.3) or 1000))
    assert (
        run("import time; time.sleep(99)", Limits(seconds=0.2, processes=40)).ended
        == "too many processes"
    )


def test_a_program_that_has_not_computed_is_not_blamed_at_once(monkeypatch):
    """Other programs may have slowed it down, or used up the machine's memory."""
    monkeypatch.setattr(confinement, "BUSY_SHARE", 0.2)  # this machine may be busy itself
    slept, computed = (
        run("import time; time.sleep(99)", Limits(2)),
        run("while True: pass", Limits(2)),
    )
    assert (slept.ended, slept.crowded) == ("out of time", True)
    assert (computed.ended, computed.crowded) == ("out of time", False)
    free = iter([8e9, 8e9, 4e8])
    monkeypatch.setattr(confinement, "_free_bytes", lambda: next(free))
    ended = run("import time; time.sleep(99)")
    assert (ended.ended, ended.crowded) == ("out of memory", True)


def test_a_detached_process_ends_with_its_hand_in():
    code = "import subprocess as s; s.Popen(['sleep', '77.123'], start_new_session=True, stdout=-3, stderr=-3)"
    assert run(code).ended == "finished"
    deadline = time.monotonic() + 10  # the kernel ends the others after the first process
    while is_running(b"77.123") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_running(b"77.123")


def is_running(argument):
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # the process has ended
            if argument in path.read_bytes():
                return True
    return False


def test_the_sandbox_holds_for_an_ordinary_user():
    tests = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        "0",
        "-p",
        "no:cacheprovider",
        "-k",
        "not ordinary_user",
    ]
    done = subprocess.run(
        [*as_user(), *tests, __file__], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0 and " skipped" not in done.stdout, (
        done.stdout[-3000:] + done.stderr[-1000:]
    )


def test_an_ordinary_user_with_600_threads_grades_as_usual(tmp_path_factory):
    """The system counts the threads of all programs of a user; they don't count towards a hand-in's limit."""
    folder = tmp_path_factory.mktemp("busy")
    folder.chmod(0o755)
    shutil.copy(ROOT / "notebooks" / "03_tape.ipynb", folder)
    (folder / "shut").mkdir()
    for name in ("shut.ipynb", "shut/inside.ipynb"):
        (folder / name).write_text("{}")
    (folder / "shut.ipynb").chmod(0)
    (folder / "shut").chmod(0o744)
    busy = (
        "import sys, threading, time\n"
        "for _ in range(600): threading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n"
        "from autodiff_lab.__main__ import main\n"
        f"sys.exit(main(['grade', {str(folder)!r}, '--out', '/tmp/grades-of-nobody', '--overwrite']))"
    )
    done = subprocess.run(
        [*as_user(folder), sys.executable, "-c", busy], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "03_tape.ipynb: ran\n" in done.stdout
    assert done.stdout.count("the file cannot be read (Permission denied)\n") == 2


def as_user(*also):
    """Return the beginning of a command that runs as the user `nobody`, with a Python which that user can read."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user; these tests have just run as one")
    if not shutil.which("setpriv"):
        pytest.skip("there is no setpriv to become another user with")
    places = [path for path in (*confinement._python_paths(), ROOT, *also) if path.exists()]
    closed = {
        parent for path in places for parent in path.parents if not parent.stat().st_mode & 1
    } | {Path("/tmp")}
    bwrap = ["bwrap", "--dev-bind", "/", "/", "--tmpfs", "/tmp", "--chmod", "1777", "/tmp"]
    for path in sorted(closed - {Path("/tmp")}):
        bwrap += ["--tmpfs", str(path)]
    for path in places:
        between = [
            parent for parent in reversed(path.parents) if closed.intersection(parent.parents)
        ]
        bwrap += [option for parent in between for option in ("--dir", str(parent))]
        if closed.intersection(path.parents):
            bwrap += ["--bind", str(path), str(path)]
    user = [
        "setpriv",
        "--reuid",
        "65534",
        "--regid",
        "65534",
        "--clear-groups",
        "env",
        "HOME=/nonexistent",
    ]
    return [*bwrap, *user, f"PYTHONPATH={os.pathsep.join([str(ROOT), *sys.path])}"]
