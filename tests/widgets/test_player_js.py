"""The player's JavaScript: its pure half under node, its colours by calculation."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from autodiff_lab.figures import equations
from autodiff_lab.figures.trace import Trace
from autodiff_lab.widgets import page

from .cases import CASES

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed, so the player's pure half is not tested")


@pytest.fixture(scope="module")
def cases(tmp_path_factory) -> Path:
    traces = {name: Trace.of(f, *args) for name, (f, args) in CASES.items()}
    data = {
        "payloads": {name: {"trace": trace.to_dict()} for name, trace in traces.items()},
        "adjoints": {
            name: [[adjoint and adjoint.text for adjoint in trace.adjoints_at(s)] for s in range(-1, len(trace.steps))]
            for name, trace in traces.items()
        },
        "sentences": {name: [step.sentence for step in trace.steps] for name, trace in traces.items()},
        "equations": {
            name: [[equation.text for equation in step.equations] for step in trace.steps]
            for name, trace in traces.items()
        },
        "kinds": equations.KINDS,
    }
    path = tmp_path_factory.mktemp("player") / "cases.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


@needs_node
@pytest.mark.parametrize("lean", [False, True], ids=["as written", "as exported"])
def test_pure_half_under_node(cases, tmp_path, lean):
    module = page.SCRIPT
    if lean:
        module = tmp_path / "player.mjs"
        module.write_text(page._lean(page.SCRIPT), encoding="utf-8")
    environment = os.environ | {"PLAYER_JS": str(module), "PLAYER_CASES": str(cases)}
    tests = Path(__file__).with_name("player.test.mjs")
    done = subprocess.run([NODE, "--test", str(tests)], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_in_the_module_reaches_for_the_network():
    for path in (page.SCRIPT, page.STYLE):
        text = path.read_text(encoding="utf-8")
        addresses = set(re.findall(r"https?://[^\s\"']+", text)) - {"http://www.w3.org/2000/svg"}
        assert not addresses
        assert not re.search(r"@import|@font-face|\bfetch\(|XMLHttpRequest|innerHTML|outerHTML|eval\(", text)


def test_every_style_rule_stays_inside_the_player():
    css = re.sub(r"/\*.*?\*/", "", page.STYLE.read_text(encoding="utf-8"), flags=re.DOTALL)
    for selectors in re.findall(r"([^{}]+)\{", css):
        if selectors.strip().startswith("@"):
            continue
        for selector in re.split(r",(?![^(]*\))", selectors):
            assert ".adl-player" in selector, selector


def _colours() -> dict[str, tuple[str, str]]:
    css = page.STYLE.read_text(encoding="utf-8")
    return {name: (light, dark) for name, light, dark in re.findall(r"--adl-(\S+): light-dark\((\S+), (\S+)\);", css)}


def _contrast(one: str, other: str) -> float:
    def luminance(colour: str) -> float:
        channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("paper", ["paper", "raised", "value-tint", "adjoint-tint", "link", "warn-tint"])
@pytest.mark.parametrize("ink", ["ink", "soft", "value", "adjoint", "warn"])
def test_text_is_readable_on_every_ground(ink, paper, theme):
    colours = _colours()
    assert _contrast(colours[ink][theme], colours[paper][theme]) >= 4.5


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("line", ["edge", "focus", "value", "adjoint"])
def test_lines_are_visible(line, theme):
    colours = _colours()
    assert _contrast(colours[line][theme], colours["paper"][theme]) >= 3
