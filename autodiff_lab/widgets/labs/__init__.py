"""Labs, the interactive figures: a package with a folder for each.

>>> from autodiff_lab.widgets.labs import VCurve
>>> lab = VCurve()
>>> lab.set(h=-8)
>>> lab.snapshot()["h"]
1e-08

A lab is found by its name: ``VCurve`` is in the folder ``v_curve``, ``NaNDetective`` in ``nan_detective``. In each
folder `lab` is the controller, with what it draws and offers to run; where that takes more than a page, it stands in a
module of its own, such as `picture`, `programs` or `passes`. Beside the folders `lab` is what all controllers share,
`canvas` what they draw on, and `view` puts a lab on the page.
"""

import pkgutil
from importlib import import_module
from typing import Any


def every_lab() -> list[Any]:
    """List the classes of all labs there are, one from each folder of the package."""
    from autodiff_lab.widgets.labs.lab import Lab

    modules = [import_module(f"{__name__}.{folder}.lab") for folder in _list_folders()]
    own = [
        (module, thing)
        for module in modules
        for thing in vars(module).values()
        if isinstance(thing, type)
    ]
    return [
        kind for module, kind in own if issubclass(kind, Lab) and kind.__module__ == module.__name__
    ]


def __getattr__(name: str) -> Any:
    # Not the other way round: where the words of a name begin is not always to be seen, as in NaNDetective.
    folder = next((each for each in _list_folders() if each.replace("_", "") == name.lower()), None)
    if folder is None or not name[:1].isupper():
        raise AttributeError(f"there is no lab {name!r}")
    return getattr(import_module(f"{__name__}.{folder}.lab"), name)


def _list_folders() -> list[str]:
    return [found.name for found in pkgutil.iter_modules(__path__) if found.ispkg]
