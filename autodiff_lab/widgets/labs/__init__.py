"""Labs: one folder each, a controller that knows and a picture that shows.

>>> from autodiff_lab.widgets.labs import VCurve
>>> lab = VCurve()
>>> lab.set(h=-8)
>>> lab.snapshot()["h"]
1e-08

A lab is found by its name: ``VCurve`` is in the folder ``v_curve``, ``NaNDetective`` in ``nan_detective``. `lab` says
what a lab is, `view` puts it on the page.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import Any


def every_lab() -> list[Any]:
    """All labs there are."""
    from autodiff_lab.widgets.labs.lab import Lab

    modules = [import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)]
    classes = [thing for module in modules for thing in vars(module).values() if isinstance(thing, type)]
    return [each for each in dict.fromkeys(classes) if issubclass(each, Lab) and each is not Lab]


def __getattr__(name: str) -> Any:
    # Not the other way round: where the words of a name begin is not always to be seen, as in NaNDetective.
    files = (found.name for found in pkgutil.iter_modules(__path__) if found.name.replace("_", "") == name.lower())
    file = next(files, None) if name[:1].isupper() else None
    if file is None:
        raise AttributeError(f"there is no lab {name!r}")
    return getattr(import_module(f"{__name__}.{file}"), name)
