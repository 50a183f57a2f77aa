"""Themes: the colours of every picture, for a light page, a dark page, or a page that may be either."""

import re
from typing import NamedTuple

from autodiff_lab.text.arguments import check_choice

# Okabe and Ito's colours, safe for colour-blind readers: https://jfly.uni-koeln.de/color/
GREEN = "#009E73"
VERMILION = "#D55E00"
BLUE = "#0072B2"
# A grey that is visible on both white and #111, for lines that are drawn on the page itself.
_GREY = "#808080"


class Theme(NamedTuple):
    """A theme: one colour for each role. Every ink has a contrast of at least 4.5:1 on every paper (WCAG AA)."""

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


# The colour of each role, on a light page and on a dark one.
#
# The inks are Okabe and Ito's hues, darkened (or lightened, in the dark theme) until 14 px text has contrast 4.5:1
# on every paper (WCAG AA). The dark paper is the background of JupyterLab's dark theme.
_COLOURS = {
    "paper": ("#FFFFFF", "#111111"),
    "adjoint_paper": ("#FFF1E6", "#2E1C0C"),
    "constant_paper": ("#F3F3F3", "#262626"),
    "ink": ("#1A1A1A", "#EDEDED"),
    "soft_ink": ("#5F6368", "#A9AEB4"),
    "line": (_GREY, _GREY),
    "faint": ("#DADADA", "#3A3A3A"),
    "value": ("#00704F", "#3CCB9B"),
    "adjoint": ("#B04A00", "#FF9A5C"),
    "tangent": ("#0069A6", "#6DB9F2"),
}

LIGHT, DARK = (Theme(*colours) for colours in zip(*_COLOURS.values(), strict=True))

# Additional colours for interactive pictures, on a light page and on a dark one.
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

THEMES = ("auto", "light", "dark")


def css_variables(prefix: str = "") -> dict[str, str]:
    """Return every colour of the themes as a CSS variable that follows the page's light or dark colour scheme.

    >>> css_variables("adl-")["--adl-soft_ink"]
    'light-dark(#5F6368, #A9AEB4)'
    """
    colours = _COLOURS | ON_SCREEN
    return {
        f"--{prefix}{role}": f"light-dark({light}, {dark})"
        for role, (light, dark) in colours.items()
    }


_TAG = re.compile(r"<[^<>]*>")


def find_theme(function: str, name: str) -> Theme:
    """Return the colours of a theme; for ``"auto"``, the light ones, which `follow_page_theme` makes follow the page.

    >>> find_theme("draw", "dark").ink
    '#EDEDED'
    """
    return DARK if check_choice(function, "theme", name, THEMES) == "dark" else LIGHT


def follow_page_theme(svg: str) -> str:
    """Make an SVG picture in the light theme turn dark on a dark page.

    Notes
    -----
    A picture in an ``<img>`` has no access to the page's styles, but the browser applies the colour scheme that the
    page declares to the picture's media query.

    >>> follow_page_theme('<svg width="9"><path fill="#1a1a1a"/></svg>').partition("</style>")[2]
    '<path fill="var(--ink,#1A1A1A)"/></svg>'
    """
    roles = {
        light.lower(): f"var(--{role},{light})"
        for role, (light, dark) in _COLOURS.items()
        if light != dark
    }
    colours = re.compile(rf"(?:{'|'.join(roles)})\b", re.IGNORECASE)
    head, tag, rest = svg.partition("<svg")
    attributes, _, inside = rest.partition(">")
    # Only inside tags: text that looks like a colour must not change.
    inside = _TAG.sub(
        lambda tag: colours.sub(lambda colour: roles[colour[0].lower()], tag[0]), inside
    )
    dark = ";".join(
        f"--{role}:{dark}" for role, (_, dark) in _COLOURS.items() if f"var(--{role}," in inside
    )
    return f"{head}{tag}{attributes}><style>@media (prefers-color-scheme:dark){{svg{{{dark}}}}}</style>{inside}"
