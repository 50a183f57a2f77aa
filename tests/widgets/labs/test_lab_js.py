"""The page's half of the labs: what ipywidgets leaves unsaid, and a kernel that does not answer."""

import json
import re
import shutil
import subprocess

import pytest

from autodiff_lab.widgets.labs.view import HERE, LabView

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
    assert said["closed"] == {"once": 0, "sent": 0, "late": [True, False], "heard": 0}, "there is no way to the kernel"


def test_nothing_reaches_for_the_network_or_leaves_the_lab():
    scripts = "".join((HERE / name).read_text(encoding="utf-8") for name in ("shell.js", "picture.js"))
    style = (HERE / "lab.css").read_text(encoding="utf-8")
    assert not re.search(r"https?://|@import|url\(", scripts + style)
    rules = re.findall(r"([^{};]+)\{", re.sub(r"/\*.*?\*/", "", style, flags=re.S))
    selectors = [rule for rule in rules if not rule.strip().startswith("@")]
    assert selectors and all(".adl-lab" in part for selector in selectors for part in selector.split(","))
