"""Bundles of JavaScript: the modules it is written in, joined to one text, as a page and anywidget take it."""

import re
from pathlib import Path

_IMPORT = re.compile(r'^import \{[^}]*\} from "(\.{1,2}/[\w./]+)";\n', re.MULTILINE)
_COMMENT = re.compile(r"(?<=\S)\s+// .*$")


def list_modules(last: Path) -> list[Path]:
    """List the JavaScript modules of a bundle in order: those that `last` imports, directly or not, then `last`.

    >>> names = [path.stem for path in list_modules(Path(__file__).with_name("player") / "js" / "widget.js")]
    >>> names.index("state") < names.index("mount") < names.index("widget")
    True
    """
    order: dict[Path, None] = {}
    for name in _IMPORT.findall(last.read_text(encoding="utf-8")):
        order |= dict.fromkeys(list_modules((last.parent / name).resolve()))
    return [*order, last]


def bundle(last: Path) -> str:
    """Bundle a JavaScript module and all that it imports into one module, which exports what its parts export."""
    # What one module exports is a name that the others see anyway, once they are one text.
    return "\n".join(strip_comments(_IMPORT.sub("", path.read_text(encoding="utf-8"))) for path in list_modules(last))


def strip_comments(text: str) -> str:
    r"""Strip JavaScript or CSS of comments and indentation for a bundle.

    The sources have no strings over several lines, and none with `` // ``.

    >>> strip_comments("let a = 1; // one\n\n  // another\n  a = 2;")
    'let a = 1;\na = 2;'
    """
    text = re.sub(r"^\s*/\*.*?\*/\s*$", "", text, flags=re.MULTILINE | re.DOTALL)
    lines = (_COMMENT.sub("", line).strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("// "))
