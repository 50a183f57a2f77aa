"""Lectures: a notebook is shown live in JupyterLab, or exported as one file of slides that needs no network."""

from pathlib import Path

EXTENSIONS = Path(__file__).parent
"""The folder in which JupyterLab finds the extension that shows a notebook as slides (in ``labextensions/``)."""
