"""A lecture as one HTML file that needs no network: nbconvert's slides, with reveal.js, players and formulas inside."""

import re
from pathlib import Path
from typing import Any

from jinja2 import pass_context
from nbconvert import SlidesExporter
from traitlets.config import Config

from autodiff_lab.classroom.lecture.cell_html import mark_up, mathml, read_part
from autodiff_lab.classroom.lecture.slides import has_slides, with_slides

_EXTENSION = "labextensions/autodiff-lab-lecture/static"
_STYLES = ("reveal/reveal.css", f"{_EXTENSION}/slides.css", "offline.css")
_SCRIPTS = ("reveal/reveal.js", f"{_EXTENSION}/lecture.js", "offline.js")
# If an output has several forms, the first of these is shown. HTML precedes the pictures because a player
# is HTML with a still picture as its alternative.
_KINDS = [
    "text/html",
    "image/svg+xml",
    "image/png",
    "image/jpeg",
    "text/markdown",
    "text/latex",
    "text/plain",
]
_WIDGET = "application/vnd.jupyter.widget-view+json"


class LectureExporter(SlidesExporter):
    """An nbconvert exporter that writes a lecture notebook as slides, in one file that needs no other."""

    exclude_input_prompt = True
    exclude_output_prompt = True
    exclude_anchor_links = True
    embed_images = True

    @property
    def default_config(self) -> Config:
        """The settings of nbconvert's slides and of a lecture: its template, and which outputs and code are shown."""
        lecture_settings = Config(
            {
                "NbConvertBase": {"display_data_priority": _KINDS},
                "TagRemovePreprocessor": {"enabled": True, "remove_input_tags": {"hide-input"}},
                "TemplateExporter": {
                    "template_name": "reveal",
                    "template_file": "slides.html.j2",
                    "extra_template_paths": [str(Path(__file__).parent)],
                },
            }
        )
        settings = super().default_config
        settings.merge(lecture_settings)
        return settings

    def from_notebook_node(
        self, nb: Any, resources: dict[str, Any] | None = None, **options: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Write a notebook as slides; one that defines no slides gets one for each text cell."""
        resources = resources or {}
        resources["lecture"] = {
            "classes": "lecture" if has_slides(nb) else "lecture lecture-lesson",
            "title": title_of(nb),
            "styles": [read_part(name) for name in _STYLES],
            "scripts": [read_part(name) for name in _SCRIPTS],
        }
        notebook = with_slides(nb)
        _set_formulas(notebook)
        _replace_widgets(notebook)
        return super().from_notebook_node(notebook, resources, **options)

    @pass_context
    def markdown2html(self, context: Any, source: str) -> str:
        """Translate a cell's Markdown to HTML, with formulas as MathML and pictures embedded."""
        folder = context.get("resources", {}).get("metadata", {}).get("path", "")
        attachments = context.get("cell", {}).get("attachments", {})
        return mark_up(source, embed_images=True, path=folder, attachments=attachments)


def _set_formulas(notebook: Any) -> None:
    """Add MathML to every output that is a formula, because a page without a network cannot render LaTeX."""
    for data in _output_data(notebook):
        if "text/latex" in data and "text/html" not in data:
            latex = data["text/latex"].strip().strip("$").removeprefix(r"\displaystyle")
            data["text/html"] = f'<div class="formula">{mathml(latex, "block")}</div>'


def _replace_widgets(notebook: Any) -> None:
    """Replace each widget that needs a kernel, such as `interact`, by a sentence that says how to see it live."""
    for data in _output_data(notebook):
        if _WIDGET in data and "text/html" not in data:
            data["text/html"] = (
                "<p>This can be moved when the slides are live: <code>autodiff-lab present</code></p>"
            )


def _output_data(notebook: Any) -> list[dict[str, Any]]:
    """Return the data of every output of a notebook, by MIME type."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return [output.get("data", {}) for output in outputs]


def title_of(notebook: Any) -> str:
    """Return the title of a lecture notebook: its first heading.

    >>> from nbformat.v4 import new_markdown_cell, new_notebook
    >>> title_of(new_notebook(cells=[new_markdown_cell("# Slopes of `f`")]))
    'Slopes of f'
    """
    for cell in notebook.cells:
        if cell.cell_type != "markdown":
            continue
        heading = re.search(r"^# (.+)$", cell.source, re.MULTILINE)
        if heading:
            return re.sub(r"[*`]", "", heading[1])
    return "A lecture"


def export_slides(notebook: Any, path: Path) -> str:
    """Write a lecture notebook as slides in one HTML page; it finds its pictures relative to the notebook's `path`."""
    resources = {"metadata": {"name": path.stem, "path": str(path.parent)}}
    html, _ = LectureExporter().from_notebook_node(notebook, resources)
    return html
