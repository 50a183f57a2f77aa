"""Sphinx's configuration of the website: the notebooks as pages whose players play, and the reference."""

import inspect
import re
import tomllib
from pathlib import Path

import nbformat

import autodiff_lab
from autodiff_lab.classroom.lecture.cell_html import mathml

ROOT = Path(autodiff_lab.__file__).resolve().parents[1]
URLS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]

project = "autodiff_lab"
version = release = autodiff_lab.__version__
author = "the authors of autodiff_lab"
copyright = f"{author}, MIT licence"

extensions = ["myst_nb", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.linkcode"]
nb_execution_mode = "off"  # the notebooks are committed executed
nb_mime_priority_overrides = [("html", "text/html", 0)]
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 3
# Anchors of cells are HTML, which MyST does not read; `site_works.py` follows every link.
suppress_warnings = ["myst.header", "myst.xref_missing", "mystnb.unknown_mime_type"]
exclude_patterns = ["plans/*"]

autosummary_generate = True
autodoc_typehints = "none"
autodoc_default_options = {"exclude-members": "set"}  # Matplotlib writes one for each class
numpydoc_show_class_members = False
templates_path = ["_templates"]

html_theme = "sphinx_book_theme"
html_title = "autodiff_lab"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_theme_options = {
    "repository_url": URLS["Repository"],
    "use_repository_button": True,
    "use_download_button": False,
    "show_toc_level": 2,
    "home_page_in_toc": True,
}


def linkcode_resolve(domain, info):
    """Return where the source of a module stands."""
    if domain == "py" and info["module"]:
        return f"{URLS['Repository']}/blob/main/{info['module'].replace('.', '/')}.py"
    return None


def name_cells(app, docname, source):
    """Give each cell of a notebook the anchor that the notebooks' links use."""
    if app.env.doc2path(docname).suffix != ".ipynb":
        return
    notebook = nbformat.reads(source[0], as_version=4)
    cells = []
    for cell in notebook.cells:
        anchor = f'<span id="cell-id={cell.id}"></span>'
        if cell.cell_type == "markdown":
            cell.source = re.sub(r"\A(# .*\n)?", rf"\1\n{anchor}\n\n", cell.source, count=1)
        else:
            cells.append(nbformat.v4.new_markdown_cell(anchor))
            cell.outputs = [output for output in cell.outputs if output.get("data") != {}]
        cells.append(cell)
    notebook.cells = cells
    source[0] = nbformat.writes(notebook)


def write_mathml(display):
    """Return what writes a formula as MathML, which browsers set without a script."""

    def visit(translator, node):
        import docutils.nodes

        tag = "div" if display == "block" else "span"
        translator.body.append(f'<{tag} class="math">{mathml(node.astext(), display)}</{tag}>')
        raise docutils.nodes.SkipNode

    return visit


def say_signature(app, what, name, obj, options, signature, returns):
    """Show what a widget's class is called with: traitlets says (*args, **kwargs) of them all."""
    if what == "class" and signature == "(*args, **kwargs)":
        parameters = list(inspect.signature(obj.__init__).parameters.values())[1:]
        return str(inspect.Signature([one.replace(annotation=inspect.Parameter.empty) for one in parameters])), returns
    return None


def setup(app):
    app.connect("autodoc-process-signature", say_signature)
    app.connect("source-read", name_cells)
    app.add_html_math_renderer("mathml", (write_mathml("inline"), None), (write_mathml("block"), None))
