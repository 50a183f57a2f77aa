"""The bundles of the widgets' JavaScript and CSS, which pages and anywidget load.

`python -m tests.generate bundle` makes them with esbuild. They are committed, so you need Node only to change them.
"""

from pathlib import Path

BUNDLES = Path(__file__).with_name("bundles")


def read_bundle(name: str) -> str:
    """Read a bundle of JavaScript or CSS.

    >>> "mount" in read_bundle("player.js")
    True
    """
    return (BUNDLES / name).read_text(encoding="utf-8")
