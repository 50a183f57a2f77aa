"""What is said at the end of a run, whichever worker did the work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

SCREENSHOTS = Path(__file__).parent / "browser" / "screenshots"


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Where the pictures are that the browser tests have left."""
    ran = [each for kind in ("passed", "failed") for each in terminalreporter.stats.get(kind, [])]
    if any(each.nodeid.startswith("tests/browser/") for each in ran):
        shots = len(list(SCREENSHOTS.glob("*.png")))
        terminalreporter.write_line(f"{shots} screenshots of the browser tests: {SCREENSHOTS}")
