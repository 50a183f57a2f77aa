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


@pytest.mark.skipif(NODE is None, reason="node is not installed, so the page's half is tested in the browser only")
def test_only_the_latest_place_is_sent_and_every_press(tmp_path):
    module = tmp_path / "lab.mjs"
    module.write_text(LabView._esm, encoding="utf-8")
    script = tmp_path / "ask.mjs"
    script.write_text(SCRIPT % json.dumps(module.as_uri()), encoding="utf-8")
    done = subprocess.run([NODE, str(script)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    first, second, third = said["sent"]
    assert first == {"set": {"h": 1}, "press": [], "message": 1}
    assert second == {"set": {"h": 4, "n": 7}, "press": ["next", "next"], "message": 2}
    assert third["drag"] == ["seed", 1, 2] and third["set"] == {}
    assert said["busy"] and said["early"] == 1 and not said["done"]


def test_nothing_reaches_for_the_network_or_leaves_the_lab():
    script, style = ((HERE / name).read_text(encoding="utf-8") for name in ("lab.js", "lab.css"))
    assert not re.search(r"https?://|@import|url\(", script + style)
    selectors = re.findall(r"^([^@/\s][^{]*)\{", style, flags=re.M)
    assert selectors and all(".adl-lab" in part for selector in selectors for part in selector.split(","))
