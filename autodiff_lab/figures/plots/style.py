"""The matplotlib style of all plots, and `Plot`: a figure with a text alternative."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from autodiff_lab.figures.graph.reader_graph import show_graphs_in
from autodiff_lab.figures.graph.render import notebook_data
from autodiff_lab.figures.style.fonts import FONT_STACK
from autodiff_lab.figures.style.svg import image_tag
from autodiff_lab.figures.style.themes import Theme, find_theme, follow_page_theme

_DPI = 96


class Plot(Figure):
    """A matplotlib figure with a text alternative. A notebook displays it with or without pyplot.

    Attributes
    ----------
    description : str
        The content of the plot in words and numbers.
    theme : str
        ``"auto"`` if it turns dark on a dark page; otherwise its colours stay.

    See Also
    --------
    style_plots : The look of the course for all plots.
    plot_tangent : A function with its tangent or gradient field.

    Examples
    --------
    >>> import autodiff_lab as ad
    >>> plot = ad.plot_tangent(lambda x: x**2, 3.0)
    >>> isinstance(plot, ad.Plot), plot.theme
    (True, 'auto')
    """

    description: str = ""
    theme: str = "light"

    def svg(self) -> str:
        """Return the plot as SVG in the course's matplotlib style: the same bytes every time."""
        written = self._save_bytes("svg", Date=None, Creator=None)
        text = _name_fonts(written.decode())
        return follow_page_theme(text) if self.theme == "auto" else text

    def png(self, scale: float = 1.0) -> bytes:
        """Return the plot as PNG, `scale` times larger than on a page; in light colours, if its theme is ``"auto"``."""
        return self._save_bytes("png", scale, Software=None)

    def _save_bytes(self, format: str, scale: float = 1.0, **metadata: Any) -> bytes:
        file = io.BytesIO()
        with matplotlib.rc_context(_settings(find_theme("plot", self.theme))):
            self.savefig(file, format=format, dpi=_DPI * scale, metadata=metadata)
        return file.getvalue()

    def __repr__(self) -> str:
        return f"<plot: {self.description.partition('.')[0]}>"

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None, **_: Any
    ) -> dict[str, str]:
        return notebook_data(image_tag(self.svg(), self.description), repr(self), self.png)


def style_plots() -> None:
    """Give every plot of this session the look of the course: readable from afar, sharp, and dark on a dark page.

    This sets matplotlib's ``rcParams``. In a notebook, figures are then shown as scalable SVG instead of bitmaps, and
    graphs made with `graphviz` get the same look, even if Graphviz's program ``dot`` isn't installed.

    See Also
    --------
    Plot : The figure that all plots return.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> with matplotlib.rc_context():
    ...     style_plots()
    ...     plt.rcParams["font.size"]
    11.0
    """
    matplotlib.rcParams.update(_settings(find_theme("plot", "light")))
    # Importing this module sets a running notebook up for pyplot, once. Doing it now keeps pyplot from replacing our
    # formatter later.
    from IPython import get_ipython
    from matplotlib_inline import backend_inline

    shell = get_ipython()
    if shell is not None and shell.display_formatter is not None:
        backend_inline.set_matplotlib_formats()
        shell.display_formatter.formatters["text/html"].for_type(Figure, _show)
        show_graphs_in(shell)


def _show(figure: Figure) -> str:
    """Return a figure as HTML for a notebook: a `Plot` with its description, others with their titles and labels."""
    if isinstance(figure, Plot):
        return image_tag(_compact(figure.svg()), figure.description)
    file = io.StringIO()
    figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    said = (
        text
        for axes in figure.axes
        for text in (axes.get_title("left"), axes.get_xlabel(), axes.get_ylabel())
    )
    alternative = ", ".join(["Plot", *(" ".join(text.split()) for text in said if text)])
    return image_tag(_compact(follow_page_theme(_name_fonts(file.getvalue()))), alternative)


def _name_fonts(svg: str) -> str:
    """Add fallbacks to the font of a picture, for a machine that doesn't have it.

    >>> _name_fonts("font: 11px 'DejaVu Sans'")
    "font: 11px 'DejaVu Sans',Verdana,Helvetica,Arial,sans-serif"
    """
    return svg.replace("'DejaVu Sans'", FONT_STACK.replace("DejaVu Sans", "'DejaVu Sans'"))


def _compact(svg: str) -> str:
    r"""Write matplotlib's SVG in fewer bytes: coordinates to a tenth of a point, and fewer spaces.

    Only the inside of a tag is rewritten. The words and numbers that a reader sees don't change.

    >>> _compact('<!-- 1 --><path d="M 36.708241 195 \nL 9 9 \n" style="fill: none" transform="scale(0.015625)"/>')
    '<path d="M36.7 195L9 9" style="fill:none" transform="scale(0.015625)"/>'
    >>> _compact('<text x="36.708241">slope 1.716</text>')
    '<text x="36.7">slope 1.716</text>'
    >>> _compact('<g id="g1"><use x="1" style="fill: red"/>\n<use x="2" style="fill: red"/></g>')
    '<g style="fill:red"><use x="1"/><use x="2"/></g>'
    """
    svg = _NOT_SEEN.sub("", svg)
    svg = _TAG.sub(_compact_tag, svg)
    svg = re.sub(r">\s+<", "><", svg)
    return _ALIKE.sub(
        lambda found: found[1] + found[3] + ">" + found[2].replace(found[3], "") + "</g>", svg
    )


def _compact_tag(tag: re.Match[str]) -> str:
    """Write one tag in fewer bytes, without unused ids, needless digits of coordinates, and spaces."""
    text = _UNUSED_ID.sub("", tag[0])
    text = _LONG_DECIMAL.sub(lambda found: f"{float(found[0]):.1f}".removesuffix(".0"), text)
    text = _PATH.sub(
        lambda found: re.sub(r"(?<=[A-Za-z])\s+|\s+(?=[A-Za-z])", "", found[0].strip()), text
    )
    return _STYLE.sub(lambda found: re.sub(r"(?<=[;:])\s+", "", found[0]), text)


_NOT_SEEN = re.compile(r"<!--.*?-->|<metadata>.*?</metadata>", re.DOTALL)
_TAG = re.compile(r"<[^<>]*>")
_UNUSED_ID = re.compile(r'(?<=<g) id="[\w.]+"')
_LONG_DECIMAL = re.compile(r"(?<![\w.(-])-?\d+\.\d{3,}")
_PATH = re.compile(r'(?<= d=")[^"]*')
_STYLE = re.compile(r'(?<= style=")[^"]*')
# Markers of one series, which repeat their colours.
_ALIKE = re.compile(
    r'(<g(?![^>]* style=)[^>]*)>(<use [^>]*?( style="[^"]*")/>(?:<use [^>]*?\3/>)*)</g>'
)


@contextmanager
def open_plot(
    theme: str, width: float = 6.6, height: float = 4.4
) -> Iterator[tuple[Plot, Axes, Theme]]:
    """Open a plot in the course's matplotlib style, for a `with` block; the reader's settings don't change."""
    colours = find_theme("plot", theme)
    with matplotlib.rc_context(_settings(colours)):
        figure = Plot(figsize=(width, height), dpi=_DPI, layout="constrained")
        figure.theme = theme
        yield figure, figure.subplots(), colours


_STYLE_SHEET = matplotlib.rc_params_from_file(
    Path(__file__).with_name("style_sheet.txt"), use_default_template=False
)


def _settings(colours: Theme) -> Any:
    """Return the settings of all plots, complete enough that the reader's own settings don't change a picture.

    They are a plain dict, because the names that matplotlib's types accept differ from version to version.
    """
    roles = {
        "line": "axes.edgecolor xtick.color ytick.color",
        "paper": "axes.facecolor figure.facecolor legend.facecolor",
        "faint": "grid.color legend.edgecolor",
        "ink": "axes.labelcolor axes.titlecolor legend.labelcolor text.color xtick.labelcolor ytick.labelcolor",
    }
    lines = cycler(color=[colours.tangent, colours.adjoint, colours.value, colours.soft_ink])
    inks = {name: getattr(colours, role) for role, names in roles.items() for name in names.split()}
    return {**dict(_STYLE_SHEET), **inks, "axes.prop_cycle": lines}
