"""The Python behind the website's box for a visitor's function; `.ci/site/visit_box.py` tries the whole in Chromium."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

BOX = Path(__file__).parents[2] / ".ci/site/box"

# In a process of its own: there, the session puts a stand-in into anywidget's place.
ASK = """
import json, sys
sys.path.insert(0, sys.argv[1])
import session
print(json.dumps([json.loads(getattr(session, name)(given)) for name, given in json.load(sys.stdin)]))
"""


def ask(*questions):
    done = subprocess.run(
        [sys.executable, "-c", ASK, str(BOX)],
        input=json.dumps(questions),
        text=True,
        capture_output=True,
        check=True,
    )
    return json.loads(done.stdout)


def test_each_function_that_is_offered_plays():
    offered = tomllib.loads((BOX / "functions.toml").read_text(encoding="utf-8"))["function"]
    answers = ask(*(("run", one["program"].lstrip()) for one in offered))
    assert len(offered) == 6
    for one, answer in zip(offered, answers, strict=True):
        assert (
            answer["title"]
            and "text" not in answer
            and answer["state"]["payload"]["trace"]["steps"]
        ), one["name"]


def test_a_slider_runs_it_again_and_only_what_changed_is_sent():
    run, changed = ask(
        ("run", "def f(x):\n    return x * x\nplay(f, 3.0)"), ("change", '{"inputs": [4.0]}')
    )
    assert run["state"]["inputs"] == [3.0]
    assert changed["state"]["inputs"] == [4.0] and "16" in json.dumps(changed["state"]["payload"])
    assert "mode" not in changed["state"] and "title" not in changed


def test_what_the_page_may_not_set_is_left_alone():
    run, changed = ask(
        ("run", "play(lambda x: x * x, 3.0)"), ("change", '{"inputs": "many", "mode": "sideways"}')
    )
    assert "title" in run and changed == {"state": {}}


@pytest.mark.parametrize(
    ("program", "line", "words"),
    [
        ("def f(x):\n    return x *\n", 2, "can't read this line"),
        ("import torch", 1, "There is no torch in this page"),
        ("x = 1\nraise SystemExit", 2, "SystemExit"),
        ("def f(x, y):\n    return x", 2, "play(f, 2.0, 5.0)"),
        ("a = 1", 1, "end with a line such as play(f, 2.0, 5.0)"),
        ("play(g, 1.0)", 1, "np, ad and play are there already"),
        ("raise MemoryError", 1, "more memory"),
        ("raise ValueError('\\u202e' + 'x' * 10_000)", 1, "ValueError: \ufffdxxx"),
    ],
)
def test_a_mistake_is_said_at_its_line(program, line, words):
    (answer,) = ask(("run", program))
    assert answer["line"] == line and words in answer["text"] and len(answer["text"]) <= 1000
    assert "state" not in answer


def test_a_function_that_raises_is_played_up_to_there_and_its_line_is_marked():
    (answer,) = ask(("run", "def f(x):\n    y = x * 2\n    raise ValueError('no')\n\nplay(f, 3.0)"))
    assert (answer["line"], answer["text"]) == (3, "ValueError: no") and answer["title"] == "f(x)"
