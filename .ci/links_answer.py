"""Ask every page that the project links to whether it is still there.

    python .ci/links_answer.py            exits with 1 where a page is gone

Read are the Markdown files, the notebooks' text, and the citation. A page counts as gone if its server says so (404,
410) or if there is no server, three times in a row; one that only does not want to be asked by a program is listed. Not
asked: Binder, where a visit builds an image; addresses with a part in capitals that the reader fills in.
"""

from __future__ import annotations

import json
import re
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from pathlib import Path
from urllib.parse import urldefrag

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = (".", ".github", "autodiff_lab", "notebooks", "tests")
NOT_ASKED = re.compile(r"https?://(mybinder\.org/v2/|[^/]*(127\.0\.0\.1|localhost|YOUR))")
ADDRESS = re.compile(r"https?://[^\s<>\"'`\\{}|^]+")
TRIES, WAIT = 3, 5.0


def addresses(text: str) -> Iterator[str]:
    """Find the addresses in a text; a bracket or a full stop after one belongs to the sentence."""
    for found in ADDRESS.findall(text):
        end = found.rstrip(".,;:!?*_")
        while end.endswith((")", "]")) and end.count(")") + end.count("]") > end.count(
            "("
        ) + end.count("["):
            end = end[:-1].rstrip(".,;:!?*_")
        if not NOT_ASKED.match(end):
            yield urldefrag(end).url


def texts(root: Path = ROOT) -> Iterator[tuple[str, str]]:
    """Go through what people read: a file's name, and its text."""
    yield "CITATION.cff", (root / "CITATION.cff").read_text(encoding="utf-8")
    for folder in FOLDERS:
        for path in sorted((root / folder).glob("*.md" if folder == "." else "**/*.md")):
            yield path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")
    for path in sorted((root / "notebooks").glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        yield (
            path.name,
            "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"),
        )


def ask(address: str, wait: float = WAIT) -> str:
    """Return "" for a page that is there, else what was answered in its stead."""
    said = ""
    for attempt in range(TRIES):
        time.sleep(attempt * wait)
        request = urllib.request.Request(
            address, headers={"User-Agent": "Mozilla/5.0 (links of autodiff_lab)"}
        )
        try:
            with urllib.request.urlopen(request, timeout=30):
                return ""
        except urllib.error.HTTPError as error:
            said = str(error.code)
            if error.code in (404, 410):
                continue
            if error.code < 500:
                return said
        except (OSError, HTTPException, ValueError) as error:
            said = f"no answer ({getattr(error, 'reason', error)})"
    return said


def is_gone(said: str) -> bool:
    """Whether an answer says that there is no such page."""
    return said.startswith("no answer") or said in ("404", "410")


def main(pages: Iterable[tuple[str, str]]) -> int:
    """Ask for each address once, and say where it is linked from."""
    where: dict[str, list[str]] = {}
    for name, text in pages:
        for address in addresses(text):
            where.setdefault(address, []).append(name)
    with ThreadPoolExecutor(8) as several:
        answers = dict(zip(where, several.map(ask, where), strict=True))
    for address, said in sorted(answers.items()):
        if said:
            print(
                f"{'GONE' if is_gone(said) else 'look'}  {said}  {address}  in {', '.join(sorted({*where[address]}))}"
            )
    gone = sum(map(is_gone, answers.values()))
    print(f"{len(answers)} pages, {gone} of them gone")
    return int(gone > 0 or not answers)


if __name__ == "__main__":
    sys.exit(main(texts()))
