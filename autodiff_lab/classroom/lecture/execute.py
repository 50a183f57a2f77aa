"""Execute a notebook for a lecture, and export every player that it shows: HTML, contact sheet, transcript.

The notebook runs in a kernel of its own, in an empty folder, and nothing of it is changed. A cell before its first one
installs a formatter, so that each player's output is a `PlayerExport`. What a handout needs is made there, where the
run itself still is.
"""

from __future__ import annotations

import copy
import tempfile
import warnings
from dataclasses import asdict, dataclass
from typing import Any

import nbformat

from autodiff_lab.engine.errors import AutodiffError
from autodiff_lab.figures.export.animation import reading_time
from autodiff_lab.jupyter.kernel import kernel_of_this_python
from autodiff_lab.jupyter.notebooks import TutorialError
from autodiff_lab.lessons.checks.progress import VARIABLE
from autodiff_lab.widgets.player import page
from autodiff_lab.widgets.player.widget import Player

__all__ = ["LectureError", "PlayerExport", "execute_notebook", "install_formatter", "read_player_export"]

PLAYER_MIME_TYPE = "application/x-autodiff-lab-player+json"
"""The MIME type of a `PlayerExport` in an output."""

_CELL_TIMEOUT_S = 300


class LectureError(TutorialError):
    """A lecture kit cannot be made; the message says why and what to do."""


@dataclass(frozen=True)
class PlayerExport:
    """What a lecture kit needs of a player, as plain data.

    Attributes
    ----------
    title : str
        What is run.
    steps : int
        How many there are.
    seconds : float
        How long it takes to read all of them aloud, or nearly.
    page, slide : str
        The player in HTML, at normal scale and at lecture scale.
    strip : str
        A strip of frames for a handout, as SVG.
    sheets : tuple of str
        The same on sheets of paper, for a PDF.
    transcript : str
        Every sentence, as Markdown.
    remarks : tuple of str
        What could not be done as it was asked for.
    """

    title: str
    steps: int
    seconds: float
    page: str
    slide: str
    strip: str
    sheets: tuple[str, ...]
    transcript: str
    remarks: tuple[str, ...] = ()


def execute_notebook(notebook: Any) -> Any:
    """Return an executed copy of a notebook, in which each player's output is a `PlayerExport`.

    Parameters
    ----------
    notebook : nbformat.NotebookNode

    Raises
    ------
    LectureError
        If a cell raises, or there is no kernel to run it.
    """
    from jupyter_client.kernelspec import NoSuchKernel
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    notebook = copy.deepcopy(notebook)
    first = "from autodiff_lab.classroom.lecture.execute import install_formatter\ninstall_formatter()"
    notebook.cells.insert(0, nbformat.v4.new_code_cell(first))
    with kernel_of_this_python(), tempfile.TemporaryDirectory(prefix="autodiff-lab-") as folder:
        client = NotebookClient(
            notebook,
            timeout=_CELL_TIMEOUT_S,
            kernel_name="python3",
            extra_arguments=["--log-level=ERROR"],
            store_widget_state=False,
            record_timing=False,
            coalesce_streams=True,
            resources={"metadata": {"path": folder}},
        )
        try:
            client.execute(env=_environment())
        except CellExecutionError as problem:
            number = next(k for k, cell in enumerate(notebook.cells) if _raised(cell))
            raise LectureError(
                f"cell {number} of the notebook raises {problem.ename}: {problem.evalue}\n"
                "Mend the notebook, or give the cell the tag raises-exception if that is what it is to show."
            ) from problem
        except (CellTimeoutError, DeadKernelError) as problem:
            raise LectureError(f"the notebook does not run to its end: {problem}") from problem
        except NoSuchKernel as problem:
            raise LectureError(
                f"there is no kernel to run the notebook ({problem}); see `autodiff-lab check`"
            ) from problem
    del notebook.cells[0]
    return notebook


def _environment() -> dict[str, str]:
    """The learner's own progress and numbers stay out of a lecture: it has those of the text."""
    import os

    return {**os.environ, VARIABLE: "off"}


def _raised(cell: Any) -> bool:
    allowed = "raises-exception" in cell.metadata.get("tags", [])
    return not allowed and any(output.output_type == "error" for output in cell.get("outputs", []))


def read_player_export(output: Any) -> PlayerExport | None:
    """Read the player that a notebook's output shows, if it shows one."""
    data = output.get("data", {}).get(PLAYER_MIME_TYPE)
    return data and PlayerExport(**{**data, "sheets": tuple(data["sheets"]), "remarks": tuple(data["remarks"])})


def install_formatter() -> None:
    """Make IPython show each player of this kernel as its `PlayerExport`."""
    from IPython import get_ipython

    def bundle(player: Player) -> tuple[dict[str, Any], dict[str, Any]]:
        return {PLAYER_MIME_TYPE: asdict(export_player(player)), "text/plain": repr(player)}, {}

    get_ipython().display_formatter.mimebundle_formatter.for_type(Player, bundle)


def export_player(player: Player) -> PlayerExport:
    """Make everything of a player that a lecture kit needs.

    >>> from autodiff_lab import play
    >>> export = export_player(play(lambda x: x * x, 3.0))
    >>> export.title, export.steps, len(export.sheets)
    ('lambda x', 5, 1)
    """
    shown = player._shown()
    transcript = player.transcript()
    said = [sentence for section in transcript.sections for _, sentence in section.steps]
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            strip = player.strip()
            drawn, sheets = strip.svg(), (strip.printed or strip).pages
        except AutodiffError as problem:
            drawn, sheets = "", ()
            warnings.warn(str(problem), stacklevel=1)
    return PlayerExport(
        title=transcript.title,
        steps=len(said),
        seconds=sum(map(reading_time, said)),
        page=page.figure(player.trace, {**shown, "scale": "normal"}),
        slide=page.figure(player.trace, {**shown, "scale": "lecture"}),
        strip=drawn,
        sheets=tuple(sheets),
        transcript=transcript.markdown(),
        remarks=tuple(str(each.message) for each in warned),
    )
