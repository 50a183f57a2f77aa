"""Sphinx's configuration of the website: the notebooks as pages whose players play, and the reference."""

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
BINDER = {}  # the address in the badge of each lesson, filled as it is read
QUESTIONS = {}  # what each lesson asks, filled in the same way
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
# Anchors of cells are HTML, which MyST does not read; `site_works.py` follows every link.
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
autodoc_default_options = {"exclude-members": "set"}  # Matplotlib writes one for each class
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
    """Return where the source of a public name stands, with its lines."""
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
    """Give each cell the anchor that links use, fold what is saved folded, and link to Python where there is a lab."""
    file = app.env.doc2path(docname)
    if file.suffix != ".ipynb":
        return
    notebook = nbformat.reads(source[0], as_version=4)
    if question := re.match(r"# .*\n\n\*\*(.*)\*\*\n", notebook.cells[0].source):
        QUESTIONS[docname] = question[1]
    # within the page, as JupyterLab calls headings
    cells, linked = [], set(re.findall(r"\]\(#([\w-]+)\)", source[0]))
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
        if "@interact" in cell.source or any(
            "data-adl-lab" in str(output.get("data")) for output in cell.outputs
        ):
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
    kinds = {
        "Open live": f'class="live" href="{LITE}{docname}.ipynb"',
        "Binder": f'href="{BINDER[docname]}"',
    }
    return " ".join(['<p class="launch">', *(f"<a {kinds[way]}>{way}</a>" for way in ways), "</p>"])


def add_launch_buttons(app, pagename, templatename, context, doctree):
    """Put the same two into the header of a lesson."""
    if pagename in BINDER:
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
        }
        context["header_buttons"].insert(0, launch | {"buttons": buttons})


def describe_page(app, pagename, templatename, context, doctree):
    """Say what a shared link to a page shows, and fill in the form for what was not understood there."""
    title = re.sub(r"<[^>]+>", "", context.get("title") or "") or "autodiff_lab"
    start = pagename == app.config.root_doc
    said = QUESTIONS.get(pagename, PROJECT["description"])
    address = HOME if start else f"{HOME}{pagename}.html"
    named = "autodiff_lab" if start else f"{html.unescape(title)} · autodiff_lab"
    properties = {
        "title": named,
        "description": said,
        "type": "website",
        "url": address,
        "image": f"{HOME}{PREVIEW}",
    }
    tags = [f'<meta name="description" content="{html.escape(said)}">']
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
    """List the pages of the site for search engines, and write the page for addresses that lead nowhere."""
    if exception is not None:
        return
    pages = [
        HOME,
        *(
            f"{HOME}{name}.html"
            for name in sorted(app.env.found_docs)
            if name != app.config.root_doc
        ),
    ]
    urls = "".join(f"<url><loc>{html.escape(page)}</loc></url>\n" for page in pages)
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    sitemap = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{space}">\n{urls}</urlset>\n'
    (app.outdir / "sitemap.xml").write_text(sitemap, encoding="utf-8")
    missing = (ROOT / ".ci/site/404.html").read_text(encoding="utf-8")
    (app.outdir / "404.html").write_text(missing % {"home": HOME}, encoding="utf-8")


def write_mathml(display):
    """Return what writes a formula as MathML, which browsers set without a script."""

    def visit(translator, node):
        tag = "div" if display == "block" else "span"
        formula = mathml(node.astext(), display)
        formula = re.sub(r"(<mi>[a-z]{2,}</mi>)(?=<m(?!o))", rf"\1{THIN_SPACE}", formula)  # sin x
        # x sin
        formula = re.sub(
            r"(</m(?:i|n|sub|sup)>)(<mi>[a-z]{2,}</mi>)", rf"\1{THIN_SPACE}\2", formula
        )
        # f′
        formula = re.sub(
            r"<msup>(<mi>.</mi>)<mi>(&#x0203[234];)</mi></msup>", r"\1<mtext>\2</mtext>", formula
        )
        translator.body.append(f'<{tag} class="formula">{formula}</{tag}>')
        raise SkipNode

    return visit


def say_signature(app, what, name, obj, options, signature, returns):
    """Show what a name is called with: of classes, only those that readers call; others come from a function."""
    if not signature:
        return None
    if what in ("class", "exception"):
        if not cross_links.is_made_by_readers(obj):
            return "", None
        if signature == "(*args, **kwargs)":  # traitlets says so of every widget
            parameters = list(inspect.signature(obj.__init__).parameters.values())[1:]
            return str(inspect.Signature(parameters)), None
    # Sphinx writes each Callable with a list of its arguments, also where nothing is said of them.
    written = [
        text and text.replace("Callable[[...], ", "Callable[..., ") for text in (signature, returns)
    ]
    return tuple(written)


def setup(app):
    app.connect("autodoc-process-signature", say_signature)
    app.connect("source-read", shape_notebook)
    app.connect("html-page-context", describe_page)
    app.connect("html-page-context", link_code)
    app.connect("build-finished", write_sitemap)
    # after the theme has made its own
    app.connect("html-page-context", add_launch_buttons, priority=600)
    app.add_html_math_renderer(
        "mathml", (write_mathml("inline"), None), (write_mathml("block"), None)
    )
