"""Live widgets: how the output of a cell becomes a widget, and what it shows when no kernel has that widget.

A widget's view in an output is only the id of a model in a kernel. When the notebook is opened without that kernel, the
view is an error, and JupyterLab shows the error rather than any picture that the output also has. So the output is HTML
alone: a figure, and a script (`live.js`) that finds the live widget on the page by a key. The view is kept where such a
script cannot see the widgets: in VS Code, in Colab, and wherever it isn't known whether it can.
"""

import hashlib
import os
import sys
import uuid
from typing import Any

import anywidget
import traitlets
from IPython import get_ipython

from autodiff_lab.widgets.bundle import read_bundle

VIEW = "application/vnd.jupyter.widget-view+json"

_SCRIPT = read_bundle("live.js")

# If a page has several equal figures, each script takes the first one that no other script has taken.
_AWAITING = """\
%(figure)s
<script type="module">
%(script)s
const figure = document.querySelector('figure[%(mark)s]');
if (figure) {
figure.removeAttribute("%(name)s");
settle(figure, "%(key)s"%(stand_in)s);
}
</script>"""

# Hosts that also run kernels behind a Jupyter server, but show each output in its own frame.
_FRAMED = {"PYCHARM_HOSTED", "KAGGLE_KERNEL_RUN_TYPE", "COLAB_RELEASE_TAG", "DEEPNOTE_PROJECT_ID"}


class Live(anywidget.AnyWidget):
    """A widget that a script in an output finds by its key.

    Its JavaScript calls ``announce(model, render)`` from `live.js` in ``initialize``.
    """

    key = traitlets.Unicode().tag(sync=True)

    def __init__(self, **state: Any) -> None:
        super().__init__(key=uuid.uuid4().hex[:12], **state)

    def figure(self) -> str:
        """Return the HTML of an output of this widget: `placeholder_html` with the key."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        bundle = super()._repr_mimebundle_(**kwargs)
        assert bundle is not None, "a widget with a view has a MIME bundle"
        data, metadata = bundle
        if outputs_see_widgets():
            del data[VIEW]
        data["text/html"] = self.figure()
        return data, metadata


def placeholder_html(figure: str, kind: str, key: str = "", stand_in: str = "") -> str:
    """Write a figure, and the script that puts a live widget in its place.

    Parameters
    ----------
    figure : str
        HTML: one ``<figure>``.
    kind : str
        The kind of widget: ``"player"`` or ``"lab"``.
    key : str
        The key of the live widget; empty if there is none.
    stand_in : str
        JavaScript: an async function that returns a renderer, which fills the figure's place while there is no live
        widget.
    """
    digest = hashlib.sha256(f"{figure}{stand_in}".encode()).hexdigest()
    name = f"data-adl-{kind}"
    mark = f'{name}="{digest[:12]}"'
    return _AWAITING % {
        "figure": figure.replace("<figure", f"<figure {mark}", 1),
        "script": _SCRIPT,
        "name": name,
        "mark": mark,
        "key": key,
        "stand_in": f", {stand_in}" if stand_in else "",
    }


def outputs_see_widgets() -> bool:
    """Return True if a script in an output is known to share a page with the live widgets, so that it can find them.

    The kernel's environment shows where it runs. Under JupyterLab and Notebook, the Jupyter server passes the name of
    the notebook; Voilà passes an address; in JupyterLite the kernel runs in the page. VS Code starts its own kernels,
    or has a server start one for a notebook with an invented name; in a kernel that was already running, it leaves the
    notebook's name as a variable.
    """
    if "google.colab" in sys.modules or _FRAMED & os.environ.keys():
        return False
    shell = get_ipython()
    if shell is not None and "__vsc_ipynb_file__" in shell.user_ns:
        return False
    if "JPY_SESSION_NAME" in os.environ:
        return "-jvsc-" not in os.environ["JPY_SESSION_NAME"]
    return "VOILA_BASE_URL" in os.environ or "pyodide_kernel" in sys.modules
