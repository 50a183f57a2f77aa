"""The outputs of a run, as methods of `Trace` and of `Player`: pictures, films, handouts, tables and transcripts.

Each method looks its view up when it is called, so a trace alone needs neither matplotlib nor Pillow.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from autodiff_lab.engine.views import view


class Outputs:
    """The outputs of a trace or a player, as methods: pictures, films, handouts, tables and transcripts.

    A picture shows the graph after a step, with the step's arithmetic and sentence below it. All pictures of a run
    have the same size. If the graph is too large, a picture shows the part around the step, with a note that it does.
    """

    @property
    def _run(self) -> Any:
        """The trace that is shown."""
        raise NotImplementedError

    def save_svg(self, path: str | Path, step: int | None = None, *, theme: str = "auto") -> Path:
        """Save one step of a trace or a player as an SVG file.

        Parameters
        ----------
        path : str or Path
            Where to write; the name must end in ``.svg``. An existing file is replaced.
        step : int, optional
            The step to show; −1 is before the first. By default, the last step.
        theme : {"auto", "light", "dark"}
            ``"auto"`` turns dark on a dark page.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        PathError
            If the name doesn't end in ``.svg``, or the folder doesn't exist.
        InputError
            If there is no such step or theme.
        """
        written: Path = view("save_svg")(self._run, path, step, theme=theme)
        return written

    def save_png(
        self, path: str | Path, step: int | None = None, *, theme: str = "light", scale: float = 2.0
    ) -> Path:
        """Save one step of a trace or a player as a PNG file; see `save_svg`.

        Parameters
        ----------
        path, step
            As for `save_svg`, but the name must end in ``.png``.
        theme : {"light", "dark"}
        scale : float
            How many times larger than on a page: 2 is sharp on most screens, 3 in a lecture hall.

        Raises
        ------
        DrawingError
            If resvg_py isn't installed, as in a browser. GIF and PDF files need it too; SVG files don't.
        """
        written: Path = view("save_png")(self._run, path, step, theme=theme, scale=scale)
        return written

    def save_gif(
        self,
        path: str | Path,
        steps: Iterable[int] | None = None,
        *,
        theme: str = "light",
        scale: float = 1.0,
        seconds: float | None = None,
    ) -> Path:
        """Save the run of a trace or a player as an animated GIF, one frame for each step.

        Parameters
        ----------
        path : str or Path
            Where to write; the name must end in ``.gif``.
        steps : iterable of int, optional
            The steps to show, in this order. By default, all steps; for a very long run, 120 of them, with a warning.
        theme : {"light", "dark"}
        scale : float
            How many times larger than on a page.
        seconds : float, optional
            How long each frame is shown. By default, as long as it takes to read.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        PathError
            If the name doesn't end in ``.gif``, or the folder doesn't exist.
        InputError
            If there is no such step, or an option has another value.
        """
        written: Path = view("save_gif")(
            self._run, path, steps, theme=theme, scale=scale, seconds=seconds
        )
        return written

    def strip(
        self,
        steps: Iterable[int] | None = None,
        *,
        columns: int | None = None,
        page: str | None = None,
        theme: str = "light",
    ) -> Any:
        """Lay out steps of a trace or a player side by side for a handout, each with its sentence below.

        Call the result's `save` to write it to a file.

        Parameters
        ----------
        steps : iterable of int, optional
            The steps to show. By default, at most six: the ends of each phase, and some steps in between.
        columns : {1, 2, 3, 4}, optional
            By default, as many as keep the text large enough to read.
        page : {"A4", "A4 landscape", "letter", "letter landscape"}, optional
            By default, A4 in either orientation.
        theme : {"light", "dark"}

        Returns
        -------
        autodiff_lab.figures.export.contact_sheet.Strip

        Raises
        ------
        InputError
            If there is no such step, or an option has another value.
        """
        return view("strip")(self._run, steps, columns=columns, page=page, theme=theme)

    def table(self, **options: Any) -> Any:
        """Return the run of a trace or a player as a table; see `autodiff_lab.table` for the options."""
        return view("table")(self._run, **options)

    def transcript(self) -> Any:
        """Return the transcript of a trace or a player: all sentences, numbered, grouped by phase."""
        return view("transcript")(self._run)
