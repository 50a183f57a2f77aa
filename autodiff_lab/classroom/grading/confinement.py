"""Confine somebody else's program: bubblewrap's walls around it, a few files, and limits of time and memory.

The walls are those of `bwrap` (Debian's package ``bubblewrap``, Linux). Of the machine the program sees the system's
programs and this Python, read-only, and folders of its own, which vanish with it; it has no network. Its processes are
counted together from outside, and all of them end as soon as they take more than the limits allow.

Without the walls a program runs with all the rights of whoever runs it.
"""

import contextlib
import errno
import os
import platform
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

# Bytes of output that are read; whoever says more is cut short.
MAX_OUTPUT_BYTES = 2_000_000

# How often the processes are counted: what they can take in this time, they can take beyond the limit.
LOOK_EVERY_S = 0.1

PACKAGE = Path(__file__).resolve().parents[2]
# How the kernel calls the machine, and its numbers for ``memfd_create``, ``memfd_secret`` and ``shmget``.
MACHINES = {"x86_64": (0xC000003E, (319, 447, 29)), "aarch64": (0xC00000B7, (279, 447, 194))}
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store")
SYSTEM_SETTINGS = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts", "/etc/localtime")
HOME = "/tmp/home"


@dataclass(frozen=True)
class Limits:
    """The limits of a confined program, with all processes that it starts: time, memory, processes, disk.

    Attributes
    ----------
    seconds : float
        How long it may take, by the clock on the wall.
    megabytes : int
        How much memory its processes may hold together.
    processes : int
        How many processes and threads it may have at a time.
    disk : int
        Megabytes that it may write to files, and as many again to shared memory.
    """

    seconds: float = 120
    megabytes: int = 2000
    processes: int = 256
    disk: int = 200


@dataclass(frozen=True)
class Done:
    """How a confined program ended: by itself or at which limit, its exit code and what it wrote.

    Attributes
    ----------
    ended : str
        ``"by itself"``, or what it took too much of: ``"out of time"``, ``"out of memory"``, ``"too many processes"``.
    code : int
        Its exit code; negative for a signal.
    said : bytes
        What it wrote to its standard output, as far as it was read.
    complaint : str
        The last line of its standard error.
    """

    ended: str
    code: int
    said: bytes
    complaint: str


def run_confined(
    command: Sequence[str],
    files: Mapping[str, bytes],
    limits: Limits,
    *,
    hidden: Sequence[Path] = (),
    variables: Mapping[str, str] | None = None,
    walls: bool = True,
) -> Done:
    r"""Run a command confined to a folder with copies of some files, and end it when it exceeds its limits.

    Parameters
    ----------
    command : sequence of str
    files : mapping
        The content of each file in the folder where it runs, by name.
    limits : Limits
    hidden : sequence of Path
        Folders that it must not see, wherever they lie.
    variables : mapping, optional
        Environment variables that it is given besides the few that it needs.
    walls : bool
        Whether it runs behind bubblewrap's walls. Without them the limits hold for what it does not hide.

    Examples
    --------
    >>> import sys
    >>> run_confined([sys.executable, "-c", "print(open('n').read())"], {"n": b"42"}, Limits(), walls=False)
    Done(ended='by itself', code=0, said=b'42\n', complaint='')
    """
    with contextlib.ExitStack() as open_things:
        if walls:
            folder, home = None, HOME
            given = {name: open_things.enter_context(_open_unnamed_file(content)) for name, content in files.items()}
            refused = open_things.enter_context(_open_unnamed_file(_seccomp_program()))
            command = [*_bwrap_command(limits, hidden, given, refused), *command]
            kept = (refused, *given.values())
        else:
            temporary = tempfile.TemporaryDirectory(prefix="autodiff-lab-", ignore_cleanup_errors=True)
            folder = home = open_things.enter_context(temporary)
            for name, content in files.items():
                Path(folder, name).write_bytes(content)
            kept = ()
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**_environment(home), **(variables or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=kept,
            start_new_session=True,
            preexec_fn=_process_limits(limits),
        )
        said, complaint = bytearray(), bytearray()
        pipes = ((process.stdout, said), (process.stderr, complaint))
        readers = [threading.Thread(target=_drain_pipe, args=pipe, daemon=True) for pipe in pipes]
        for reader in readers:
            reader.start()
        try:
            ended = _watch(process, limits)
        finally:
            _kill_family(process)
        for reader in readers:
            reader.join(5)
    last = complaint.decode(errors="replace").strip().rpartition("\n")[2]
    return Done(ended, process.returncode, bytes(said), last)


@contextlib.contextmanager
def _open_unnamed_file(content: bytes) -> Iterator[int]:
    """Open a file without a name, at its beginning; yield its descriptor."""
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        yield file.fileno()


def _drain_pipe(pipe: object, said: bytearray) -> None:
    """Read what is said; beyond the limit it is thrown away, so that nobody waits at a full pipe."""
    while chunk := pipe.read1(65536):  # type: ignore[attr-defined]
        said += chunk[: max(0, MAX_OUTPUT_BYTES - len(said))]


def _watch(process: subprocess.Popen[bytes], limits: Limits) -> str:
    """Wait until the program ends, or has taken too much."""
    deadline = time.monotonic() + limits.seconds
    while True:
        try:
            process.wait(LOOK_EVERY_S)
            return "by itself"
        except subprocess.TimeoutExpired:
            megabytes, processes = family_usage(process.pid)
        if megabytes > limits.megabytes:
            return "out of memory"
        if processes > limits.processes:
            return "too many processes"
        if time.monotonic() > deadline:  # last: who takes all of the machine delays whoever looks
            return "out of time"


def family_usage(pid: int) -> tuple[float, int]:
    """Measure what a confined process and all its descendants use: megabytes of memory, processes and threads.

    In a process space of its own nobody can leave the family: an orphan is adopted by the space's first process, which
    is a descendant too. What two processes share is counted twice. Where there is no ``/proc``, nothing is counted.

    >>> family_usage(os.getpid())[0] < 10_000
    True
    """
    threads: dict[int, int] = {}
    children: dict[int, list[int]] = {}
    for name in filter(str.isdecimal, os.listdir("/proc") if os.path.isdir("/proc") else ()):
        with contextlib.suppress(OSError):  # it has ended since
            # The name of the program stands in parentheses, and may itself hold some.
            fields = Path("/proc", name, "stat").read_bytes().rpartition(b")")[2].split()
            threads[int(name)] = int(fields[17])
            children.setdefault(int(fields[1]), []).append(int(name))
    family = [pid]
    for member in family:
        family += children.get(member, ())
    kilobytes = sum(map(_resident_kilobytes, family))
    return kilobytes / 1000, sum(threads.get(member, 0) for member in family)


def _resident_kilobytes(pid: int) -> int:
    """Memory that belongs to a process, without the files (programs, libraries) that are mapped into it."""
    with contextlib.suppress(OSError):
        lines = Path(f"/proc/{pid}/status").read_bytes().splitlines()
        return sum(int(line.split()[1]) for line in lines if line.startswith((b"RssAnon:", b"RssShmem:")))
    return 0


def _kill_family(process: subprocess.Popen[bytes]) -> None:
    """End the program and whatever it has started; behind walls nothing survives the first process."""
    with contextlib.suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait(30)


def _environment(home: str) -> dict[str, str]:
    """Return the environment variables of a hand-in: no keys, no home, no proxies of the lecturer's."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT") if name in os.environ}
    own = dict.fromkeys(("HOME", "USERPROFILE", "IPYTHONDIR", "MPLCONFIGDIR", "TMPDIR"), home)
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # each thread asks for memory of its own
    # This package, and what it needs, wherever Python was told to find it.
    python = os.pathsep.join(map(str, [PACKAGE.parent, *_libraries()]))
    return {**kept, **own, **threads, "PYTHONPATH": python, "MPLBACKEND": "agg", "USER": "student"}


def _process_limits(limits: Limits) -> Callable[[], None] | None:
    """Return what sets a process's resource limits, so that Python can say `MemoryError`; None on Windows.

    The number of processes is not among them: the system counts those that the user has elsewhere, too.
    """
    if os.name == "nt":
        return None
    import resource

    def limit() -> None:
        for what, most in (
            (resource.RLIMIT_AS, limits.megabytes * 1_000_000),
            (resource.RLIMIT_CPU, int(2 * limits.seconds) + 1),
            (resource.RLIMIT_FSIZE, limits.disk * 1_000_000),
            (resource.RLIMIT_CORE, 0),
        ):
            hard = resource.getrlimit(what)[1]
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(what, (most, most))

    return limit


def why_no_walls() -> str:
    """Return why programs cannot be confined here, or nothing if bubblewrap is installed; whether it works is tried."""
    return "" if shutil.which("bwrap") else "bubblewrap is not installed"


def _bwrap_command(limits: Limits, hidden: Sequence[Path], given: Mapping[str, int], refused: int) -> list[str]:
    """Return bubblewrap's command line. What it is not told to show is not there: home, sockets, other hand-ins."""
    # As root a program could otherwise take its walls down, and anybody could build others inside, without limits.
    options = ["--unshare-all", "--unshare-user", "--disable-userns", "--cap-drop", "ALL", "--die-with-parent"]
    options += ["--proc", "/proc", "--dev", "/dev", "--dir", "/run", "--dir", "/home"]
    for place in ("/tmp", "/dev/shm"):
        options += ["--size", str(limits.disk * 1_000_000), "--tmpfs", place]
    shown = [*map(Path, SYSTEM), *map(Path, SYSTEM_SETTINGS), *_of_python()]
    for path in shown:
        options += ["--ro-bind-try", str(path), str(path)]
    for path in map(Path.resolve, hidden):
        if any(path.is_relative_to(place.resolve()) for place in shown):
            options += ["--tmpfs", str(path), "--remount-ro", str(path)]
    options += ["--dir", HOME, "--chdir", HOME]
    for name, descriptor in given.items():
        options += ["--file", str(descriptor), f"{HOME}/{name}"]
    if platform.machine() in MACHINES:
        options += ["--seccomp", str(refused)]
    return ["bwrap", *options, "--remount-ro", "/dev", "--remount-ro", "/", "--"]


def _seccomp_program() -> bytes:
    """Assemble a seccomp filter (classic BPF) that refuses the system calls in `MACHINES`.

    They make memory that no process needs to hold, and that is therefore not seen from outside.
    """
    architecture, numbers = MACHINES.get(platform.machine(), (0, ()))
    tests = [(0x35, 0x40000000), *((0x15, number) for number in numbers)]  # at least: calls of another ABI; equal
    program = [(0x20, 0, 0, 4), (0x15, 0, len(tests) + 2, architecture), (0x20, 0, 0, 0)]
    program += [(jump, len(tests) - k, 0, number) for k, (jump, number) in enumerate(tests)]
    program += [(0x06, 0, 0, 0x7FFF0000), (0x06, 0, 0, 0x00050000 | errno.ENOSYS)]  # allow; refuse
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def _of_python() -> list[Path]:
    """List where this Python and this package are; of a prefix, perhaps somebody's home, only what Python put there."""
    prefixes = {Path(sys.prefix), Path(sys.base_prefix)}
    program = Path(sys.executable)
    while program.is_symlink():
        program = program.parent / os.readlink(program)
        prefixes.add(program.parents[1])
    inside = [prefix / name for prefix in sorted(prefixes) for name in ("bin", "lib", "lib64", "pyvenv.cfg")]
    return [*inside, *_libraries(), PACKAGE]


def _libraries() -> list[Path]:
    """List the folders of installed packages; what else is on Python's path may hold anything."""
    return [Path(entry) for entry in sys.path if Path(entry).name in ("site-packages", "dist-packages")]
