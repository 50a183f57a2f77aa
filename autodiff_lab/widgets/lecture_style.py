"""Lecture style: a notebook in type that is large enough for the last row of a lecture hall."""

from __future__ import annotations

from typing import Any

from autodiff_lab.engine.errors import InputError
from autodiff_lab.widgets.defaults import play_defaults

# Jupyter derives most sizes from a few CSS variables, so setting those enlarges its whole layout, in either theme. The
# other rules are for what it does not derive from them. The selectors match JupyterLab and Notebook 7; elsewhere they
# match nothing.
_STYLE = """\
.jp-Notebook {
  --jp-ui-font-size1: %(size).0fpx; --jp-content-font-size1: %(size).0fpx; --jp-content-font-size0: %(small).0fpx;
  --jp-content-font-size2: %(large).0fpx; --jp-content-font-size3: %(larger).0fpx;
  --jp-content-font-size4: %(largest).0fpx; --jp-content-font-size5: %(largest).0fpx;
  --jp-code-font-size: %(code).0fpx; --jp-content-line-height: 1.45; --jp-code-line-height: 1.35;
  --jp-cell-prompt-width: 0px;
}
.jp-InputPrompt, .jp-OutputPrompt { display: none; }
.jp-Notebook .jp-Cell { max-width: min(100%%, 96em); margin-inline: auto; }
.jp-RenderedHTMLCommon :is(p, li, blockquote) { max-width: 44em; }
.jp-Notebook :is(.jp-RenderedHTMLCommon table, .jp-OutputArea-output table) { font-size: inherit; }
.jp-Notebook .jp-RenderedHTMLCommon :is(td, th) { padding: 0.35em 0.8em; }
.jp-Notebook .jp-OutputArea-output pre, .jp-Notebook .cm-editor { font-size: %(code).0fpx; }
.jp-Notebook .widget-label, .jp-Notebook .widget-readout, .jp-Notebook .jupyter-button { font-size: %(small).0fpx; }
.jp-Notebook .jp-OutputArea-output img { width: auto; max-width: 100%%; }
"""


class LectureStyle:
    """The lecture style of a notebook, for a projector.

    As the last line of a cell, it applies to the whole notebook.

    Parameters
    ----------
    size : float
        The size of prose, in pixels; the other sizes are in proportion to it.
    """

    def __init__(self, size: float = 24) -> None:
        self.size = size

    def css(self) -> str:
        """Return the CSS style sheet that makes a notebook large for a lecture.

        >>> "--jp-content-font-size1: 24px" in LectureStyle(24).css()
        True
        """
        ratios = {
            "small": 0.85,
            "code": 0.9,
            "size": 1,
            "large": 1.15,
            "larger": 1.35,
            "largest": 1.6,
        }
        return _STYLE % {name: ratio * self.size for name, ratio in ratios.items()}

    def __repr__(self) -> str:
        return f"Lecture style: prose at {self.size:g} px. Delete this output to have the notebook as it was."

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/html": f"<style>\n{self.css()}</style>", "text/plain": repr(self)}


def lecture_style(size: float = 24) -> LectureStyle:
    """Show this notebook in lecture style: in one column and large type, also in players that are made from now on.

    Write it as the last line of a cell: the style is that cell's output. It works in the light and the dark theme.

    Parameters
    ----------
    size : float
        The size of prose, in pixels, from 14 to 60.

    Returns
    -------
    LectureStyle
        The style; it applies as long as the output that shows it exists.

    Raises
    ------
    InputError
        If `size` is not a number from 14 to 60.

    See Also
    --------
    play_defaults : Settings of all players made from now on.

    Examples
    --------
    >>> lecture_style()
    Lecture style: prose at 24 px. Delete this output to have the notebook as it was.
    >>> play_defaults(scale="normal")["scale"]
    'normal'
    """
    if isinstance(size, bool) or not isinstance(size, int | float) or not 14 <= size <= 60:
        raise InputError(
            f"lecture_style(size={size!r}): size must be a number from 14 to 60, such as 24."
        )
    play_defaults(scale="lecture")
    return LectureStyle(size)
