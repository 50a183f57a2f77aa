"""Lectures: a notebook is shown live in JupyterLab, or exported as one file of slides that needs no network."""

from pathlib import Path

EXTENSIONS = Path(__file__).parent
"""A folder that JupyterLab searches for extensions (``labextensions/``): the one that shows a notebook as slides."""
