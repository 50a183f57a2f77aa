"""A drawing in light and in dark: its ink can be read, and an automatic one follows the page."""

import base64
import re
import xml.etree.ElementTree as ElementTree

import pytest

from autodiff_lab import draw
from autodiff_lab.figures.style.themes import DARK, LIGHT

from ..example import contrast


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("ink", ["ink", "soft_ink", "value", "adjoint", "tangent"])
def test_ink_can_be_read_on_paper(theme, ink):
    for paper in ("paper", "adjoint_paper", "constant_paper"):
        assert contrast(getattr(theme, ink), getattr(theme, paper)) >= 4.5
    assert contrast(theme.line, theme.paper) >= 3


@pytest.mark.parametrize(
    ("theme", "colours", "other"), [("light", LIGHT, DARK), ("dark", DARK, LIGHT)]
)
def test_a_theme_is_the_whole_picture(example_function, theme, colours, other):
    source = draw(example_function, 2.0, 5.0, theme=theme).source
    assert f'bgcolor="{colours.paper}"' in source
    for role in ("paper", "ink", "soft_ink", "value", "adjoint"):
        assert getattr(colours, role) in source
        assert getattr(other, role) not in source


def test_a_name_that_looks_like_a_colour_stays():
    html = draw(lambda p: p["#1A1A1A"] * 2, {"#1A1A1A": 1.0})._repr_mimebundle_()["text/html"]
    svg = base64.b64decode(re.search(r"base64,([^\"]+)", html)[1]).decode()
    assert "['#1A1A1A']" in "".join(ElementTree.fromstring(svg).itertext())


def test_an_automatic_theme_follows_the_page(example_function):
    def svg_of_page(**options):
        html = draw(example_function, 2.0, 5.0, **options)._repr_mimebundle_()["text/html"]
        return base64.b64decode(re.search(r"base64,([^\"]+)", html)[1]).decode()

    svg = svg_of_page()
    ElementTree.fromstring(svg)
    rule = re.search(r"@media \(prefers-color-scheme:dark\)\{svg\{(.*?)\}\}", svg)[1]
    named = dict(pair[2:].split(":") for pair in rule.split(";"))
    used = set(re.findall(r"var\(--(\w+),", svg))
    assert set(named) == used >= {"paper", "ink", "soft_ink", "value", "adjoint"}
    assert all(getattr(DARK, role) == colour for role, colour in named.items())
    assert "var(" not in svg_of_page(theme="light")


@pytest.mark.parametrize("ink", ["value", "adjoint", "tangent", "ink", "soft_ink"])
@pytest.mark.parametrize("paper", ["paper", "adjoint_paper"])
def test_inks_can_be_read(ink, paper):
    """WCAG AA asks for a contrast of 4.5 between text and what is behind it."""
    assert contrast(getattr(LIGHT, ink), getattr(LIGHT, paper)) >= 4.5
