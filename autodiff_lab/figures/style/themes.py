"""The colours of a picture: for a light page, for a dark one, and for a page that may be either."""

from __future__ import annotations

import re
from typing import NamedTuple

from autodiff_lab.text import notation
from autodiff_lab.text.options import one_of


class Theme(NamedTuple):
    """One colour for each role; every ink reaches a contrast of 4.5 on every paper (WCAG AA)."""

    paper: str
    adjoint_paper: str
    constant_paper: str
    ink: str
    soft_ink: str
    line: str
    faint: str
    value: str
    adjoint: str
    tangent: str


LIGHT = Theme(
    paper=notation.PAPER,
    adjoint_paper=notation.ADJOINT_PAPER,
    constant_paper="#F3F3F3",
    ink=notation.INK,
    soft_ink=notation.SOFT_INK,
    line=notation.LINE,
    faint="#DADADA",
    value=notation.VALUE_INK,
    adjoint=notation.ADJOINT_INK,
    tangent=notation.TANGENT_INK,
)

# The paper is JupyterLab's dark page; the inks are Okabe and Ito's hues, made light.
DARK = Theme(
    paper="#111111",
    adjoint_paper="#2E1C0C",
    constant_paper="#262626",
    ink="#EDEDED",
    soft_ink="#A9AEB4",
    line=notation.LINE,
    faint="#3A3A3A",
    value="#3CCB9B",
    adjoint="#FF9A5C",
    tangent="#6DB9F2",
)

THEMES = ("auto", "light", "dark")

_TAG = re.compile(r"<[^<>]*>")


def theme_of(function: str, name: str) -> Theme:
    """Give the colours of a theme; ``"auto"`` is drawn light, and `following` lets it follow the page.

    >>> theme_of("draw", "dark").ink
    '#EDEDED'
    """
    return DARK if one_of(function, "theme", name, THEMES) == "dark" else LIGHT


def following(svg: str) -> str:
    """Let a light picture turn dark where its page is dark.

    Notes
    -----
    A picture in an ``<img>`` cannot see the page, but it is told the colour scheme that the page declares.

    >>> following('<svg width="9"><path fill="#1a1a1a"/></svg>').partition("</style>")[2]
    '<path fill="var(--ink,#1A1A1A)"/></svg>'
    """
    roles = {
        getattr(LIGHT, role).lower(): role for role in Theme._fields if getattr(LIGHT, role) != getattr(DARK, role)
    }
    used = set()

    def role(found: re.Match[str]) -> str:
        name = roles[found[0].lower()]
        used.add(name)
        return f"var(--{name},{getattr(LIGHT, name)})"

    colours = re.compile(rf"(?:{'|'.join(map(re.escape, roles))})\b", re.IGNORECASE)
    head, tag, rest = svg.partition("<svg")
    # In tags only: a name that looks like a colour stays what it is.
    inside = rest[: rest.index(">") + 1] + _TAG.sub(
        lambda found: colours.sub(role, found[0]), rest[rest.index(">") + 1 :]
    )
    end = inside.index(">") + 1
    dark = ";".join(f"--{name}:{getattr(DARK, name)}" for name in Theme._fields if name in used)
    style = f"<style>@media (prefers-color-scheme:dark){{svg{{{dark}}}}}</style>"
    return f"{head}{tag}{inside[:end]}{style}{inside[end:]}"
