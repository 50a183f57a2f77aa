"""The command `autodiff-lab`: open the tutorial in JupyterLab, or check the set-up.

What each subcommand does lives in a module of its own and is loaded only when it is asked for, so that
`autodiff-lab check` can still say what is missing when something is missing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from . import __version__
from .tutorial import DEFAULT_COPY, TutorialError

EPILOG = f"""\
examples:
  autodiff-lab                     open the tutorial; JupyterLab appears in your browser
  autodiff-lab --no-browser        the same, and print the address instead of opening it
  autodiff-lab --to my-notebooks   work on copies in the folder my-notebooks
  autodiff-lab check               say what is installed, and how to mend what is not

In a checkout of the source, the checkout's own notebooks are opened. Installed from a wheel, the notebooks
are first copied into ./{DEFAULT_COPY} (or the folder given with --to). A file that is already
there is never overwritten: your work stays as you left it.
"""


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="autodiff-lab",
        description="Open the autodiff_lab tutorial in JupyterLab.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"autodiff-lab {__version__}")
    parser.add_argument("--to", metavar="DIR", type=Path, help="copy the notebooks into DIR and open them there")
    parser.add_argument("--no-browser", action="store_true", help="print the address, do not open a browser")
    parser.add_argument("--port", type=port_number, help="the port to listen on (default: 8888, or the next free one)")
    commands = parser.add_subparsers(dest="command", metavar="{check}", title="other commands")
    commands.add_parser(
        "check",
        help="say in plain words what is installed and what draws the graphs",
        description="Say what is installed, what draws the graphs, and how to mend what is missing. "
        "The exit code is 0 if everything is in place, 1 if not.",
    )
    return parser


def port_number(text: str) -> int:
    """Read a TCP port from the command line."""
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port; a port is a whole number from 1 to 65535")
    return int(text)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 0 done, 1 it cannot work here (a wrong option: 2)."""
    parser = build_parser()
    options = parser.parse_args(argv)
    if options.command == "check":
        if options.to or options.no_browser or options.port:
            parser.error("--to, --no-browser and --port are for opening the tutorial; `check` takes no options")
        from .setup_check import check_setup

        return check_setup()

    from .tutorial import open_tutorial

    try:
        open_tutorial(options.to, browser=not options.no_browser, port=options.port)
    except TutorialError as error:
        print(f"autodiff-lab: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
