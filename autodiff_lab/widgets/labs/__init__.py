"""Labs, the interactive figures: a package with a folder for each.

>>> from autodiff_lab.widgets.labs import VCurve
>>> lab = VCurve()
>>> lab.set(h=-8)
>>> lab.snapshot()["h"]
1e-08

The folder of a lab follows from its name: ``VCurve`` is in ``v_curve``, ``NaNDetective`` in ``nan_detective``. In each
folder, the module `lab` has the controller. Long parts have their own modules, such as `picture`, `programs` or
`passes`. Next to the folders, `lab` has the base classes of all controllers, `canvas` has the drawing functions, and
`view` shows a lab on the page.
"""

import pkgutil
from importlib import import_module
from typing import Any


def every_lab() -> list[Any]:
    """List the classes of all labs, one from each folder of the package."""
    from autodiff_lab.widgets.labs.lab import Lab

    labs = []
    for folder in _list_folders():
        module = import_module(f"{__name__}.{folder}.lab")
        for value in vars(module).values():
            is_own_class = isinstance(value, type) and value.__module__ == module.__name__
            if is_own_class and issubclass(value, Lab):
                labs.append(value)
    return labs


def __getattr__(name: str) -> Any:
    # The folder is looked up without underscores, because a name such as NaNDetective can't be split into its words.
    folders = {folder.replace("_", ""): folder for folder in _list_folders()}
    folder = folders.get(name.lower())
    if folder is None or not name[0].isupper():
        raise AttributeError(f"there is no lab {name!r}")
    return getattr(import_module(f"{__name__}.{folder}.lab"), name)


def _list_folders() -> list[str]:
    return [found.name for found in pkgutil.iter_modules(__path__) if found.ispkg]
