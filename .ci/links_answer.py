"""Check that every page that the project links to is still there.

    python .ci/links_answer.py            exits with 1 if a page is gone

It reads the Markdown files, the notebooks' text, and the citation. A page is gone if its server answers 404 or
410, or if there is no server, three times in a row. Pages that refuse programs are only listed. It skips Binder,
where a visit builds an image, and addresses with a part in capitals that readers fill in.
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
        address = found.rstrip(".,;:!?*_")
        while ends_with_unopened_bracket(address):
            address = address[:-1].rstrip(".,;:!?*_")
        if not NOT_ASKED.match(address):
            yield urldefrag(address).url


def ends_with_unopened_bracket(address: str) -> bool:
    """Whether an address ends with a closing bracket that it doesn't open."""
    if not address.endswith((")", "]")):
        return False
    opened = address.count("(") + address.count("[")
    closed = address.count(")") + address.count("]")
    return closed > opened


def texts(root: Path = ROOT) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of every file that people read."""
    yield "CITATION.cff", (root / "CITATION.cff").read_text(encoding="utf-8")
    for folder in FOLDERS:
        for path in sorted((root / folder).glob("*.md" if folder == "." else "**/*.md")):
            yield path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")
    for path in sorted((root / "notebooks").glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        prose = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
        yield path.name, "\n".join(prose)


def ask(address: str, wait: float = WAIT) -> str:
    """Return "" for a page that is there, otherwise the answer that came instead."""
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
        if not said:
            continue
        verdict = "GONE" if is_gone(said) else "look"
        pages_with_it = ", ".join(sorted({*where[address]}))
        print(f"{verdict}  {said}  {address}  in {pages_with_it}")
    gone = sum(map(is_gone, answers.values()))
    print(f"{len(answers)} pages, {gone} of them gone")
    return int(gone > 0 or not answers)


if __name__ == "__main__":
    sys.exit(main(texts()))
