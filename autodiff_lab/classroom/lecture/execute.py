"""Run a notebook for a lecture, and keep of every player that it shows what a lecture kit is made of.

The notebook runs in a kernel of its own, in an empty folder, and nothing of it is changed. Before its first cell the
kernel is told how players are to be shown, and to hand out a `Rehearsed` with each. What a handout needs is made
there, where the run itself still is.
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
from autodiff_lab.widgets.defaults import play_defaults
from autodiff_lab.widgets.player import page
from autodiff_lab.widgets.player.widget import Player

__all__ = ["PLAYER", "LectureError", "Rehearsed", "begin", "rehearse", "rehearsed"]

PLAYER = "application/x-autodiff-lab-player+json"
"""Under this name a `Rehearsed` stands in an output."""

_SECONDS = 300


class LectureError(TutorialError):
    """A lecture kit cannot be made; the message says why and what to do."""


@dataclass(frozen=True)
class Rehearsed:
    """What is kept of a player.

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


def rehearse(notebook: Any, lang: str = "en") -> Any:
    """Give an executed copy of a notebook, in which each player's output also has a `Rehearsed`.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
    lang : {"en", "zh"}
        The language of the players that do not ask for one themselves.

    Raises
    ------
    LectureError
        If a cell raises, or there is no kernel to run it.
    """
    from jupyter_client.kernelspec import NoSuchKernel
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    notebook = copy.deepcopy(notebook)
    first = nbformat.v4.new_code_cell(f"from autodiff_lab.classroom.lecture.execute import begin\nbegin({lang!r})")
    notebook.cells.insert(0, first)
    with kernel_of_this_python(), tempfile.TemporaryDirectory(prefix="autodiff-lab-") as folder:
        client = NotebookClient(
            notebook,
            timeout=_SECONDS,
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


def rehearsed(output: Any) -> Rehearsed | None:
    """The player that an output shows, if it shows one."""
    kept = output.get("data", {}).get(PLAYER)
    return kept and Rehearsed(**{**kept, "sheets": tuple(kept["sheets"]), "remarks": tuple(kept["remarks"])})


def begin(lang: str = "en") -> None:
    """Tell this kernel how players are shown, and to hand out a `Rehearsed` with each."""
    from IPython import get_ipython

    play_defaults(lang=lang)

    def bundle(player: Player) -> tuple[dict[str, Any], dict[str, Any]]:
        return {PLAYER: asdict(keep(player)), "text/plain": repr(player)}, {}

    get_ipython().display_formatter.mimebundle_formatter.for_type(Player, bundle)


def keep(player: Player) -> Rehearsed:
    """Make everything of a player that a lecture kit needs.

    >>> from autodiff_lab import play
    >>> kept = keep(play(lambda x: x * x, 3.0))
    >>> kept.title, kept.steps, len(kept.sheets)
    ('lambda x', 4, 1)
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
    return Rehearsed(
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
