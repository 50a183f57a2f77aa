"""The journal of a grading run, ``grades.jsonl``: each row is added, signed, as soon as it is known.

An interrupted run continues from it. But anybody who can write to the folder could leave a journal there
that gives everybody full marks. So each line is signed with a key that only the person who grades can read
(`key_path`). A line without a signature, or with another key's, is ignored, and its notebook graded again.
"""

import hashlib
import hmac
import json
import os
import secrets
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from autodiff_lab.classroom.grading.hand_ins import open_regular_file
from autodiff_lab.classroom.grading.verdicts import Row, printable

JOURNAL = "grades.jsonl"
KEY_BYTES = 32


def key_path() -> Path:
    """Return the path of the key that signs journals, in the user's folder for program state.

    The environment variable ``XDG_STATE_HOME`` names another folder.
    """
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state, "autodiff-lab", "grading.key")


def load_key() -> bytes:
    """Read this user's key, or make one; if it cannot be stored, each run gets a new one."""
    path = key_path()
    with suppress(OSError, ValueError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not os.path.lexists(path):
            _make_key(path)
        with os.fdopen(open_regular_file(path, os.O_RDONLY), "rb") as file:
            permissions = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            key = file.read(KEY_BYTES + 1)
        # Windows reports permissions that say nothing about other users.
        is_shared = os.name != "nt" and permissions & 0o077
        if len(key) == KEY_BYTES and not is_shared:
            return key
    return secrets.token_bytes(KEY_BYTES)


def _make_key(path: Path) -> None:
    """Make a key, atomically: if another run makes one at the same time, the first one counts."""
    descriptor, name = tempfile.mkstemp(dir=path.parent)  # readable by its owner alone
    try:
        os.write(descriptor, secrets.token_bytes(KEY_BYTES))
        with suppress(FileExistsError):
            os.link(name, path)
    finally:
        os.close(descriptor)
        os.unlink(name)


def sign_row(row: Row, key: bytes) -> str:
    """Write a row as a line of the journal: JSON with a signature.

    >>> row = Row("ada.ipynb", "03", "ran")
    >>> json.loads(sign_row(row, b"mine"))["signature"] == json.loads(sign_row(row, b"theirs"))["signature"]
    False
    """
    return json.dumps({**json.loads(row.to_json()), "signature": _signature(row, key)})


def _signature(row: Row, key: bytes) -> str:
    return hmac.new(key, row.to_json().encode(), hashlib.sha256).hexdigest()


def read_journal(folder: Path, key: bytes) -> tuple[dict[str, Row], str]:
    """Read the rows of an earlier run in this folder, by file, with a note if some are not signed with this key."""
    rows: dict[str, Row] = {}
    unsigned = 0
    try:
        with os.fdopen(
            open_regular_file(folder / JOURNAL, os.O_RDONLY), encoding="utf-8", errors="replace"
        ) as journal:
            lines = journal.read().split("\n")
    except (OSError, ValueError):  # there is none, or it is a link: adding to it will say so
        return {}, ""
    for line in lines:
        # A line may have been cut short, or come from another version.
        with suppress(ValueError, TypeError, LookupError, AttributeError, RecursionError):
            data = json.loads(line)
            signature = str(data.pop("signature", ""))
            row = Row.from_json(json.dumps(data))
            if hmac.compare_digest(signature.encode(), _signature(row, key).encode()):
                rows[row.file] = row
            else:
                unsigned += 1
    if not unsigned:
        return rows, ""
    return rows, (
        f"{unsigned} of the rows in {printable(str(folder / JOURNAL))} are not signed with your key, so their "
        "notebooks are graded again. If you graded them yourself, on another machine, copy its key to this one first: "
        f"{key_path()}"
    )


def open_journal(folder: Path) -> TextIO:
    """Open the journal in a folder to add rows to it.

    Raises
    ------
    OSError, ValueError
        If it cannot be opened, or is a link or a device, since we would then write somewhere else.
    """
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    return os.fdopen(open_regular_file(folder / JOURNAL, flags), "a", encoding="utf-8")
