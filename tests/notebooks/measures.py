"""How long a notebook is: its words, lines of code, exercises and pictures, and the minutes they take.

    python -m tests.notebooks.measures              all notebooks
    python -m tests.notebooks.measures 03 04        some
    python -m tests.notebooks.measures --gaps 03    also, from a real browser, the stretches without a picture

The minutes are those of a careful reader who tries every *Predict*. The speeds are fitted to what readers noted who
worked through notebooks 03 to 09, 13 and 14 of the first edition (75 to 130 minutes each, and 40 for reading 04).
"""

from __future__ import annotations

import argparse
import re
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import nbformat

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"

MOST_WORDS, MOST_WORDS_00, MOST_WORDS_ON_AVERAGE = 2800, 1000, 2250
LEAST_PICTURES = 6
SCREEN_PX = 620
"""What JupyterLab shows of a notebook at 1366 × 768."""
LONGEST_GAP_PX = 2 * SCREEN_PX

WORDS_PER_MINUTE, LINES_PER_MINUTE, MINUTES_PER_EXERCISE = 140, 12, 7.5
STEP_MINUTES = 5
EXERCISE = re.compile(r"^### Exercise \d\d\.\d+", re.MULTILINE)


class Measures(NamedTuple):
    """What is counted in one notebook."""

    words: int
    lines: int
    exercises: int
    pictures: int

    @property
    def reading_minutes(self) -> int:
        """Reading, running and predicting, without the exercises."""
        return _rounded(self.words / WORDS_PER_MINUTE + self.lines / LINES_PER_MINUTE)

    @property
    def minutes(self) -> int:
        """With the exercises."""
        exact = self.words / WORDS_PER_MINUTE + self.lines / LINES_PER_MINUTE
        return _rounded(exact + self.exercises * MINUTES_PER_EXERCISE)


def _rounded(minutes: float) -> int:
    return max(STEP_MINUTES, STEP_MINUTES * round(minutes / STEP_MINUTES))


def measure(path: Path) -> Measures:
    """Count what is in a notebook."""
    cells = nbformat.read(path, as_version=4).cells
    text = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    return Measures(
        words=len(words(text)),
        lines=sum(bool(line.strip()) for line in code.splitlines()),
        exercises=len(EXERCISE.findall(text)),
        pictures=sum(is_picture(output) for cell in cells for output in cell.get("outputs", [])) + text.count("!["),
    )


def words(text: str) -> list[str]:
    """Return the words of a text: no code, no formulas, no addresses; the words of a picture's alternative count.

    >>> words("The [tape](03.ipynb) holds $v_1$ and `v2`, [![Launch](a.svg)](b)")
    ['The', 'tape', 'holds', 'and']
    """
    for pattern in (
        r"\[!\[[^]]*\]\([^)]*\)\]\([^)]*\)",
        r"```.*?```|`[^`\n]*`|\$\$.*?\$\$|\$[^$]*\$|<[^>]*>",
        r"\]\([^)]*\)",
    ):
        text = re.sub(pattern, " ", text, flags=re.DOTALL)
    return re.findall(r"[^\W\d_][\w’'-]*", text)


def is_picture(output: Any) -> bool:
    """Whether an output is seen as a picture: a drawing, a plot, a player, a lab."""
    data = output.get("data", {})
    return "<img" in data.get("text/html", "") or any(kind.startswith("image/") for kind in data)


def gaps(path: Path, page: Any) -> list[tuple[int, str]]:
    """Return the stretches without a picture: how high in px, and the cell in which each begins; the highest first.

    `page` is Playwright's; the notebook is shown as wide as JupyterLab shows it at 1366 × 768, all outputs open.
    """
    from nbconvert import HTMLExporter

    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        # An empty output keeps an answer folded in JupyterLab; a page knows no folding.
        cell["outputs"] = [output for output in cell.get("outputs", []) if output.get("data") != {}]
    html, _ = HTMLExporter(template_name="lab", mathjax_url="", require_js_url="").from_notebook_node(notebook)
    page.route(re.compile("^http"), lambda route: route.abort())
    page.set_content(html, wait_until="load")
    return gaps_on(page, notebook)


def gaps_on(page: Any, notebook: Any) -> list[tuple[int, str]]:
    """As `gaps`, on a page that has the notebook already."""
    page.set_viewport_size({"width": 1034, "height": SCREEN_PX})
    page.wait_for_timeout(500)
    ids = [cell.id for cell in notebook.cells]
    tops, pictures, end = page.evaluate(_LOOK)
    found, free = [], tops[0]
    for top, bottom in [*sorted(pictures), (end, end)]:
        if top > free:
            found.append((round(top - free), ids[max(i for i, y in enumerate(tops) if y <= free)]))
        free = max(free, bottom)
    return sorted(found, reverse=True)


_LOOK = """() => {
    const box = element => { const b = element.getBoundingClientRect(); return [b.top, b.bottom]; };
    const seen = [...document.querySelectorAll('.jp-OutputArea-output img, .adl-player, .jp-RenderedMarkdown img')]
        .map(box).filter(([top, bottom]) => bottom - top > 60);
    const cells = [...document.querySelectorAll('.jp-Cell')];
    return [cells.map(cell => box(cell)[0]), seen, box(cells.at(-1))[1]];
}"""


def main() -> None:
    """Print what was counted, a line for each notebook."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("numbers", nargs="*")
    parser.add_argument("--gaps", action="store_true", help="also show where there is no picture (needs Chromium)")
    options = parser.parse_args()
    paths = [p for p in sorted(NOTEBOOKS.glob("[0-9][0-9]_*.ipynb")) if p.name[:2] in (options.numbers or p.name[:2])]
    for path in paths:
        m = measure(path)
        print(
            f"{path.name[:2]}  {m.words:5} words  {m.lines:4} lines  {m.exercises:2} exercises  "
            f"{m.pictures:2} pictures  {m.minutes:3} minutes with the exercises, {m.reading_minutes} minutes without"
        )
    print(sum(measure(path).words for path in paths), "words")
    if options.gaps:
        from playwright.sync_api import sync_playwright

        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
            for path in paths:
                page = browser.new_page()
                long = [gap for gap in gaps(path, page) if gap[0] > LONGEST_GAP_PX]
                print(path.name[:2], "longest without a picture:", *(f"{px} px from {cell};" for px, cell in long))
                page.close()


if __name__ == "__main__":
    main()
