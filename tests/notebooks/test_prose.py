"""The numbers in the text are the numbers in the output."""

import re

import pytest

from .reading import NOTEBOOKS, exercises, read, shown

DECIMAL = re.compile(r"(?<![\w.])[-−]?\d+\.\d+(?![\w.]*\d)")
EXERCISE = re.compile(r"[Ee]xercise \d+[a-z]?")
ADDRESS = re.compile(r"\]\(\S*?\)")


def decimals(text: str) -> list[str]:
    return [
        found.replace("−", "-")
        for found in DECIMAL.findall(EXERCISE.sub("", ADDRESS.sub("]", text)))
    ]


def is_shown(number: str, outputs: set[float]) -> bool:
    """Whether some output is this number, to the digits that the text gives."""
    half = 0.5 * 10.0 ** -len(number.split(".")[1])
    return any(abs(abs(float(number)) - abs(output)) <= half * 1.000001 for output in outputs)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_numbers_in_the_text_are_in_an_output(path):
    cells = read(path).cells
    outputs = {float(n) for cell in cells for n in decimals(shown(cell) + " " + html_text(cell))}
    typed = {float(n) for cell in cells if cell.cell_type == "code" for n in decimals(cell.source)}
    answers = {
        float(n)
        for slug, exercise in exercises()
        if path.stem[3:] == slug
        for n in decimals(f"{exercise.expected} {exercise.cases}")
    }
    missing = [
        f"{number} in cell {cell.id}"
        for cell in cells
        if cell.cell_type == "markdown"
        for number in decimals(cell.source)
        if not is_shown(number, outputs | typed | answers)
    ]
    assert not missing


def html_text(cell) -> str:
    pages = [output.get("data", {}).get("text/html", "") for output in cell.get("outputs", [])]
    return re.sub(r"<(script|style|svg)\b.*?</\1>|<[^>]*>", " ", " ".join(pages), flags=re.S)


def test_a_wrong_number_is_found():
    assert decimals("v0 holds −0.2837, see exercise 4 and `v1`, not 1.2.3") == ["-0.2837"]
    assert decimals("0.5 as in [Chen](https://arxiv.org/abs/1604.06174) (2016)") == ["0.5"]
    assert is_shown("1.7163", {1.7163378145367738})
    assert not is_shown("1.7164", {1.7163378145367738})
