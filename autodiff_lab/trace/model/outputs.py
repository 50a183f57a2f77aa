"""The outputs of a run, as methods of `Trace` and of `Player`: pictures, films, handouts, tables and transcripts.

Each method asks for its view when it is called: a trace itself needs neither matplotlib nor Pillow.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from autodiff_lab.engine.views import view


class Outputs:
    """The outputs of a trace or a player, as methods: pictures, films, handouts, tables and transcripts.

    A picture has the graph as it stands at a step, and the arithmetic and the sentence of the step below it. All of a
    run have one size. Of a graph that is too large they show the part around the step, and say so.
    """

    @property
    def _run(self) -> Any:
        """The trace that is shown."""
        raise NotImplementedError

    def save_svg(self, path: str | Path, step: int | None = None, *, theme: str = "auto") -> Path:
        """Output one step of a trace or a player as an SVG file.

        Parameters
        ----------
        path : str or Path
            Where to write; it ends in ``.svg``. A file that is there already is replaced.
        step : int, optional
            Which step was the last; −1 for none, the last step of all if not given.
        theme : {"auto", "light", "dark"}
            ``"auto"`` turns dark on a dark page.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        PathError
            If the name has another ending, or there is no such folder.
        InputError
            If there is no such step or theme.
        """
        written: Path = view("save_svg")(self._run, path, step, theme=theme)
        return written

    def save_png(
        self, path: str | Path, step: int | None = None, *, theme: str = "light", scale: float = 2.0
    ) -> Path:
        """Output one step of a trace or a player as a PNG file; see `save_svg`.

        Parameters
        ----------
        path, step
            As `save_svg` takes them; the name ends in ``.png``.
        theme : {"light", "dark"}
        scale : float
            How many times larger than on a page: 2 is sharp on most screens, 3 in a lecture hall.

        Raises
        ------
        DrawingError
            If resvg_py is not installed, as in a browser. This holds for GIF and PDF as well; SVG needs nothing.
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
        """Output the run of a trace or a player as an animated GIF, one frame for each step.

        Parameters
        ----------
        path : str or Path
            Where to write; it ends in ``.gif``.
        steps : iterable of int, optional
            Which steps, in this order; all of them, if not given. Of a very long run 120 are chosen, with a warning.
        theme : {"light", "dark"}
        scale : float
            How many times larger than on a page.
        seconds : float, optional
            How long each frame is shown; if not given, as long as it takes to read.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        PathError
            If the name has another ending, or there is no such folder.
        InputError
            If there is no such step, or an option is not one of these.
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
        """The output `strip` of a trace or a player: steps side by side for a handout; `Strip.save` writes it.

        Each step has its sentence below.

        Parameters
        ----------
        steps : iterable of int, optional
            Which steps; if not given, six at most: the ends of each phase, and what lies between.
        columns : {1, 2, 3, 4}, optional
            If not given, as many as keep the type large enough to read.
        page : {"A4", "A4 landscape", "letter", "letter landscape"}, optional
            If not given, A4, upright or lying.
        theme : {"light", "dark"}

        Returns
        -------
        autodiff_lab.figures.export.contact_sheet.Strip

        Raises
        ------
        InputError
            If there is no such step, or an option is not one of these.
        """
        return view("strip")(self._run, steps, columns=columns, page=page, theme=theme)

    def table(self, **options: Any) -> Any:
        """Output the run of a trace or a player as a table; see `autodiff_lab.table` for the options."""
        return view("table")(self._run, **options)

    def transcript(self) -> Any:
        """The output `transcript` of a trace or a player: all sentences, numbered, under their phases."""
        return view("transcript")(self._run)
