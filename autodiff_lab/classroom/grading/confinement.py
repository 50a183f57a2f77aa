"""Confine somebody else's program: bubblewrap's walls around it, a few files, and limits of time and memory.

The walls are those of `bwrap` (Debian's package ``bubblewrap``, Linux). Of the machine the program sees the system's
programs and this Python, read-only, and folders of its own, which vanish with it; it has no network. It can change no
setting of the kernel, and the system calls that `REFUSED_CALLS` names are refused. Its processes are counted together
from outside, and all of them end as soon as they take more than the limits allow.

Without the walls a program runs with all the rights of whoever runs it.
"""

import contextlib
import errno
import math
import os
import platform
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

# Bytes of output that are read; whoever says more is cut short.
MAX_OUTPUT_BYTES = 2_000_000

# How often the processes are counted: what they can take in this time, they can take beyond the limit.
LOOK_EVERY_S = 0.1

# Bytes that the kernel may hold for a file in memory besides its content, and for a socket where nothing else is said.
BYTES_OF_A_FILE = 1500
BYTES_OF_A_SOCKET = 212_992

# More processes than a notebook needs, and megabytes that each has which has done nothing yet. Where there are so many
# and no larger, it is their number that takes the memory.
MANY_PROCESSES, SMALL_MEGABYTES = 20, 100

# How much of its time a program must have computed for a time-out to be its own fault alone.
BUSY = 0.8

# Bytes of memory that stay free on the machine. There are more ways to make the kernel hold memory for a program than
# can be counted one by one: locks, mappings, names of files.
RESERVE_BYTES = 500_000_000

# Files and sockets that one process may have open at a time.
MAX_DESCRIPTORS = 256

PACKAGE = Path(__file__).resolve().parents[2]
# How the kernel calls each machine; the columns of numbers below are in this order.
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# System calls that a hand-in is refused, and their numbers on each of `MACHINES`; -1 where there is no such call.
REFUSED_CALLS = {
    # Memory that no process holds, and that is therefore not seen from outside.
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "io_setup": (206, 0),
    "inotify_init": (253, -1),
    "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    # The keys of whoever grades: no namespace hides them.
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # Parts of the kernel that no notebook needs, and through which others have broken out.
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "userfaultfd": (323, 282),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
}
# Calls that are refused by what they ask for: sockets of any family but AF_UNIX, and larger buffers for those.
CALLS_FOR_SOCKETS = {"socket": (41, 198), "socketpair": (53, 199)}
CALLS_FOR_OPTIONS = {"setsockopt": (54, 208)}
AF_UNIX, SOL_SOCKET, SO_SNDBUF = 1, 1, 7
# What Python and its libraries read in /proc, besides the folders of the hand-in's own processes.
PROC = (
    "cpuinfo",
    "filesystems",
    "loadavg",
    "meminfo",
    "stat",
    "sys",
    "uptime",
    "version",
    "vmstat",
)
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store")
# The folders of its own, each in memory.
WRITABLE = ("/tmp", "/dev/shm")
# Limits of what is shared by all programs of a user, and of a hand-in's place before all others on a processor.
NONE_OF = ("RLIMIT_MSGQUEUE", "RLIMIT_RTPRIO", "RLIMIT_NICE")
SYSTEM_SETTINGS = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts", "/etc/localtime")
HOME = "/tmp/home"
WITH_FEW_PROCESSES = """\
import os, resource, sys
most, hard = int(sys.argv[1]), resource.getrlimit(resource.RLIMIT_NPROC)[1]
most = most if hard == resource.RLIM_INFINITY else min(most, hard)
resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
os.execvp(sys.argv[2], sys.argv[2:])
"""


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
    crowded : bool
        Whether other programs may have had a part in that: its time ran out although it had not used it to compute,
        or the memory ran out that all programs on the machine share.
    """

    ended: str
    code: int
    said: bytes
    complaint: str
    crowded: bool = False


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
    Done(ended='by itself', code=0, said=b'42\n', complaint='', crowded=False)
    """
    with contextlib.ExitStack() as open_things:
        if walls:
            folder, home = None, HOME
            given = {
                name: open_things.enter_context(_open_unnamed_file(content))
                for name, content in files.items()
            }
            refused = open_things.enter_context(_open_unnamed_file(_seccomp_program()))
            command = [
                *_bwrap_command(limits, hidden, given, refused),
                *_with_few_processes(limits),
                *command,
            ]
            kept = (refused, *given.values())
        else:
            temporary = tempfile.TemporaryDirectory(
                prefix="autodiff-lab-", ignore_cleanup_errors=True
            )
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
            ended, crowded = _watch(process, limits)
        finally:
            _kill_family(process)
        for reader in readers:
            reader.join(5)
    last = complaint.decode(errors="replace").strip().rpartition("\n")[2]
    return Done(ended, process.returncode, bytes(said), last, crowded)


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


def _watch(process: subprocess.Popen[bytes], limits: Limits) -> tuple[str, bool]:
    """Wait until the program ends, or has taken too much; and say whether others may have had a part in that."""
    deadline = time.monotonic() + limits.seconds
    reserve = min(RESERVE_BYTES, _free_bytes() / 2)
    while True:
        try:
            process.wait(LOOK_EVERY_S)
            return "by itself", False
        except subprocess.TimeoutExpired:
            # A fork bomb grows while somebody looks, so the first look is a quick one.
            if _count_inside(process.pid) > limits.processes:
                return "too many processes", False
            megabytes, processes = family_usage(process.pid, limits.processes)
        if processes > limits.processes:
            return "too many processes", False
        if megabytes > limits.megabytes:
            is_crowd = processes > MANY_PROCESSES and megabytes / processes < SMALL_MEGABYTES
            return "too many processes" if is_crowd else "out of memory", False
        if _free_bytes() < reserve:
            return "out of memory", True
        if time.monotonic() > deadline:  # last: who takes all of the machine delays whoever looks
            return "out of time", _cpu_seconds(process.pid) < BUSY * limits.seconds


def _count_inside(pid: int) -> int:
    """Count the processes in the process space that bubblewrap has made, by one look into its ``/proc``; 0 if none."""
    with contextlib.suppress(OSError):
        first = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        place = f"/proc/{first[0]}/root/proc" if first else "/proc"
        # While the walls are being built, it is still ours.
        if os.stat(place).st_dev != os.stat("/proc").st_dev:
            return sum(map(str.isdecimal, os.listdir(place)))
    return 0


def _free_bytes() -> float:
    """Read how much memory programs can still take on this machine; infinite where the system does not say it."""
    try:
        return _sum_of(Path("/proc/meminfo"), b"MemAvailable:") or math.inf
    except OSError:
        return math.inf


def family_usage(pid: int, most: float = math.inf) -> tuple[float, int]:
    """Measure what a confined process and all its descendants use: megabytes of memory, processes and threads.

    What two processes share is counted twice. What the kernel keeps for the sockets and the files in memory of a
    process space of its own is counted too, at the most that it can be; without a ``/proc`` nothing is counted.

    Of more than `most` processes the memory is not measured: while somebody looks, a fork bomb grows.

    >>> family_usage(os.getpid())[0] < 10_000
    True
    """
    family = _family(pid)
    processes = sum(int(fields[17]) for fields in family.values())
    if processes > most:
        return 0.0, processes
    megabytes = (sum(map(_own_bytes, family)) + _kernel_bytes(family)) / 1_000_000
    return megabytes, processes


def _family(pid: int) -> dict[int, list[bytes]]:
    """Find a process and all its descendants; for each the fields of its ``stat`` behind the name.

    In a process space of its own nobody can leave the family: an orphan is adopted by the space's first process, which
    is a descendant too.
    """
    fields: dict[int, list[bytes]] = {}
    children: dict[int, list[int]] = {}
    for name in filter(str.isdecimal, os.listdir("/proc") if os.path.isdir("/proc") else ()):
        with contextlib.suppress(OSError):  # it has ended since
            # The name of the program stands in parentheses, and may itself hold some.
            fields[int(name)] = Path("/proc", name, "stat").read_bytes().rpartition(b")")[2].split()
            children.setdefault(int(fields[int(name)][1]), []).append(int(name))
    members = [pid]
    for member in members:
        members += children.get(member, ())
    return {member: fields[member] for member in members if member in fields}


def _own_bytes(pid: int) -> int:
    """Measure the memory of a process and of its page tables, without the files that are mapped into it.

    Nothing is asked here that has to wait for the process, such as which memory it shares: it could make us wait.
    """
    with contextlib.suppress(OSError):
        return _sum_of(Path(f"/proc/{pid}/status"), b"RssAnon:", b"RssShmem:", b"VmPTE:")
    return 0


def _sum_of(path: Path, *names: bytes) -> int:
    """Add up the sizes that the lines of these names have in a file of the kernel's; in bytes."""
    return 1000 * sum(
        int(line.split()[1]) for line in path.read_bytes().splitlines() if line.startswith(names)
    )


def _kernel_bytes(family: Iterable[int]) -> int:
    """Estimate what the kernel holds for a family that has a space of its own: its sockets, and its files in memory."""
    ours = _network_of(os.getpid())
    inside = next((member for member in family if _network_of(member) not in ("", ours)), None)
    if inside is None:
        return 0
    total = 0
    with contextlib.suppress(OSError, ValueError):  # it has ended since
        used = Path(f"/proc/{inside}/net/sockstat").read_text().split()[2]
        # Each may hold messages as large as its buffer, and one more.
        total += 2 * _bytes_of_a_socket() * int(used)
    for place in WRITABLE:
        with contextlib.suppress(OSError):
            found = os.statvfs(f"/proc/{inside}/root{place}")
            total += BYTES_OF_A_FILE * (found.f_files - found.f_ffree)
    return total


def _network_of(pid: int) -> str:
    """Name the network that a process is in, so that those of two can be compared; empty if nobody knows."""
    try:
        return os.readlink(f"/proc/{pid}/ns/net")
    except OSError:
        return ""


def _bytes_of_a_socket() -> int:
    """Read how large the buffer of a socket is on this machine."""
    try:
        return int(Path("/proc/sys/net/core/wmem_default").read_text())
    except (OSError, ValueError):
        return BYTES_OF_A_SOCKET


def _cpu_seconds(pid: int) -> float:
    """Add up how long a process, its descendants and those of them that have ended have computed."""
    ticks = sum(int(ticks) for fields in _family(pid).values() for ticks in fields[11:15])
    return ticks / os.sysconf("SC_CLK_TCK") if ticks else 0.0


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
    # each thread asks for memory of its own
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    # This package, and what it needs, wherever Python was told to find it.
    python = os.pathsep.join(map(str, [PACKAGE.parent, *_libraries()]))
    return {**kept, **own, **threads, "PYTHONPATH": python, "MPLBACKEND": "agg", "USER": "student"}


def _process_limits(limits: Limits) -> Callable[[], None] | None:
    """Return what sets a process's resource limits, so that Python can say `MemoryError`; None on Windows.

    The number of processes is not among them: the system counts those that the user has elsewhere, too. Behind the
    walls it does not; see `_with_few_processes`.
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
            (resource.RLIMIT_NOFILE, MAX_DESCRIPTORS),
            *((getattr(resource, name), 0) for name in NONE_OF if hasattr(resource, name)),
        ):
            hard = resource.getrlimit(what)[1]
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(what, (most, most))

    return limit


def why_no_walls() -> str:
    """Return why programs cannot be confined here, or nothing if bubblewrap is installed; whether it works is tried."""
    return "" if shutil.which("bwrap") else "bubblewrap is not installed"


def _bwrap_command(
    limits: Limits, hidden: Sequence[Path], given: Mapping[str, int], refused: int
) -> list[str]:
    """Return bubblewrap's command line. What it is not told to show is not there: home, sockets, other hand-ins."""
    # As root a program could otherwise take its walls down, and anybody could build others inside, without limits.
    options = [
        "--unshare-all",
        "--unshare-user",
        "--disable-userns",
        "--cap-drop",
        "ALL",
        "--die-with-parent",
    ]
    options += ["--proc", "/proc", "--dev", "/dev", "--dir", "/run", "--dir", "/home"]
    options += _proc_masks()
    for place in WRITABLE:
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
    return [
        "bwrap",
        *options,
        "--remount-ro",
        "/dev",
        "--remount-ro",
        "/proc",
        "--remount-ro",
        "/",
        "--",
    ]


def _with_few_processes(limits: Limits) -> list[str]:
    """Return the beginning of a command inside the walls that can start only so many processes, whatever it does.

    That bounds a fork bomb between two looks. It is four times the limit, so that the bomb is seen, and told as what it
    is. Before Linux 5.14 the system would count the user's other processes, too. As root there is no such bound.
    """
    version = re.match(r"(\d+)\.(\d+)", platform.release())
    if not version or (int(version[1]), int(version[2])) < (5, 14):
        return []
    return [sys.executable, "-I", "-S", "-c", WITH_FEW_PROCESSES, str(4 * limits.processes)]


def _proc_masks() -> list[str]:
    """Return the options that hide what ``/proc`` tells of the machine, such as its keys and timers, all but `PROC`.

    If root grades, the kernel's files open in a hand-in as they open for root, whatever rights were dropped. For the
    same reason all of ``/proc`` is read-only: the settings in ``/proc/sys`` are those of the whole machine.
    """
    options = []
    for entry in os.scandir("/proc"):
        if entry.name.isdecimal() or entry.name in PROC or entry.is_symlink():
            continue
        path = f"/proc/{entry.name}"
        hide = (
            ["--tmpfs", path, "--remount-ro", path]
            if entry.is_dir()
            else ["--ro-bind", "/dev/null", path]
        )
        options += hide
    return options


def _seccomp_program() -> bytes:
    """Assemble a seccomp filter (classic BPF) that refuses `REFUSED_CALLS`, and all sockets but those of AF_UNIX.

    A socket of another family may lead out of the walls: AF_VSOCK knows no namespaces, and reaches the host of a
    virtual machine.
    """
    machine = platform.machine()
    if machine not in MACHINES:
        return b""
    column = [*MACHINES].index(machine)

    def jumps(calls: Mapping[str, tuple[int, ...]], target: str) -> list[tuple[int, int, str, str]]:
        numbers = [each[column] for each in calls.values()]
        return [(equal, number, target, "") for number in numbers if number >= 0]

    load, equal, at_least, answer = 0x20, 0x15, 0x35, 0x06
    # Blocks of instructions: the operation, its operand, and the blocks to go on with if true, if false; else the next.
    # Where each field of a call stands: its number at 0, the machine at 4, its arguments from 16 on, 8 bytes each.
    blocks = {
        "begin": [
            (load, 4, "", ""),
            (equal, MACHINES[machine], "", "refuse"),
            (load, 0, "", ""),
            (at_least, 0x40000000, "refuse", ""),  # calls of another ABI
            *jumps(REFUSED_CALLS, "refuse"),
            *jumps(CALLS_FOR_SOCKETS, "family"),
            *jumps(CALLS_FOR_OPTIONS, "option"),
        ],
        "allow": [(answer, 0x7FFF0000, "", "")],
        "family": [(load, 16, "", ""), (equal, AF_UNIX, "accept", "refuse")],
        "option": [
            (load, 24, "", ""),
            (equal, SOL_SOCKET, "", "accept"),
            (load, 32, "", ""),
            (equal, SO_SNDBUF, "refuse", "accept"),
        ],
        "accept": [(answer, 0x7FFF0000, "", "")],
        "refuse": [(answer, 0x00050000 | errno.ENOSYS, "", "")],
    }
    places: dict[str, int] = {}
    lines: list[tuple[int, int, str, str]] = []
    for name, block in blocks.items():
        places[name] = len(lines)
        lines += block
    program = []
    for number, (operation, operand, *targets) in enumerate(lines, 1):
        yes, no = (places[target] - number if target else 0 for target in targets)
        program.append(struct.pack("=HBBI", operation, yes, no, operand))
    return b"".join(program)


def _of_python() -> list[Path]:
    """List where this Python and this package are; of a prefix, perhaps somebody's home, only what Python put there."""
    prefixes = {Path(sys.prefix), Path(sys.base_prefix)}
    program = Path(sys.executable)
    while program.is_symlink():
        program = program.parent / os.readlink(program)
        prefixes.add(program.parents[1])
    inside = [
        prefix / name
        for prefix in sorted(prefixes)
        for name in ("bin", "lib", "lib64", "pyvenv.cfg")
    ]
    return [*inside, *_libraries(), PACKAGE]


def _libraries() -> list[Path]:
    """List the folders of installed packages; what else is on Python's path may hold anything."""
    return [
        Path(entry) for entry in sys.path if Path(entry).name in ("site-packages", "dist-packages")
    ]
