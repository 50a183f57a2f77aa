"""What axe-core finds on a page (`vendor/` has it); its own words say where and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

AXE = Path(__file__).with_name("vendor") / "axe.min.js"

# Contrast against stripes and under the arrows axe cannot measure; contrast.js looks at every text instead.
_RUN = """async (where) => {
    const { violations } = await axe.run(where, { resultTypes: ["violations"] });
    const where_and_why = ({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary}`;
    return violations.filter(({ impact }) => ["serious", "critical"].includes(impact))
        .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map(where_and_why).join("; ")}`);
}"""


def serious(page: Any, where: str) -> list[str]:
    """What is serious or critical inside the elements that the selector `where` finds, in the state they are in now."""
    assert page.locator(where).count(), "there is something to look at"
    if not page.evaluate("Boolean(window.axe)"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    return page.evaluate(_RUN, where)
