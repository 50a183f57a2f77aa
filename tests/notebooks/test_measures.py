"""No notebook asks more of its reader than it says: words, pictures, minutes."""

import pytest

from .measures import (
    LEAST_PICTURES,
    MOST_WORDS,
    MOST_WORDS_00,
    MOST_WORDS_ON_AVERAGE,
    Measures,
    measure,
    words,
)
from .reading import NOTEBOOKS, read

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem[:2])


@every_notebook
def test_a_notebook_has_few_words(path):
    assert measure(path).words <= (MOST_WORDS_00 if path.name.startswith("00") else MOST_WORDS)


def test_the_course_has_few_words():
    assert sum(measure(path).words for path in NOTEBOOKS) <= MOST_WORDS_ON_AVERAGE * len(NOTEBOOKS)


@every_notebook
def test_a_notebook_has_pictures(path):
    assert measure(path).pictures >= LEAST_PICTURES


@every_notebook
def test_the_minutes_are_those_of_a_careful_reader(path):
    found = measure(path)
    time = f"| **Time** | {found.minutes} minutes with the exercises, {found.reading_minutes} minutes without |"
    said = read(path).cells[0].source.replace("with the exercise,", "with the exercises,")
    assert time in said, f"write {time}"


def test_code_formulas_and_addresses_are_no_words():
    text = "Look at `a + b`, $x_1$ and\n```python\nx = 1\n```\n[the tape](03.ipynb#cell-id=tape), <b>here</b>."
    assert words(text) == ["Look", "at", "and", "the", "tape", "here"]


def test_minutes_grow_with_words_code_and_exercises():
    least = Measures(words=1400, lines=60, exercises=0, pictures=6)
    assert (least.reading_minutes, least.minutes) == (15, 15)
    assert least._replace(exercises=2).minutes == 30
    assert least._replace(words=2800).reading_minutes == 25
