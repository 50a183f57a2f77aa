"""The run in words: every sentence, numbered, under its phase."""

import re

import pytest

from autodiff_lab import Trace

from ..example import example
from ..runs import RUNS


@pytest.mark.parametrize("name", RUNS)
def test_every_sentence_is_there_once_and_numbered(name):
    trace = RUNS[name]()
    text = trace.transcript().text()
    for n, step in enumerate(trace.steps, 1):
        assert re.search(rf"^ *{n}\. {re.escape(step.sentence)}$", text, re.MULTILINE)
    assert len(re.findall(r"^ *\d+\. ", text, re.MULTILINE)) == len(trace.steps)


def test_phases_are_headings():
    transcript = Trace.of(example, 2.0, 5.0).transcript()
    assert [section.heading for section in transcript.sections] == [
        "Recording",
        "Seed",
        "Reverse sweep",
    ]
    assert [line for line in transcript.markdown().splitlines() if line.startswith("#")] == [
        "## f(x1, x2)".replace("f(", "example("),
        "### Recording",
        "### Seed",
        "### Reverse sweep",
    ]
    assert "8. Start the sweep" in transcript.markdown()
    assert RUNS["forward"]().transcript().sections[0].heading == "Forward, values with tangents"


def test_what_is_unusual_is_said():
    faulty, constant = RUNS["faulty"](), RUNS["constant"]()
    assert faulty.warning in faulty.transcript().text()
    assert constant.note in constant.transcript().text()


def test_markdown_escapes_names():
    markdown = RUNS["<script>"]().transcript().markdown()
    assert "<script>" not in markdown
    assert "&lt;script&gt;" in markdown
    starred = Trace.of(lambda x: (x * 2) ** x, 2.0).transcript()
    assert "\\*\\*" in starred.markdown() or "**" not in starred.text()
    assert starred._repr_markdown_() == starred.markdown()
