"""The page's half of the labs: what is asked while an answer is on its way."""

import json
import re
import shutil
import subprocess

import pytest

from autodiff_lab.widgets.labs.view import HERE, LabView

NODE = shutil.which("node")

SCRIPT = """
import { sender } from %s;
const sent = [], late = [];
const talk = sender((message) => sent.push(message), (isLate) => late.push(isLate));
talk.ask({ set: { h: 1 } });
for (const h of [2, 3, 4]) talk.ask({ set: { h } });          // a slider is dragged on
talk.ask({ press: ["next"] }); talk.ask({ press: ["next"] });  // two presses
talk.ask({ set: { n: 7 } });
const busy = talk.busy;
talk.answered(0);                                              // the state changed for another reason
const early = sent.length;
talk.answered(1);
talk.answered(2);
talk.ask({ drag: ["seed", 1, 2] });
talk.answered(3);
console.log(JSON.stringify({ sent, busy, early, done: talk.busy }));
"""

NOBODY = """
import { sender } from %s;
const clocks = new Map();
globalThis.setTimeout = (ring) => clocks.set(clocks.size + 1, ring) && clocks.size;
globalThis.clearTimeout = (clock) => clocks.delete(clock);
const later = () => { const rings = [...clocks.values()]; clocks.clear(); for (const ring of rings) ring(); };
const told = {};
for (const way of ["silent", "closed"]) {
  const sent = [], late = [];
  const talk = sender((message) => {
    if (way === "closed") throw new Error("Cannot send");
    sent.push(message.message);
  }, (isLate) => late.push(isLate));
  for (let k = 0; k < 2; k += 1) {
    try { talk.ask({ press: ["next"] }); } catch { /* the console has it */ }
    later();
  }
  talk.answered(1);  // to what nobody waits for any more
  talk.answered(2);
  told[way] = { sent, late };
}
console.log(JSON.stringify(told));
"""
needs_node = pytest.mark.skipif(
    NODE is None, reason="node is not installed, so the page's half is tested in the browser only"
)


@pytest.fixture
def run(tmp_path):
    """Run a script that imports the page's half, and return what it prints."""

    def done(text):
        module, script = tmp_path / "lab.mjs", tmp_path / "ask.mjs"
        module.write_text(LabView._esm, encoding="utf-8")
        script.write_text(text % json.dumps(module.as_uri()), encoding="utf-8")
        ran = subprocess.run([NODE, str(script)], capture_output=True, text=True, timeout=60)
        assert ran.returncode == 0, ran.stderr
        return json.loads(ran.stdout)

    return done


@needs_node
def test_only_the_latest_place_is_sent_and_every_press(run):
    said = run(SCRIPT)
    first, second, third = said["sent"]
    assert first == {"set": {"h": 1}, "press": [], "message": 1}
    assert second == {"set": {"h": 4, "n": 7}, "press": ["next", "next"], "message": 2}
    assert third["drag"] == ["seed", 1, 2] and third["set"] == {}
    assert said["busy"] and said["early"] == 1 and not said["done"]


@needs_node
def test_an_unanswered_press_is_said_and_may_be_repeated(run):
    said = run(NOBODY)
    assert said["silent"] == {"sent": [1, 2], "late": [True, True, False]}
    assert said["closed"] == {"sent": [], "late": [True, True, False]}, "there is no way to the kernel"


def test_nothing_reaches_for_the_network_or_leaves_the_lab():
    script, style = ((HERE / name).read_text(encoding="utf-8") for name in ("lab.js", "lab.css"))
    assert not re.search(r"https?://|@import|url\(", script + style)
    selectors = re.findall(r"^([^@/\s][^{]*)\{", style, flags=re.M)
    assert selectors and all(".adl-lab" in part for selector in selectors for part in selector.split(","))
