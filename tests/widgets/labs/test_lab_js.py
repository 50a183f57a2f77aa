"""The labs' JavaScript: details that ipywidgets leaves open, and a kernel that doesn't answer."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from autodiff_lab.widgets import labs
from autodiff_lab.widgets.labs import CheckpointTimeline, DualPlayground, NewtonHVP
from autodiff_lab.widgets.labs.dual_playground.lab import MAP
from autodiff_lab.widgets.labs.view import LabPicture, LabView

HERE = Path(labs.__file__).parent
NODE = shutil.which("node")

NOBODY = """
globalThis.HTMLElement = class {};
globalThis.customElements = { get: () => undefined, define: () => {} };
const { listen } = await import(%s);
const clocks = new Map();
globalThis.setTimeout = (ring) => clocks.set(clocks.size + 1, ring) && clocks.size;
globalThis.clearTimeout = (clock) => clocks.delete(clock);
const later = () => { const rings = [...clocks.values()]; clocks.clear(); for (const ring of rings) ring(); };
const told = {};
for (const way of ["silent", "closed"]) {
  const late = [], heard = new Set();
  let sent = 0;
  const model = {
    on: (event, listener) => event === "msg:custom" && heard.add(listener),
    off: (event, listener) => event === "msg:custom" && heard.delete(listener),
    send: () => { if (way === "closed") throw new Error("Cannot send"); sent += 1; },
  };
  const kernel = listen(model, (isLate) => late.push(isLate));
  kernel.ask(); kernel.ask();  // one question at a time
  const once = sent;
  later();
  kernel.ask();  // it may be there again
  for (const listener of heard) listener();
  later();
  kernel.ask();
  kernel.leave();
  later();
  told[way] = { once, sent, late, heard: heard.size };
}
console.log(JSON.stringify(told));
"""
needs_node = pytest.mark.skipif(
    NODE is None, reason="node is not installed, so the page's half is tested in the browser only"
)


@needs_node
def test_who_is_not_answered_is_told_until_an_answer_comes(tmp_path):
    module, script = tmp_path / "shell.mjs", tmp_path / "ask.mjs"
    module.write_text(LabView._esm, encoding="utf-8")
    script.write_text(NOBODY % json.dumps(module.as_uri()), encoding="utf-8")
    ran = subprocess.run([NODE, str(script)], capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    said = json.loads(ran.stdout)
    assert said["silent"] == {"once": 1, "sent": 3, "late": [True, False], "heard": 0}
    assert said["closed"] == {"once": 0, "sent": 0, "late": [True, False], "heard": 0}, (
        "there is no way to the kernel"
    )


@pytest.fixture
def in_the_page(tmp_path):
    """Call a function of the picture's module, as the page does."""
    module, script = tmp_path / "picture.mjs", tmp_path / "call.mjs"
    module.write_text(LabPicture._esm, encoding="utf-8")

    def call(name, *arguments):
        given = ", ".join(map(json.dumps, arguments))
        script.write_text(
            f"const {{ {name} }} = await import({json.dumps(module.as_uri())});\n"
            f"console.log(JSON.stringify({name}({given})));",
            encoding="utf-8",
        )
        ran = subprocess.run([NODE, str(script)], capture_output=True, text=True, timeout=60)
        assert ran.returncode == 0, ran.stderr
        return json.loads(ran.stdout)

    return call


def moves_of(lab, name):
    """How a handle in the picture of a lab moves its sliders."""
    handle = next(
        h for h in ElementTree.fromstring(lab.picture()).iter() if h.get("data-grip") == name
    )
    return json.loads(handle.get("data-moves"))


@needs_node
def test_point_and_seed_can_be_dragged(in_the_page):
    lab = DualPlayground()
    left, top, width, height = MAP

    def drag(name, x, y):
        sliders = lab.view.picture.sliders
        lab.set(**in_the_page("findValues", moves_of(lab, name), sliders, {"x": x, "y": y}))
        return lab.snapshot()

    assert drag("the point", left + width / 2, top + height / 2)["point"] == (3.0, 4.0)
    assert drag("head of the arrow", left + width / 2, top + height / 2 - height / 6)[
        "seed"
    ] == pytest.approx((0, 1))
    longest = drag("head of the arrow", left + 10 * width, top + height / 2)
    assert longest["seed"] == pytest.approx((2, 0)), "no longer than the slider"
    assert drag("the point", -1000, 5000)["point"] == (0.5, 1.5), "not off the map"


@needs_node
@pytest.mark.parametrize(
    ("key", "moved"),
    [
        ("ArrowRight", {"x1": 2.1}),
        ("ArrowLeft", {"x1": 1.9}),
        ("ArrowUp", {"x2": 5.1}),
        ("ArrowDown", {"x2": 4.9}),
        ("PageUp", {"x1": 3.0}),
        ("Home", {"x1": 0.5}),
        ("End", {"x1": 5.5}),
        ("a", None),
    ],
)
def test_the_arrow_keys_move_a_point_in_the_plane(in_the_page, key, moved):
    lab = DualPlayground()
    found = in_the_page("stepValue", moves_of(lab, "the point"), lab.view.picture.sliders, key)
    assert found == (moved if moved is None else pytest.approx(moved))


@needs_node
def test_all_arrow_keys_move_a_point_on_a_line(in_the_page):
    lab = NewtonHVP()
    moves, sliders = moves_of(lab, "start, on the curve"), lab.view.picture.sliders
    for key, start in (
        ("ArrowRight", 1.1),
        ("ArrowUp", 1.1),
        ("ArrowLeft", 0.9),
        ("ArrowDown", 0.9),
        ("Home", -2),
    ):
        assert in_the_page("stepValue", moves, sliders, key) == {"start": pytest.approx(start)}


@needs_node
def test_the_arrow_keys_go_from_action_to_action(in_the_page):
    lab = CheckpointTimeline()
    assert lab.length == lab.done == 40
    for key, done in (
        ("ArrowLeft", 39),
        ("ArrowLeft", 38),
        ("ArrowRight", 39),
        ("Home", 0),
        ("ArrowRight", 1),
    ):
        moves, sliders = moves_of(lab, "how far, in the timeline"), lab.view.picture.sliders
        lab.set(**in_the_page("stepValue", moves, sliders, key))
        assert lab.done == done


@needs_node
def test_a_direction_goes_round_and_a_quarter_of_it_ends(in_the_page):
    whole = {"value": 359, "low": 0, "high": 359, "step": 1}
    quarter = {"value": 90, "low": 0, "high": 90, "step": 1}
    turn = [
        {
            "control": "angle",
            "along": "turn",
            "scale": [[0, 0], [360, 360]],
            "center": [0, 0],
            "stops": None,
        }
    ]
    assert in_the_page("stepValue", turn, {"angle": whole}, "ArrowRight") == {"angle": 0}
    assert in_the_page("stepValue", turn, {"angle": quarter}, "ArrowRight") == {"angle": 90}
    below, behind = {"x": 100, "y": 20}, {"x": -100, "y": -20}
    assert in_the_page("findValues", turn, {"angle": quarter}, below) == {"angle": 0}
    assert in_the_page("findValues", turn, {"angle": quarter}, behind) == {"angle": 90}
    assert in_the_page("findValues", turn, {"angle": whole}, below)["angle"] == pytest.approx(
        348.69, abs=0.01
    )


def test_nothing_reaches_for_the_network_or_leaves_the_lab():
    scripts = "".join(
        (HERE / name).read_text(encoding="utf-8") for name in ("shell.js", "picture.js")
    )
    style = (HERE / "lab.css").read_text(encoding="utf-8")
    assert not re.search(r"https?://|@import|url\(", scripts + style)
    rules = re.findall(r"([^{};]+)\{", re.sub(r"/\*.*?\*/", "", style, flags=re.S))
    selectors = [rule for rule in rules if not rule.strip().startswith("@")]
    assert selectors and all(
        ".adl-lab" in part for selector in selectors for part in selector.split(",")
    )
