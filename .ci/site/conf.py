"""Sphinx's configuration for the website: the notebooks as pages with working players, and the reference."""

import html
import inspect
import re
import sys
import tomllib
from pathlib import Path
from urllib.parse import urlencode

import nbformat
from docutils.nodes import SkipNode

import autodiff_lab
from autodiff_lab.classroom.lecture.cell_html import mathml

ROOT = Path(autodiff_lab.__file__).resolve().parents[1]
sys.path += [str(ROOT), str(ROOT / ".ci/site")]

import cross_links  # noqa: E402

from tests.addresses import releases  # noqa: E402

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REPOSITORY = PROJECT["urls"]["Repository"]
HOME = PROJECT["urls"]["Homepage"]
BADGE = re.compile(r"^\[!\[.*\]\((https://mybinder\.org/[^)]*)\)$", re.MULTILINE)
BINDER = {}  # the Binder address of each lesson, filled in when Sphinx reads the lesson
QUESTIONS = {}  # the question of each lesson, filled in at the same time
PREVIEW = "_static/player.png"
TWITTER = '<meta name="twitter:card" content="summary_large_image">'
THIN_SPACE = '<mspace width="0.17em"/>'
LITE = "lite/lab/index.html?path="

project = "autodiff_lab"
version = release = autodiff_lab.__version__
DATES = dict(releases(ROOT))
DOCUMENTED = f"{version} ({DATES[version]})" if version in DATES else f"{version}, not released yet"
author = PROJECT["authors"][0]["name"]
copyright = f"{author}, {PROJECT['license']}"

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.linkcode",
]
nb_execution_mode = "off"  # the notebooks are committed executed
nb_code_prompt_show = "Show the result"
nb_code_prompt_hide = "Fold the result"
nb_mime_priority_overrides = [("html", "text/html", 0)]
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 3
# Cells have their anchors in HTML, which MyST doesn't read; `site_works.py` follows every link instead.
suppress_warnings = ["myst.header", "myst.xref_missing", "mystnb.unknown_mime_type"]
exclude_patterns = ["lectures/*"]

autosummary_generate = True
LESSONS = cross_links.lessons_by_name()
autosummary_context = {
    "lessons": {name: cross_links.list_lessons(uses) for name, uses in LESSONS.items()},
    "makers": {name: list(cross_links.makers(getattr(autodiff_lab, name))) for name in LESSONS},
}
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
maximum_signature_line_length = 60  # a longer one has a line for each parameter
autodoc_default_options = {"exclude-members": "set"}  # Matplotlib adds a `set` to each class
numpydoc_show_class_members = False
templates_path = ["_templates"]

html_theme = "sphinx_book_theme"
html_title = "autodiff_lab"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["feedback.js", "search.js"]
html_favicon = "_static/favicon.svg"
html_baseurl = HOME
html_math_renderer = "mathml"
html_copy_source = False
html_theme_options = {
    "repository_url": REPOSITORY,
    "use_repository_button": True,
    "use_download_button": False,
    "use_fullscreen_button": False,
    "show_toc_level": 2,
    "navbar_persistent": [],  # the sidebar has the search field
    "footer_content_items": ["feedback.html", "copyright.html"],
    "pygments_light_style": "tango",
    "pygments_dark_style": "github-dark",
}


def linkcode_resolve(domain, info):
    """Return the address of a public name's source on GitHub, with its lines."""
    found = autodiff_lab
    for name in info["fullname"].split("."):
        found = getattr(found, name, None)
    found = inspect.unwrap(getattr(found, "fget", None) or found)
    try:
        lines, first = inspect.getsourcelines(found)
    except TypeError:
        return None
    file = Path(inspect.getsourcefile(found)).relative_to(ROOT)
    return f"{REPOSITORY}/blob/main/{file}#L{first}-L{first + len(lines) - 1}"


def shape_notebook(app, docname, source):
    """Give each cell the anchor that links use, fold outputs that are saved folded, and add buttons below labs."""
    file = app.env.doc2path(docname)
    if file.suffix != ".ipynb":
        return
    notebook = nbformat.reads(source[0], as_version=4)
    if question := re.match(r"# .*\n\n\*\*(.*)\*\*\n", notebook.cells[0].source):
        QUESTIONS[docname] = question[1]
    # links to headings of the same page, in JupyterLab's form
    linked = set(re.findall(r"\]\(#([\w-]+)\)", source[0]))
    cells = []
    for cell in notebook.cells:
        anchor = f'<span id="cell-id={cell.id}"></span>'
        if cell.cell_type == "markdown":
            cell.source = re.sub(r"\A(# .*\n)?", rf"\1\n{anchor}\n\n", cell.source, count=1)
            for heading in linked:
                cell.source = re.sub(
                    rf"(?m)^(#+ {heading})$", rf'<span id="{heading}"></span>\n\n\1', cell.source
                )
            if badge := BADGE.search(cell.source):
                BINDER[docname] = badge[1]
                cell.source = cell.source.replace(
                    badge[0], launch_row(docname, "Open live", "Binder")
                )
            cells.append(cell)
            continue
        cell.outputs = [output for output in cell.outputs if output.get("data") != {}]
        if cell.outputs and cell.metadata.get("jupyter", {}).get("outputs_hidden"):
            cell.metadata["tags"] = [*cell.metadata.get("tags", []), "hide-output"]
        cells += [nbformat.v4.new_markdown_cell(anchor), cell]
        has_lab = any("data-adl-lab" in str(output.get("data")) for output in cell.outputs)
        if has_lab or "@interact" in cell.source:
            cells.append(nbformat.v4.new_markdown_cell(launch_row(docname, "Open live")))
    if names := names_in(docname):
        cells.append(nbformat.v4.new_markdown_cell(cross_links.list_names(names)))
    notebook.cells = cells
    source[0] = nbformat.writes(notebook)


def names_in(lesson):
    """Return the public names that a lesson uses."""
    return {name for name, uses in LESSONS.items() if lesson in {use.page for use in uses}}


def link_code(app, pagename, templatename, context, doctree):
    """Link the public names in a lesson's code to the reference."""
    if names := names_in(pagename):
        context["body"] = cross_links.link_code(context["body"], names)


def launch_row(docname, *ways):
    """Write buttons that run a notebook without installing anything."""
    attributes = {
        "Open live": f'class="live" href="{LITE}{docname}.ipynb"',
        "Binder": f'href="{BINDER[docname]}"',
    }
    links = [f"<a {attributes[way]}>{way}</a>" for way in ways]
    return " ".join(['<p class="launch">', *links, "</p>"])


def add_launch_buttons(app, pagename, templatename, context, doctree):
    """Put buttons for JupyterLite and Binder into the header of a lesson."""
    if pagename not in BINDER:
        return
    links = {"JupyterLite": f"{LITE}{pagename}.ipynb", "Binder": BINDER[pagename]}
    buttons = [
        {
            "type": "link",
            "text": text,
            "url": url,
            "icon": f"_static/images/logo_{text.lower()}.svg",
        }
        for text, url in links.items()
    ]
    launch = {
        "type": "group",
        "icon": "fas fa-rocket",
        "tooltip": "Run this lesson",
        "label": "launch-buttons",
        "buttons": buttons,
    }
    context["header_buttons"].insert(0, launch)


def describe_page(app, pagename, templatename, context, doctree):
    """Add the preview that a shared link to a page shows, and the link to the form "I did not understand"."""
    title = re.sub(r"<[^>]+>", "", context.get("title") or "") or "autodiff_lab"
    is_start = pagename == app.config.root_doc
    description = QUESTIONS.get(pagename, PROJECT["description"])
    properties = {
        "title": "autodiff_lab" if is_start else f"{html.unescape(title)} · autodiff_lab",
        "description": description,
        "type": "website",
        "url": HOME if is_start else f"{HOME}{pagename}.html",
        "image": f"{HOME}{PREVIEW}",
    }
    tags = [f'<meta name="description" content="{html.escape(description)}">']
    tags += [
        f'<meta property="og:{name}" content="{html.escape(text)}">'
        for name, text in properties.items()
    ]
    context["metatags"] = context.get("metatags", "") + "\n".join([*tags, TWITTER])
    context["documented"] = DOCUMENTED
    context["all_versions"] = f"{HOME}versions.html"
    form = {"template": "not_understood.yml", "where": html.unescape(title)}
    context["feedback"] = f"{REPOSITORY}/issues/new?{urlencode(form)}"


def write_sitemap(app, exception):
    """Write the sitemap for search engines, and the page for addresses that don't exist."""
    if exception is not None:
        return
    others = sorted(set(app.env.found_docs) - {app.config.root_doc})
    pages = [HOME, *(f"{HOME}{name}.html" for name in others)]
    urls = "".join(f"<url><loc>{html.escape(page)}</loc></url>\n" for page in pages)
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    sitemap = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{space}">\n{urls}</urlset>\n'
    (app.outdir / "sitemap.xml").write_text(sitemap, encoding="utf-8")
    missing = (ROOT / ".ci/site/404.html").read_text(encoding="utf-8")
    (app.outdir / "404.html").write_text(missing % {"home": HOME}, encoding="utf-8")


def write_mathml(display):
    """Return a visitor that writes a formula as MathML, which browsers typeset without a script."""

    def visit(translator, node):
        tag = "div" if display == "block" else "span"
        formula = mathml(node.astext(), display)
        # a thin space between a function's name and its argument, as in "sin x"
        formula = re.sub(r"(<mi>[a-z]{2,}</mi>)(?=<m(?!o))", rf"\1{THIN_SPACE}", formula)
        # and between a factor and a function's name, as in "x sin"
        formula = re.sub(
            r"(</m(?:i|n|sub|sup)>)(<mi>[a-z]{2,}</mi>)", rf"\1{THIN_SPACE}\2", formula
        )
        # the prime of f′ as text, because it is raised already
        formula = re.sub(
            r"<msup>(<mi>.</mi>)<mi>(&#x0203[234];)</mi></msup>", r"\1<mtext>\2</mtext>", formula
        )
        translator.body.append(f'<{tag} class="formula">{formula}</{tag}>')
        raise SkipNode

    return visit


def say_signature(app, what, name, obj, options, signature, returns):
    """Return the signature that the reference shows. Classes have none if only a function makes their instances."""
    if not signature:
        return None
    if what in ("class", "exception"):
        if not cross_links.is_made_by_readers(obj):
            return "", None
        if signature == "(*args, **kwargs)":  # which traitlets gives every widget
            parameters = list(inspect.signature(obj.__init__).parameters.values())[1:]
            return str(inspect.Signature(parameters)), None
    # Sphinx writes Callable[..., Any] with brackets around the dots.
    return correct_callables(signature), correct_callables(returns)


def correct_callables(text):
    """Write `Callable[[...], T]` as `Callable[..., T]`; returns None if there is no text."""
    return text and text.replace("Callable[[...], ", "Callable[..., ")


def setup(app):
    app.connect("autodoc-process-signature", say_signature)
    app.connect("source-read", shape_notebook)
    app.connect("html-page-context", describe_page)
    app.connect("html-page-context", link_code)
    app.connect("build-finished", write_sitemap)
    # a late priority: the theme has to make its own header buttons first
    app.connect("html-page-context", add_launch_buttons, priority=600)
    app.add_html_math_renderer(
        "mathml", (write_mathml("inline"), None), (write_mathml("block"), None)
    )
