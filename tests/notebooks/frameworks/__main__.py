"""Run what the notebooks show of other packages, and keep what it prints."""

from __future__ import annotations

import contextlib
import datetime
import importlib
import io
import sys

from . import said


def main(slugs: list[str]) -> None:
    """Run the functions of these notebooks, or of all, whose package is installed."""
    kept = said.read()
    for slug in slugs or said.notebooks():
        module = importlib.import_module(f"{__package__}.{slug}")
        for name in said.functions(slug):
            package = name.partition("_")[0]
            try:
                version = importlib.import_module(package).__version__
            except ModuleNotFoundError:
                print(f"{slug} {name}: {package} is not installed here")
                continue
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                getattr(module, name)()
            kept[f"{slug} {name}"] = {
                "version": f"{said.PACKAGES[package]} {version.partition('+')[0]}",
                "date": datetime.date.today().isoformat(),
                # A notebook in its normal form has no space at the end of a line.
                "text": "\n".join(map(str.rstrip, printed.getvalue().rstrip().splitlines())),
            }
            print(f"{slug} {name}\n{printed.getvalue()}")
    said.write(kept)


main(sys.argv[1:])
