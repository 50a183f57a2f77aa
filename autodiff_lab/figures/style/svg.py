"""SVG: writing elements and whole pictures, and embedding a picture in HTML."""

import base64

from autodiff_lab.figures.style.fonts import FONT_STACK
from autodiff_lab.text.notation import escape

NAMESPACE = {"xmlns": "http://www.w3.org/2000/svg"}
KEEP_SPACES = {"xml:space": "preserve"}


def element(tag: str, *inside: str, **attributes: str | float | None) -> str:
    """Write an SVG element.

    Parameters
    ----------
    tag : str
    *inside : str
        The content: other elements, or text that is escaped already.
    **attributes : str, int, float or None
        The attributes, which are escaped here. An underscore stands for a hyphen, and ``class_`` for ``class``. A float
        is a coordinate, and is rounded to a tenth. An attribute that is None is left out.

    >>> element("text", "f(x)", x=1 / 3, y=2, font_size="9", text_anchor=None)
    '<text x="0.3" y="2" font-size="9">f(x)</text>'
    """
    head = tag
    for name, value in attributes.items():
        if value is None:
            continue
        text = f"{value:.1f}" if isinstance(value, float) else escape(str(value))
        head += f' {name.rstrip("_").replace("_", "-")}="{text}"'
    if not inside:
        return f"<{head}/>"
    return f"<{head}>{''.join(inside)}</{tag}>"


def write_picture(
    size: tuple[float, float], paper: str, title: str, *inside: str, font_size: float
) -> str:
    """Write a whole SVG picture: a title, a background of the colour `paper`, and the elements on it.

    `size` has the width and the height, in points.
    """
    width, height = size
    return element(
        "svg",
        element("title", escape(title)),
        element(
            "rect", x=0, y=0, width=f"{width:g}", height=f"{height:g}", fill=paper, stroke="none"
        ),
        *inside,
        **NAMESPACE,
        **KEEP_SPACES,
        role="img",
        width=f"{width:g}pt",
        height=f"{height:g}pt",
        viewBox=f"0 0 {width:g} {height:g}",
        font_family=FONT_STACK,
        font_size=f"{font_size:g}",
    )


def data_url(svg: str) -> str:
    """Encode an SVG picture as a `data:` URL, for the `src` of an ``<img>``."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"


def image_tag(svg: str, description: str, width: str = "100%") -> str:
    """Embed an SVG picture in HTML: an ``<img>`` with a text alternative; `width` is its largest width in CSS."""
    source = data_url(svg[svg.index("<svg") :])
    return f'<img alt="{escape(description)}" style="max-width:{width};height:auto" src="{source}">'
