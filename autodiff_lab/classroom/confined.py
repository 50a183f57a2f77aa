"""Run somebody else's program where it can do little harm: for a while, in so much memory, in a folder of its own.

Time and memory are limited everywhere but on Windows, which limits time alone. The network and the rest of the file
system are shut off where the system has a program for it: `bwrap` (Debian's package ``bubblewrap``), or ``unshare`` for
the network. `walls()` says which of these this machine has.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

__all__ = ["Done", "run_confined", "walls"]

MOST_SAID = 2_000_000
"""Bytes of output that are read; whoever says more is cut short."""


@dataclass(frozen=True)
class Done:
    """How a confined program ended.

    Attributes
    ----------
    ended : str
        ``"by itself"``, ``"out of time"``, or ``"killed"`` (by the system: usually for want of memory).
    code : int
        Its exit code; negative for a signal.
    said : bytes
        What it wrote to its standard output, as far as it was read.
    """

    ended: Literal["by itself", "out of time", "killed"]
    code: int
    said: bytes


def run_confined(
    command: Sequence[str],
    folder: Path,
    *,
    seconds: float,
    megabytes: int,
    hidden: Sequence[Path] = (),
    variables: Mapping[str, str] | None = None,
) -> Done:
    r"""Run a command that may write into `folder` only, and end it when its time is over.

    Parameters
    ----------
    command : sequence of str
    folder : Path
        Where it runs, its home, and the place of its temporary files.
    seconds : float
        How long it may take, by the clock on the wall.
    megabytes : int
        How much memory it may ask for.
    hidden : sequence of Path
        Folders that it must not see, where the system can hide them.
    variables : mapping, optional
        Environment variables that it is given besides the few that it needs.

    Examples
    --------
    >>> import sys, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run_confined([sys.executable, "-c", "print(6 * 7)"], Path(folder), seconds=60, megabytes=2000)
    Done(ended='by itself', code=0, said=b'42\n')
    """
    (folder / "tmp").mkdir(exist_ok=True)
    process = subprocess.Popen(
        [*_walled(folder, hidden), *command],
        cwd=folder,
        env={**_environment(folder), **(variables or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=_limits(seconds, megabytes),
    )
    said = bytearray()
    reader = threading.Thread(target=_read, args=(process.stdout, said), daemon=True)
    reader.start()
    try:
        process.wait(seconds)
        ended: Literal["by itself", "out of time", "killed"] = "by itself" if process.returncode >= 0 else "killed"
    except subprocess.TimeoutExpired:
        ended = "out of time"
    finally:
        _end(process)
    reader.join(5)
    return Done(ended, process.returncode, bytes(said))


def _read(pipe: object, said: bytearray) -> None:
    """Read what is said; beyond the limit it is thrown away, so that nobody waits at a full pipe."""
    while chunk := pipe.read1(65536):  # type: ignore[attr-defined]
        said += chunk[: max(0, MOST_SAID - len(said))]


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the program and whatever it has started."""
    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    except ProcessLookupError:
        pass
    process.wait(30)


def _environment(folder: Path) -> dict[str, str]:
    """Nothing of the lecturer's own: no keys, no home, no proxies."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT") if name in os.environ}
    own = {name: str(folder) for name in ("HOME", "USERPROFILE", "IPYTHONDIR", "MPLCONFIGDIR")}
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # each thread asks for memory of its own
    return {**kept, **own, **threads, "TMPDIR": str(folder / "tmp"), "MPLBACKEND": "agg"}


def _limits(seconds: float, megabytes: int) -> Callable[[], None] | None:
    """What the system holds the program to; None where it cannot (Windows)."""
    if os.name == "nt":
        return None
    import resource

    def limit() -> None:
        for what, most in (
            (resource.RLIMIT_AS, megabytes * 1_000_000),
            (resource.RLIMIT_CPU, int(2 * seconds) + 1),
            (resource.RLIMIT_FSIZE, 50_000_000),
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_NPROC, 512),
        ):
            hard = resource.getrlimit(what)[1]
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(what, (most, most))

    return limit


def walls() -> str:
    """What keeps a program from the network and from other files on this machine, in words."""
    return {
        "bwrap": "no network, and no files but its own (bwrap)",
        "unshare": "no network (unshare); files are not shut off: install bubblewrap",
        "": "neither network nor files are shut off here: install bubblewrap (Linux)",
    }[_wall()]


@cache
def _wall() -> str:
    """The best wall that works here; inside some containers the program is there and does not."""
    for name, options in (("bwrap", _bwrap(Path("/"), ())), ("unshare", ["--map-root-user", "--net"])):
        found = shutil.which(name)
        if found and subprocess.run([found, *options, "true"], capture_output=True, check=False).returncode == 0:
            return name
    return ""


def _bwrap(folder: Path, hidden: Sequence[Path]) -> list[str]:
    # A process space of its own: what the program leaves running ends with it.
    options = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-all", "--die-with-parent"]
    for place in hidden:
        options += ["--tmpfs", str(place)]
    return options if folder == Path("/") else [*options, "--bind", str(folder), str(folder), "--chdir", str(folder)]


def _walled(folder: Path, hidden: Sequence[Path]) -> list[str]:
    wall = _wall()
    if wall == "bwrap":
        return ["bwrap", *_bwrap(folder.resolve(), [path.resolve() for path in hidden])]
    return ["unshare", "--map-root-user", "--net"] if wall == "unshare" else []
