"""Run an untrusted program in a bubblewrap sandbox, with copies of a few files, and with limits on time and memory.

The sandbox is bubblewrap's (the command `bwrap` of Debian's package ``bubblewrap``, Linux). In it, a program

- can read the system's programs and this Python, but none of the user's files;
- has a few folders in memory that it can write to, and that disappear when it ends;
- has no network, and can't change any setting of the kernel;
- gets an error from the system calls in `REFUSED_CALLS`.

The processes that it starts are measured together, from outside the sandbox. If they exceed a limit, all of them are
killed.

Without the sandbox, a program runs with all the rights of the user who starts it.
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

# Bytes of output that are kept; the rest is read and dropped.
MAX_OUTPUT_BYTES = 2_000_000

# Seconds between two measurements of the processes. A program can exceed a limit by as much as it takes in this time.
MEASURE_EVERY_S = 0.1

# Bytes that the kernel may use for a file in memory in addition to its content.
BYTES_PER_FILE = 1500
# Bytes of a socket's buffer, if the kernel doesn't report its own default.
BYTES_PER_SOCKET = 212_992

# A program that exceeds its memory is reported to have too many processes if it has more of them than a notebook needs,
# and each is about as small as a process that hasn't done anything yet.
MANY_PROCESSES = 20
SMALL_MEGABYTES = 100

# If a program runs out of time and has computed for less than this share of it, other programs may have slowed it down.
BUSY_SHARE = 0.8

# Bytes of memory that must stay free on the machine. A program can make the kernel use memory in more ways than can be
# counted one by one: locks, mappings, file names.
RESERVE_BYTES = 500_000_000

# Files and sockets that one process may have open at a time.
MAX_DESCRIPTORS = 256

PACKAGE = Path(__file__).resolve().parents[2]
# The kernel's identifier of each architecture. The columns of system call numbers below are in this order.
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# System calls that are refused, and their number on each of `MACHINES`; -1 if the architecture doesn't have the call.
REFUSED_CALLS = {
    # Memory that belongs to no process, so that it can't be measured from outside.
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
    # The keyring of the user who grades; namespaces don't hide it.
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # Parts of the kernel that notebooks don't need, and that have been used to break out of sandboxes.
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "userfaultfd": (323, 282),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
}
# Calls that are refused for some arguments: sockets of a family other than AF_UNIX, and larger socket buffers.
CALLS_FOR_SOCKETS = {"socket": (41, 198), "socketpair": (53, 199)}
CALLS_FOR_OPTIONS = {"setsockopt": (54, 208)}
AF_UNIX = 1
SOL_SOCKET = 1
SO_SNDBUF = 7
# What Python and its libraries read in /proc, besides the folders of the program's own processes.
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
# What a program can read of the system: its folders, and the settings that Python and its libraries need.
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store")
SYSTEM_SETTINGS = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts", "/etc/localtime")
# The folders that a program can write to; they are in memory, and empty at first.
WRITABLE = ("/tmp", "/dev/shm")
# Limits that are set to 0: message queues, which all programs of a user share, and a higher priority than others have.
ZERO_LIMITS = ("RLIMIT_MSGQUEUE", "RLIMIT_RTPRIO", "RLIMIT_NICE")
# The program's home folder in the sandbox, in which it starts.
HOME = "/tmp/home"
# A program that limits its own number of processes, and then becomes the command in its arguments.
WITH_FEW_PROCESSES = """\
import os, resource, sys
most, hard = int(sys.argv[1]), resource.getrlimit(resource.RLIMIT_NPROC)[1]
most = most if hard == resource.RLIM_INFINITY else min(most, hard)
resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
os.execvp(sys.argv[2], sys.argv[2:])
"""


@dataclass(frozen=True)
class Limits:
    """The limits of a confined program and of all processes that it starts: time, memory, processes, disk.

    Attributes
    ----------
    seconds : float
        How long it may run (wall-clock time).
    megabytes : int
        How much memory all its processes together may use.
    processes : int
        How many processes and threads may exist at a time.
    disk : int
        Megabytes that it may write to files, and the same number again to shared memory.
    """

    seconds: float = 120
    megabytes: int = 2000
    processes: int = 256
    disk: int = 200


@dataclass(frozen=True)
class Done:
    """How a confined program ended: whether it finished or exceeded a limit, its exit code, and its output.

    Attributes
    ----------
    ended : str
        ``"finished"``, or the limit that it exceeded: ``"out of time"``, ``"out of memory"``,
        ``"too many processes"``.
    code : int
        Its exit code; negative if a signal ended it.
    output : bytes
        The first `MAX_OUTPUT_BYTES` of its standard output.
    last_error : str
        The last line of its standard error.
    crowded : bool
        Whether other programs may have caused this: the program ran out of time without having spent it on
        computing, or the machine as a whole ran out of memory.
    """

    ended: str
    code: int
    output: bytes
    last_error: str
    crowded: bool = False


def run_confined(
    command: Sequence[str],
    files: Mapping[str, bytes],
    limits: Limits,
    *,
    hidden: Sequence[Path] = (),
    variables: Mapping[str, str] | None = None,
    sandbox: bool = True,
) -> Done:
    r"""Run a command in a folder with copies of some files, and kill it when it exceeds a limit.

    Parameters
    ----------
    command : sequence of str
    files : mapping
        The content of each file in the folder where the command runs, by name.
    limits : Limits
    hidden : sequence of Path
        Folders that the command must not see, even if they are inside a folder that it can see.
    variables : mapping, optional
        Environment variables in addition to the few that are always set.
    sandbox : bool
        Whether the command runs in bubblewrap's sandbox. Without it, the command can hide from the limits, for
        example in a process that it detaches.

    Examples
    --------
    >>> import sys
    >>> run_confined([sys.executable, "-c", "print(open('n').read())"], {"n": b"42"}, Limits(), sandbox=False)
    Done(ended='finished', code=0, output=b'42\n', last_error='', crowded=False)
    """
    with contextlib.ExitStack() as resources:
        if sandbox:
            folder = None
            home = HOME
            descriptors = {
                name: resources.enter_context(_open_unnamed_file(content))
                for name, content in files.items()
            }
            seccomp = resources.enter_context(_open_unnamed_file(_seccomp_program()))
            command = [
                *_bwrap_command(limits, hidden, descriptors, seccomp),
                *_few_processes_command(limits),
                *command,
            ]
            inherited = (seccomp, *descriptors.values())
        else:
            temporary = tempfile.TemporaryDirectory(
                prefix="autodiff-lab-", ignore_cleanup_errors=True
            )
            folder = home = resources.enter_context(temporary)
            for name, content in files.items():
                Path(folder, name).write_bytes(content)
            inherited = ()
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**_environment(home), **(variables or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=inherited,
            start_new_session=True,
            preexec_fn=_resource_limiter(limits),
        )
        output = bytearray()
        errors = bytearray()
        pipes = ((process.stdout, output), (process.stderr, errors))
        readers = [threading.Thread(target=_drain_pipe, args=pipe, daemon=True) for pipe in pipes]
        for reader in readers:
            reader.start()
        try:
            ended, crowded = _wait_within_limits(process, limits)
        finally:
            _kill_family(process)
        for reader in readers:
            reader.join(5)
    last_error = errors.decode(errors="replace").strip().rpartition("\n")[2]
    return Done(ended, process.returncode, bytes(output), last_error, crowded)


@contextlib.contextmanager
def _open_unnamed_file(content: bytes) -> Iterator[int]:
    """Write a file that has no name, and yield a descriptor that reads it from the beginning."""
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        yield file.fileno()


def _drain_pipe(pipe: object, kept: bytearray) -> None:
    """Keep the beginning of what a pipe sends; read the rest too, because a full pipe would block the program."""
    while chunk := pipe.read1(65536):  # type: ignore[attr-defined]
        kept += chunk[: max(0, MAX_OUTPUT_BYTES - len(kept))]


def _wait_within_limits(process: subprocess.Popen[bytes], limits: Limits) -> tuple[str, bool]:
    """Wait until the program ends or exceeds a limit. Return `Done.ended` and `Done.crowded`."""
    deadline = time.monotonic() + limits.seconds
    reserve = min(RESERVE_BYTES, _free_bytes() / 2)
    while True:
        try:
            process.wait(MEASURE_EVERY_S)
            return "finished", False
        except subprocess.TimeoutExpired:
            # A fork bomb grows during a measurement, so a quick count comes first.
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
        # The time comes last: a program that overloads the machine also delays these measurements.
        if time.monotonic() > deadline:
            return "out of time", _cpu_seconds(process.pid) < BUSY_SHARE * limits.seconds


def _count_inside(pid: int) -> int:
    """Count the processes in bubblewrap's process namespace by listing its ``/proc`` once; 0 if there is none yet."""
    with contextlib.suppress(OSError):
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        proc = f"/proc/{children[0]}/root/proc" if children else "/proc"
        # Until the sandbox is set up, this is the /proc of the machine.
        if os.stat(proc).st_dev != os.stat("/proc").st_dev:
            return sum(map(str.isdecimal, os.listdir(proc)))
    return 0


def _free_bytes() -> float:
    """Return how many bytes of memory are available on this machine; infinity if the system doesn't report it."""
    try:
        return _sum_sizes(Path("/proc/meminfo"), b"MemAvailable:") or math.inf
    except OSError:
        return math.inf


def family_usage(pid: int, most: float = math.inf) -> tuple[float, int]:
    """Measure a process and all its descendants: return megabytes of memory, and the number of processes and threads.

    Memory that two processes share counts twice. In a sandbox, the memory that the kernel uses for sockets and for
    files in memory counts too, as an upper bound. On a system without ``/proc`` the result is 0 and 0.

    With more than `most` processes the memory is not measured (0.0), because a fork bomb grows in the meantime.

    >>> family_usage(os.getpid())[0] < 10_000
    True
    """
    family = _family(pid)
    # man 5 proc: the number of threads
    processes = sum(int(fields[17]) for fields in family.values())
    if processes > most:
        return 0.0, processes
    megabytes = (sum(map(_own_bytes, family)) + _kernel_bytes(family)) / 1_000_000
    return megabytes, processes


def _family(pid: int) -> dict[int, list[bytes]]:
    """Find a process and all its descendants; return, for each, the fields of its ``stat`` after the program's name.

    In a process namespace no process can leave the family: an orphan is adopted by the namespace's first process,
    which is a descendant too.
    """
    if not os.path.isdir("/proc"):
        return {}
    stats: dict[int, list[bytes]] = {}
    children: dict[int, list[int]] = {}
    for name in filter(str.isdecimal, os.listdir("/proc")):
        with contextlib.suppress(OSError):  # the process has ended
            stat = Path("/proc", name, "stat").read_bytes()
            # The program's name is in parentheses, and may itself contain some.
            fields = stat.rpartition(b")")[2].split()
            parent = int(fields[1])
            stats[int(name)] = fields
            children.setdefault(parent, []).append(int(name))
    members = [pid]
    for member in members:  # the list grows while it is read
        members += children.get(member, ())
    return {member: stats[member] for member in members if member in stats}


def _own_bytes(pid: int) -> int:
    """Measure the memory of a process and of its page tables, without the files that are mapped into it.

    Some files in ``/proc`` make the reader wait for the process, such as those about shared memory. They are not read
    here, because a hostile process could make us wait forever.
    """
    with contextlib.suppress(OSError):
        return _sum_sizes(Path(f"/proc/{pid}/status"), b"RssAnon:", b"RssShmem:", b"VmPTE:")
    return 0


def _sum_sizes(path: Path, *names: bytes) -> int:
    """Add up the sizes, in bytes, in the lines of a file in ``/proc`` that begin with these names."""
    kilobytes = 0
    for line in path.read_bytes().splitlines():
        if line.startswith(names):
            kilobytes += int(line.split()[1])
    return 1000 * kilobytes


def _kernel_bytes(family: Iterable[int]) -> int:
    """Estimate the memory that the kernel uses for a sandbox: for its sockets and its files in memory."""
    ours = _network_namespace(os.getpid())
    inside = next((pid for pid in family if _network_namespace(pid) not in ("", ours)), None)
    if inside is None:
        return 0
    total = 0
    with contextlib.suppress(OSError, ValueError):  # the process has ended
        sockets = int(Path(f"/proc/{inside}/net/sockstat").read_text().split()[2])
        # A socket can hold messages as large as its buffer, and one more.
        total += 2 * _socket_buffer_bytes() * sockets
    for folder in WRITABLE:
        with contextlib.suppress(OSError):
            usage = os.statvfs(f"/proc/{inside}/root{folder}")
            total += BYTES_PER_FILE * (usage.f_files - usage.f_ffree)
    return total


def _network_namespace(pid: int) -> str:
    """Return an identifier of a process's network namespace; empty if it can't be read."""
    try:
        return os.readlink(f"/proc/{pid}/ns/net")
    except OSError:
        return ""


def _socket_buffer_bytes() -> int:
    """Return the default size of a socket's buffer on this machine."""
    try:
        return int(Path("/proc/sys/net/core/wmem_default").read_text())
    except (OSError, ValueError):
        return BYTES_PER_SOCKET


def _cpu_seconds(pid: int) -> float:
    """Add up the processor time of a process and its descendants, including those that have ended."""
    # man 5 proc: utime and stime, and those of the children that have ended
    ticks = sum(int(ticks) for fields in _family(pid).values() for ticks in fields[11:15])
    return ticks / os.sysconf("SC_CLK_TCK") if ticks else 0.0


def _kill_family(process: subprocess.Popen[bytes]) -> None:
    """Kill the program and all that it has started: in a sandbox, every process ends with the first one."""
    with contextlib.suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait(30)


def _environment(home: str) -> dict[str, str]:
    """Return the environment variables of a hand-in: without the lecturer's keys, home and proxies."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT") if name in os.environ}
    own = dict.fromkeys(("HOME", "USERPROFILE", "IPYTHONDIR", "MPLCONFIGDIR", "TMPDIR"), home)
    # Each thread of a math library reserves memory for itself.
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    # This package and the libraries that it needs, wherever they are installed.
    python = os.pathsep.join(map(str, [PACKAGE.parent, *_libraries()]))
    return {**kept, **own, **threads, "PYTHONPATH": python, "MPLBACKEND": "agg", "USER": "student"}


def _resource_limiter(limits: Limits) -> Callable[[], None] | None:
    """Return a function that sets the resource limits of a new process; None on Windows.

    With them, a process that needs too much memory gets a `MemoryError`, which names the cause.

    The number of processes isn't limited here, because the system would count all processes of the user. In the
    sandbox it counts only those inside; see `_few_processes_command`.
    """
    if os.name == "nt":
        return None
    import resource

    most = {
        resource.RLIMIT_AS: limits.megabytes * 1_000_000,
        resource.RLIMIT_CPU: int(2 * limits.seconds) + 1,
        resource.RLIMIT_FSIZE: limits.disk * 1_000_000,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: MAX_DESCRIPTORS,
    }
    for name in ZERO_LIMITS:
        if hasattr(resource, name):
            most[getattr(resource, name)] = 0

    def set_limits() -> None:
        for kind, limit in most.items():
            hard = resource.getrlimit(kind)[1]
            if hard != resource.RLIM_INFINITY:
                limit = min(limit, hard)
            resource.setrlimit(kind, (limit, limit))

    return set_limits


def why_no_sandbox() -> str:
    """Return why there is no sandbox on this machine; empty if bubblewrap is installed, whether or not it works."""
    return "" if shutil.which("bwrap") else "bubblewrap is not installed"


def _bwrap_command(
    limits: Limits, hidden: Sequence[Path], files: Mapping[str, int], seccomp: int
) -> list[str]:
    """Return bubblewrap's command line. The program sees only what is listed: no home, no sockets, no other hand-ins.

    `files` has a descriptor for each file by its name, and `seccomp` is the descriptor of the filter for system calls.
    """
    # Without these, a program that runs as root could remove the sandbox, and any program could create another sandbox
    # inside this one, to which the limits wouldn't apply.
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
    for folder in WRITABLE:
        options += ["--size", str(limits.disk * 1_000_000), "--tmpfs", folder]
    shown = [*map(Path, SYSTEM), *map(Path, SYSTEM_SETTINGS), *_python_paths()]
    for path in shown:
        options += ["--ro-bind-try", str(path), str(path)]
    for path in map(Path.resolve, hidden):
        if any(path.is_relative_to(parent.resolve()) for parent in shown):
            options += ["--tmpfs", str(path), "--remount-ro", str(path)]
    options += ["--dir", HOME, "--chdir", HOME]
    for name, descriptor in files.items():
        options += ["--file", str(descriptor), f"{HOME}/{name}"]
    if platform.machine() in MACHINES:
        options += ["--seccomp", str(seccomp)]
    for folder in ("/dev", "/proc", "/"):
        options += ["--remount-ro", folder]
    return ["bwrap", *options, "--"]


def _few_processes_command(limits: Limits) -> list[str]:
    """Return the beginning of a command in the sandbox which limits how many processes the rest of it can start.

    This bounds a fork bomb between two measurements. The bound is four times `limits.processes`, so that a measurement
    still finds too many processes and reports them. Before Linux 5.14 the system would count the user's other
    processes too, so there is no bound; nor is there one for root.
    """
    version = re.match(r"(\d+)\.(\d+)", platform.release())
    if not version or (int(version[1]), int(version[2])) < (5, 14):
        return []
    return [sys.executable, "-I", "-S", "-c", WITH_FEW_PROCESSES, str(4 * limits.processes)]


def _proc_masks() -> list[str]:
    """Return the options that hide all of ``/proc`` except `PROC`, such as the machine's keys and timers.

    If root grades, a hand-in can open the kernel's files as root can, even though it has dropped root's capabilities.
    For the same reason all of ``/proc`` is read-only: the settings in ``/proc/sys`` apply to the whole machine.
    """
    options = []
    for entry in os.scandir("/proc"):
        if entry.name.isdecimal() or entry.name in PROC or entry.is_symlink():
            continue
        path = f"/proc/{entry.name}"
        if entry.is_dir():
            options += ["--tmpfs", path, "--remount-ro", path]
        else:
            options += ["--ro-bind", "/dev/null", path]
    return options


def _seccomp_program() -> bytes:
    """Assemble a seccomp filter (classic BPF) that refuses `REFUSED_CALLS`, and all sockets except AF_UNIX.

    Sockets of other families may lead out of the sandbox: AF_VSOCK ignores namespaces, and connects a virtual machine
    with its host. The filter is empty on a machine that isn't in `MACHINES`.
    """
    machine = platform.machine()
    if machine not in MACHINES:
        return b""
    column = [*MACHINES].index(machine)

    def jumps(calls: Mapping[str, tuple[int, ...]], target: str) -> list[tuple[int, int, str, str]]:
        numbers = [each[column] for each in calls.values()]
        return [(equal, number, target, "") for number in numbers if number >= 0]

    load, equal, at_least, answer = 0x20, 0x15, 0x35, 0x06
    # Each instruction is an operation, its operand, and the blocks where it continues if true and if false; "" is the
    # next instruction. `load` reads a field of the call by its offset in bytes: the number of the call is at 0, the
    # machine at 4, and the arguments, of 8 bytes each, begin at 16.
    # A jump only leads forward, so two blocks allow a call: after `begin`, and after `family` and `option`.
    allow = 0x7FFF0000
    refuse = 0x00050000 | errno.ENOSYS
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
        "allow": [(answer, allow, "", "")],
        "family": [(load, 16, "", ""), (equal, AF_UNIX, "accept", "refuse")],
        "option": [
            (load, 24, "", ""),
            (equal, SOL_SOCKET, "", "accept"),
            (load, 32, "", ""),
            (equal, SO_SNDBUF, "refuse", "accept"),
        ],
        "accept": [(answer, allow, "", "")],
        "refuse": [(answer, refuse, "", "")],
    }
    starts: dict[str, int] = {}
    instructions: list[tuple[int, int, str, str]] = []
    for name, block in blocks.items():
        starts[name] = len(instructions)
        instructions += block
    program = []
    for following, (operation, operand, *targets) in enumerate(instructions, 1):
        if_true, if_false = (starts[target] - following if target else 0 for target in targets)
        program.append(struct.pack("=HBBI", operation, if_true, if_false, operand))
    return b"".join(program)


def _python_paths() -> list[Path]:
    """List the paths of this Python, its libraries and this package.

    A prefix may be somebody's home, so only the files that Python installs in it are listed.
    """
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
    """List the folders of installed packages; other folders on Python's path may contain anything."""
    return [
        Path(entry) for entry in sys.path if Path(entry).name in ("site-packages", "dist-packages")
    ]
