"""Run the JupyterHub of the lecturers' page with simulated students, on Linux.

    python .ci/hub_works.py [--students N]

The page's commands run word for word, in separate namespaces: accounts, homes, /opt, /srv and the network are
private copies, which disappear when this program ends, even if it crashes. That needs root, or sudo. JupyterHub is
installed into the environment of this Python, in the versions that the page pins.

Each student logs in with a password, gets a server, opens notebook 03, runs it to its end with good answers and saves
it. One of them then tries to break the limits. The hub is stopped and started again with short timeouts, so that it
stops an idle kernel and an idle server; the students' work must still be there.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
GUIDE = ROOT / "notebooks/for_lecturers.md"
NOTEBOOK = "03_tape.ipynb"
HUB = "http://127.0.0.1:8000"
PASSWORD = "chain rule 2026"
NAMES = ("ada", "bea", "cy", "dan", "eve", "fay", "gus", "hal", "ida", "jo", "kim", "lou")
PATIENCE_S = 120

# Code that must fail on a student's server. Its last line of output begins with "refused" or with "ALLOWED".
ATTEMPTS = {
    "to take 3 GB of memory": """
try:
    big = bytearray(3 * 10**9)
    print("ALLOWED")
except MemoryError:
    print("refused")
""",
    "to start 400 processes": """
import os, signal, time
started = []
try:
    while len(started) < 400:
        process = os.fork()
        if process == 0:
            time.sleep(60)
            os._exit(0)
        started.append(process)
    print("ALLOWED")
except BlockingIOError:
    print("refused after", len(started))
finally:
    for process in started:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
""",
    "to write a file of 300 MB": """
import os
try:
    with open("large", "wb") as file:
        file.truncate(300 * 10**6)
    print("ALLOWED")
except OSError as error:
    print("refused", error.strerror)
finally:
    os.remove("large")
""",
    "to open 2000 files": """
files = []
try:
    while len(files) < 2000:
        files.append(open("/dev/null"))
    print("ALLOWED")
except OSError as error:
    print("refused after", len(files))
finally:
    for file in files:
        file.close()
""",
    "to raise a limit": """
import resource
try:
    resource.setrlimit(resource.RLIMIT_DATA, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    print("ALLOWED")
except (ValueError, PermissionError):
    print("refused")
""",
    "to read the notebooks of another": """
import os
try:
    print("ALLOWED", os.listdir("/home/bea"))
except PermissionError:
    print("refused")
""",
    "to read the hub's keys and configuration": """
try:
    open("/srv/autodiff-lab/jupyterhub_config.py").read()
    print("ALLOWED")
except PermissionError:
    try:
        open("/srv/autodiff-lab/state/cookie_secret").read()
        print("ALLOWED")
    except PermissionError:
        print("refused")
""",
    "to change the shared environment or the class's notebooks": """
import os, sys
places = [sys.prefix, os.path.realpath("/opt/autodiff-lab"), "/srv/autodiff-lab/notebooks"]
writable = [
    folder for place in places for folder, _, _ in os.walk(place) if os.access(folder, os.W_OK)
]
print("ALLOWED" if writable else "refused", writable[:3])
""",
}
# Kernels on TCP could be overheard by the other users of the machine.
ENCRYPTED = """
import json, os
from ipykernel.connect import get_connection_file
connection = json.load(open(get_connection_file()))
mode = os.stat(get_connection_file()).st_mode & 0o777
print(connection["transport"], sorted(key for key in connection if "curve" in key), oct(mode))
"""


def say(text: str) -> None:
    print(f"   {text}", flush=True)


def run(*command: str | Path, **options: Any) -> str:
    """Run a command and return its output; if it fails, print the output and exit."""
    done = subprocess.run(
        [*map(str, command)], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))[:300]}\nfailed:\n{done.stdout[-6000:]}")
    return done.stdout


def guide_commands(first: str) -> list[str]:
    """Return the commands of the page's one block that contains this text, without their `sudo`."""
    blocks = GUIDE.read_text(encoding="utf-8").split("```")[1::2]
    found = [block for block in blocks if first in block]
    assert len(found) == 1, f"{GUIDE.name} has {len(found)} blocks with {first!r}, not one"
    return [line.replace("sudo ", "") for line in found[0].strip().splitlines()]


def install(folder: Path) -> Path:
    """Install what the page installs besides our package, in its versions; return the folder of the proxy's command."""
    commands = "\n".join(guide_commands("configurable-http-proxy"))
    pins = re.findall(r"\bjupyterhub[\w-]*==[\d.]+", commands)
    assert len(pins) == 2, pins
    (proxy,) = re.findall(r"configurable-http-proxy@[\d.]+", commands)
    run(sys.executable, "-m", "pip", "install", "-q", *pins)
    quiet = ("--no-audit", "--no-fund", "--silent")
    run("npm", "install", "--prefix", folder, *quiet, proxy)
    say(f"installed: {', '.join(pins)}, {proxy}")
    return folder / "node_modules/.bin"


def enter_namespaces(students: int) -> int:
    """Run this program again in private namespaces, and return its exit code."""
    with tempfile.TemporaryDirectory() as folder:
        proxy = install(Path(folder))
        as_root = [] if os.geteuid() == 0 else ["sudo"]
        # The first process of a namespace takes all others with it when it ends.
        apart = ["unshare", "--mount", "--pid", "--net", "--fork", "--kill-child", "--mount-proc"]
        settings = [
            f"PATH={proxy}:{os.environ['PATH']}:/usr/sbin:/sbin",
            "PYTHONDONTWRITEBYTECODE=1",  # the caller couldn't delete files that root writes
            "LC_ALL=C.UTF-8",
        ]
        again = [
            sys.executable,
            str(Path(__file__).resolve()),
            f"--students={students}",
            "--inside",
        ]
        return subprocess.run([*as_root, *apart, "env", *settings, *again], cwd="/").returncode


def mount_private_folders() -> None:
    """Mount private, empty folders where the commands write; the parts of the old ones that they need stay readable."""
    node = Path(shutil.which("node") or "node")
    proxy = Path(shutil.which("configurable-http-proxy") or "")
    needed = {Path(sys.prefix), Path(sys.base_prefix), ROOT, proxy.parents[2]}
    needed |= {node.parents[1], node.resolve().parents[1]}
    run("mount", "-t", "tmpfs", "tmpfs", "/mnt")
    kept = []
    for number, path in enumerate(sorted(needed)):
        keep = Path(f"/mnt/{number}")
        keep.mkdir()
        run("mount", "--rbind", path, keep)
        kept.append((keep, path))
    shutil.copytree("/etc", "/mnt/etc", symlinks=True)
    run("mount", "--bind", "/mnt/etc", "/etc")
    os.chmod("/etc/shadow", 0o600)
    private = ("/home", "/root", "/srv", "/opt", "/tmp", tempfile.gettempdir())
    for place in dict.fromkeys(private):
        mode = "1777" if place == tempfile.gettempdir() or place == "/tmp" else "0755"
        run("mount", "-t", "tmpfs", "-o", f"mode={mode}", "tmpfs", place)
    for keep, path in kept:
        if any(path.is_relative_to(place) for place in private):
            path.mkdir(parents=True, exist_ok=True)
            run("mount", "--rbind", keep, path)
    Path("/opt/autodiff-lab").mkdir()
    run("mount", "--bind", sys.prefix, "/opt/autodiff-lab")
    os.environ["HOME"] = "/root"


def make_accounts(names: list[str]) -> None:
    """Make the students' accounts with the page's commands, and give each a password."""
    group, account, _ = guide_commands("useradd")
    run("sh", "-c", group)
    for name in names:
        run("sh", "-c", re.sub(r"\bada$", name, account))
        run("chpasswd", input=f"{name}:{PASSWORD}\n")


@contextmanager
def running_hub(log: Path) -> Iterator[None]:
    """Run the page's last command until the block ends."""
    (command,) = guide_commands("jupyterhub -f")
    with log.open("w") as file:
        hub = subprocess.Popen(
            ["sh", "-c", f"exec {command}"], stdout=file, stderr=file, cwd="/root"
        )
        try:
            wait_for(lambda: answers(hub, log), "the hub")
            yield
            hub.send_signal(signal.SIGTERM)
            hub.wait(60)
        except BaseException:
            print(log.read_text()[-8000:])
            raise
        finally:
            hub.kill()


def answers(hub: subprocess.Popen, log: Path) -> bool:
    """Return whether the hub answers."""
    import requests

    if hub.poll() is not None:
        sys.exit(f"the hub ended:\n{log.read_text()[-6000:]}")
    try:
        return requests.get(f"{HUB}/hub/health", timeout=5).ok
    except requests.ConnectionError:
        return False


def wait_for(condition: Callable[[], Any], what: str, patience_s: float = PATIENCE_S) -> Any:
    """Return the first true value of a condition."""
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.25)
    raise TimeoutError(f"{what}: not within {patience_s} s")


class Student:
    """A student with a browser's cookies: logs in, gets a server, opens a notebook, runs cells."""

    def __init__(self, name: str) -> None:
        import requests

        self.name = name
        self.session = requests.Session()
        self.seconds: dict[str, float] = {}

    def log_in(self) -> None:
        """Send the login form, and wait for the server."""
        start = time.perf_counter()
        self.session.get(f"{HUB}/hub/login", timeout=60).raise_for_status()
        form = {"username": self.name, "password": PASSWORD, "_xsrf": self.session.cookies["_xsrf"]}
        answer = self.session.post(f"{HUB}/hub/login", data=form, timeout=60)
        answer.raise_for_status()
        assert f"/{self.name}" in answer.url, f"{self.name} is at {answer.url} after the login"
        token = self.session.post(
            f"{HUB}/hub/api/users/{self.name}/tokens",
            headers={"X-XSRFToken": self.session.cookies.get("_xsrf", path="/hub/")},
            timeout=60,
        )
        token.raise_for_status()
        self.headers = {"Authorization": f"token {token.json()['token']}"}
        wait_for(self.has_server, f"{self.name}'s server")
        self.seconds["server"] = time.perf_counter() - start

    def has_server(self) -> bool:
        """Return whether the hub says that the server of this student runs."""
        return bool(self._ask(f"hub/api/users/{self.name}")["servers"].get("", {}).get("ready"))

    def ask(self, path: str, method: str = "GET", data: Any = None) -> Any:
        """Return an answer of the student's own server."""
        return self._ask(f"user/{self.name}/api/{path}", method, data)

    def _ask(self, path: str, method: str = "GET", data: Any = None) -> Any:
        import requests

        answer = requests.request(
            method, f"{HUB}/{path}", json=data, headers=self.headers, timeout=60
        )
        answer.raise_for_status()
        return answer.json()

    def open_notebook(self) -> dict[str, Any]:
        """Open the notebook with a kernel, and return its content."""
        import websocket

        start = time.perf_counter()
        content = self.ask(f"contents/{NOTEBOOK}")["content"]
        session = {"path": NOTEBOOK, "name": NOTEBOOK, "type": "notebook"}
        session["kernel"] = {"name": "python3"}
        self.kernel = self.ask("sessions", "POST", session)["kernel"]["id"]
        address = (
            f"ws{HUB.removeprefix('http')}/user/{self.name}/api/kernels/{self.kernel}/channels"
        )
        self.socket = websocket.create_connection(address, header=self.headers, timeout=PATIENCE_S)
        assert self.execute("1 + 1") == "2"
        self.seconds["kernel"] = time.perf_counter() - start
        return content

    def execute(self, code: str) -> str:
        """Run code in the kernel, and return what it prints and shows as text; raises if the code raises."""
        header = {"msg_id": uuid.uuid4().hex, "msg_type": "execute_request", "version": "5.3"}
        header |= {"username": self.name, "session": self.name, "date": "2026-01-01T00:00:00Z"}
        content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False}
        content |= {"user_expressions": {}, "stop_on_error": True}
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content}
        self.socket.send(json.dumps({**message, "channel": "shell", "buffers": []}))
        said, ended = "", set()
        while ended != {"reply", "idle"}:
            frame = self.socket.recv()
            if not isinstance(frame, str):
                continue  # binary: a widget's pictures
            answer = json.loads(frame)
            if answer["parent_header"].get("msg_id") != header["msg_id"]:
                continue
            kind, content = answer["header"]["msg_type"], answer["content"]
            if kind == "stream":
                said += content["text"]
            elif kind in ("execute_result", "display_data"):
                said += content["data"].get("text/plain", "")
            elif kind == "error":
                raise AssertionError(
                    f"{self.name}: {content['ename']}: {content['evalue']}\n{code}"
                )
            elif kind == "execute_reply":
                ended.add("reply")
            elif kind == "status" and content["execution_state"] == "idle":
                ended.add("idle")
        return said.strip()

    def study(self) -> None:
        """Log in, run the notebook to its end with good answers, and save it."""
        from autodiff_lab.classroom.course import fill_answers, find_exercise
        from autodiff_lab.lessons.checks.course import lessons

        self.log_in()
        content = self.open_notebook()
        start = time.perf_counter()
        (exercises,) = (lesson.exercises() for lesson in lessons() if lesson.slug == "tape")
        import nbformat

        notebook = fill_answers(nbformat.from_dict(content), exercises)
        for cell, open_cell in zip(notebook.cells, content["cells"], strict=True):
            if cell.cell_type != "code":
                continue
            exercise = find_exercise(cell, exercises)
            if exercise is not None:
                said = self.execute(open_cell["source"])
                assert "passed" not in said, f"{exercise.title}: an open exercise has passed"
            said = self.execute(cell.source)
            if exercise is not None:
                assert f"{exercise.title} passed" in said, said
        assert "4 of 4 exercises done" in self.execute("check.progress()")
        self.ask(
            f"contents/{NOTEBOOK}",
            "PUT",
            {"type": "notebook", "format": "json", "content": notebook},
        )
        self.seconds["notebook"] = time.perf_counter() - start


def in_parallel(actions: list[Callable[[], None]]) -> None:
    """Run functions at the same time, and raise the first error."""
    errors: list[BaseException] = []

    def guarded(action: Callable[[], None]) -> None:
        try:
            action()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=[action]) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def memory_of(name: str, part: str) -> list[tuple[float, float]]:
    """Return the resident and the proportional megabytes of a user's processes whose command contains `part`."""
    import psutil

    found = []
    for process in psutil.process_iter():
        try:
            if process.username() == name and part in " ".join(process.cmdline()):
                used = process.memory_full_info()
                found.append((used.rss / 1e6, used.pss / 1e6))
        except psutil.NoSuchProcess:
            continue
    return found


def report_costs(students: list[Student]) -> None:
    """Print the seconds and the megabytes that a student costs."""
    for what in ("server", "kernel", "notebook"):
        taken = sorted(student.seconds[what] for student in students)
        say(f"seconds for the {what}: {taken[0]:.1f} to {taken[-1]:.1f}")
    costs = {"server": "jupyterhub.singleuser", "kernel": "ipykernel_launcher"}
    for what, part in costs.items():
        weights = [memory for student in students for memory in memory_of(student.name, part)]
        assert len(weights) == len(students), f"{len(weights)} {what}s of {len(students)} students"
        resident, proportional = zip(*weights, strict=True)
        say(
            f"megabytes of a {what}: {min(resident):.0f} to {max(resident):.0f} resident, "
            f"{max(proportional):.0f} with the libraries shared"
        )
    hub = [memory for part in ("jupyterhub", "culler") for memory in memory_of("root", part)]
    say(f"megabytes of the hub and its services: {sum(resident for resident, _ in hub):.0f}")


def try_what_is_forbidden(student: Student) -> None:
    """Try what the limits and the rights forbid."""
    for what, code in ATTEMPTS.items():
        said = student.execute(code)
        assert said.startswith("refused"), f"a student was allowed {what}: {said}"
        say(f"{said.splitlines()[0]}: {what}")
    said = student.execute(ENCRYPTED)
    assert "curve_publickey" in said and said.endswith("0o600"), said
    say("the kernel's messages are encrypted")


def check_travel() -> None:
    """Check that a student's home has the notebooks, and nothing else from the repository."""
    home = Path("/home/ada")
    files = [path for path in home.rglob("*") if path.is_file() and ".local" not in path.parts]
    copied = [path for path in files if "autodiff-lab-notebooks" in path.parts]
    megabytes = sum(path.stat().st_size for path in copied) / 1e6
    names = {path.name for path in copied}
    assert "00_start_here.ipynb" in names and "for_lecturers.md" not in names, names
    assert not any(path.suffix == ".py" for path in files)
    say(f"a student's home got {len(copied)} files, {megabytes:.1f} MB")


def check_collecting(names: list[str]) -> None:
    """Check that the loop on the lecturers' page collects each student's notebook in a folder of its own."""
    Path("/home/bea/autodiff-lab-notebooks/03_tape.ipynb").unlink()
    Path("/home/bea/autodiff-lab-notebooks/03_tape.ipynb").symlink_to("/etc/shadow")
    run("sh", "-euc", "\n".join(guide_commands("runuser")), cwd="/srv")
    collected = sorted(path.name for path in Path("/srv/hand-ins").iterdir())
    assert collected == sorted(names), collected
    own = Path("/home/ada/autodiff-lab-notebooks/03_tape.ipynb")
    assert Path("/srv/hand-ins/ada/03_tape.ipynb").read_bytes() == own.read_bytes()
    assert Path("/srv/hand-ins/bea/03_tape.ipynb").is_symlink(), "a link is not followed by root"
    say("the notebooks are collected for grading")


def check_culling(student: Student) -> None:
    """Check that an idle kernel is stopped although its browser is open, and then the server; needs short times."""
    student.log_in()
    saved = student.open_notebook()
    sources = "".join(cell["source"] for cell in saved["cells"])
    assert "def sweep(result)" in sources and "adjoint[result] = ...  # the seed" not in sources
    say("after a restart of the hub, the saved notebook is as it was")
    start = time.perf_counter()
    wait_for(lambda: not student.ask("kernels"), "the idle kernel ends", 60)
    say(f"an idle kernel ended after {time.perf_counter() - start:.0f} s")
    wait_for(lambda: not student.has_server(), "the idle server ends", 60)
    wait_for(lambda: not memory_of(student.name, ""), "the student's processes end", 30)
    say(f"an idle server ended after {time.perf_counter() - start:.0f} s")


def shorten_times(config: Path) -> None:
    """Edit the first lines of the configuration, as its operator would."""
    text = config.read_text()
    for name, seconds in (("KERNEL_IDLE_S", 4), ("SERVER_IDLE_S", 15)):
        text, count = re.subn(rf"(?m)^{name} = [\d* ]+", f"{name} = {seconds} ", text)
        assert count == 1, name
    config.write_text(text)


def use_hub(count: int) -> None:
    """Set up the hub with the page's commands, and use it."""
    run("ip", "link", "set", "lo", "up")
    mount_private_folders()
    names = list(NAMES[:count])
    make_accounts(names)
    for command in guide_commands("autodiff-lab hub --out"):
        if "autodiff-lab hub" in command or "pip freeze" in command:
            run("sh", "-c", command)
    versions = Path("/srv/autodiff-lab/versions.txt").read_text()
    assert re.search(r"^jupyterhub==", versions, re.M) and "autodiff" in versions, versions
    start = time.perf_counter()
    with running_hub(Path("/mnt/first.log")):
        say(f"the hub answered after {time.perf_counter() - start:.1f} s")
        students = [Student(name) for name in names]
        in_parallel([student.study for student in students])
        say(f"{count} students ran notebook 03 and passed its four exercises")
        report_costs(students)
        check_travel()
        try_what_is_forbidden(students[0])
    assert "without encryption" not in Path("/mnt/first.log").read_text()
    shorten_times(Path("/srv/autodiff-lab/jupyterhub_config.py"))
    with running_hub(Path("/mnt/second.log")):
        check_culling(Student(names[0]))
    check_collecting(names)
    say(f"{time.perf_counter() - start:.0f} s from the start of the hub on")


def main() -> int:
    options = argparse.ArgumentParser(description="Run the hub of the lecturers' page.")
    options.add_argument("--students", type=int, default=3, choices=range(2, len(NAMES) + 1))
    options.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if not chosen.inside:
        return enter_namespaces(chosen.students)
    use_hub(chosen.students)
    return 0


if __name__ == "__main__":
    sys.exit(main())
