"""The palette: the colours of every picture, for a light page, for a dark one, and for a page that may be either."""

from __future__ import annotations

import re
from typing import NamedTuple

from autodiff_lab.text.arguments import check_choice

# Okabe and Ito's colours, safe for colour-blind readers: https://jfly.uni-koeln.de/color/
GREEN = "#009E73"
VERMILION = "#D55E00"
BLUE = "#0072B2"
# One grey that stays visible on white and on #111, for lines that are drawn on the page itself.
_GREY = "#808080"


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


# The inks are the same hues, darkened until text of 14 px reaches a contrast of 4.5 on a white box (WCAG AA).
LIGHT = Theme(
    paper="#FFFFFF",
    adjoint_paper="#FFF1E6",
    constant_paper="#F3F3F3",
    ink="#1A1A1A",
    soft_ink="#5F6368",
    line=_GREY,
    faint="#DADADA",
    value="#00704F",
    adjoint="#B04A00",
    tangent="#0069A6",
)

# The paper is JupyterLab's dark page; the inks are Okabe and Ito's hues, made light.
DARK = Theme(
    paper="#111111",
    adjoint_paper="#2E1C0C",
    constant_paper="#262626",
    ink="#EDEDED",
    soft_ink="#A9AEB4",
    line=_GREY,
    faint="#3A3A3A",
    value="#3CCB9B",
    adjoint="#FF9A5C",
    tangent="#6DB9F2",
)

ON_SCREEN = {
    "value_tint": ("#E6F3EE", "#12271F"),
    "tangent_tint": ("#E7F1FA", "#13253A"),
    "carried": ("#C98A63", "#A86A42"),
    "carried_forward": ("#7AA6CC", "#4D7FAE"),
    "seed": ("#7A3F96", "#D6A3EE"),
    "inner_tint": ("#F6EFFA", "#261C2D"),
    "positive": (BLUE, "#2F9BE0"),
    "negative": (VERMILION, "#E8732A"),
    "raised": ("#FFFFFF", "#1E2228"),
    "focus": ("#0067B8", "#6CB8FF"),
    "link": ("#E3EFFA", "#1B3148"),
    "warn": ("#6B5200", "#F0D37A"),
    "warn_tint": ("#FDF6DE", "#322B14"),
}
"""What only a picture that can be touched needs besides, on a light page and on a dark one."""

THEMES = ("auto", "light", "dark")


def css_variables(prefix: str = "") -> dict[str, str]:
    """Give every colour as a CSS variable that follows the page: ``{"--ink": "light-dark(#1A1A1A, #EDEDED)", …}``.

    >>> css_variables("adl-")["--adl-soft_ink"]
    'light-dark(#5F6368, #A9AEB4)'
    """
    roles = dict(zip(Theme._fields, zip(LIGHT, DARK, strict=True), strict=True)) | ON_SCREEN
    return {f"--{prefix}{role}": f"light-dark({light}, {dark})" for role, (light, dark) in roles.items()}


_TAG = re.compile(r"<[^<>]*>")


def find_theme(function: str, name: str) -> Theme:
    """Return the colours of a theme; ``"auto"`` is drawn light, and `follow_page_theme` lets it follow the page.

    >>> find_theme("draw", "dark").ink
    '#EDEDED'
    """
    return DARK if check_choice(function, "theme", name, THEMES) == "dark" else LIGHT


def follow_page_theme(svg: str) -> str:
    """Let a light picture turn dark where its page is dark.

    Notes
    -----
    A picture in an ``<img>`` cannot see the page, but it is told the colour scheme that the page declares.

    >>> follow_page_theme('<svg width="9"><path fill="#1a1a1a"/></svg>').partition("</style>")[2]
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
