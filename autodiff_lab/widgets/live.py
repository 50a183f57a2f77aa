"""Live widgets: how the output of a cell becomes its widget, and what it is where no kernel has the widget.

A widget's view in an output is a number in a kernel. Opened again without that kernel it is an error, which JupyterLab
prefers to any picture beside it. So the output is HTML alone: a figure, and a script that finds the live widget on the
page by a key (`live.js`). The view is kept where such a script cannot see the widgets: in VS Code, in Colab, and
wherever it is not known to see them.
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

# Of several equal figures on a page each script takes the first that is not yet taken.
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

# These run their kernels behind a Jupyter server too, but show each output in a frame of its own.
_FRAMED = {"PYCHARM_HOSTED", "KAGGLE_KERNEL_RUN_TYPE", "COLAB_RELEASE_TAG", "DEEPNOTE_PROJECT_ID"}


class Live(anywidget.AnyWidget):
    """A live widget, which a script in an output finds by its key.

    Its JavaScript calls ``announce(model, render)`` from `live.js` in ``initialize``.
    """

    key = traitlets.Unicode().tag(sync=True)

    def __init__(self, **state: Any) -> None:
        super().__init__(key=uuid.uuid4().hex[:12], **state)

    def figure(self) -> str:
        """Return the HTML of an output of this live widget: `placeholder_html` with its key."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        bundle = super()._repr_mimebundle_(**kwargs)
        assert bundle is not None, "only a widget without a view shows nothing"
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
        Of what it is a figure: ``"player"``, ``"lab"``.
    key : str
        Of the live widget; empty if there is none.
    stand_in : str
        JavaScript: a function that fetches what takes the figure's place while nobody has the live widget.
    """
    name = f"data-adl-{kind}"
    mark = f'{name}="{hashlib.sha256(f"{figure}{stand_in}".encode()).hexdigest()[:12]}"'
    return _AWAITING % {
        "figure": figure.replace("<figure", f"<figure {mark}", 1),
        "script": _SCRIPT,
        "name": name,
        "mark": mark,
        "key": key,
        "stand_in": f", {stand_in}" if stand_in else "",
    }


def outputs_see_widgets() -> bool:
    """Whether a script in an output can find the live widgets, on one page with it, as far as is known here.

    In JupyterLab and Notebook a Jupyter server tells the kernel the name of the notebook; Voilà tells it an address; in
    JupyterLite the kernel runs in the page. VS Code starts kernels itself or, on a server, for a notebook with a name
    that it makes up; in one that it finds running it leaves the notebook's name as a variable.
    """
    shell = get_ipython()
    if "google.colab" in sys.modules or _FRAMED & os.environ.keys():
        return False
    if shell is not None and "__vsc_ipynb_file__" in shell.user_ns:
        return False
    if "JPY_SESSION_NAME" in os.environ:
        return "-jvsc-" not in os.environ["JPY_SESSION_NAME"]
    return "VOILA_BASE_URL" in os.environ or "pyodide_kernel" in sys.modules
