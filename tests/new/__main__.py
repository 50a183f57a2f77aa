"""The command `python -m tests.new`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.new.lab import make_lab
from tests.new.lesson import make_lesson


def main(argv: Sequence[str] | None = None) -> int:
    """Make what is asked for, and say which files were written and what is left to do."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.new", description="Make a new lesson or a new lab."
    )
    kinds = parser.add_subparsers(dest="kind", required=True)
    lesson = kinds.add_parser("lesson", help="a notebook, its exercises, and a place in the course")
    lesson.add_argument("slug", help="the name of notebook, package and tests: taylor")
    lesson.add_argument(
        "--after", required=True, metavar="SLUG", help="the notebook that comes before it"
    )
    lesson.add_argument("--title", required=True, help="what the first line of the notebook says")
    lesson.add_argument("--question", required=True, help="the question that the notebook answers")
    lesson.add_argument(
        "--word",
        required=True,
        metavar='"WORD: WHAT IT IS."',
        help="a word that it adds to the glossary",
    )
    lab = kinds.add_parser("lab", help="an interactive figure")
    lab.add_argument("name", help="the name of its folder: slope_finder")
    options = parser.parse_args(argv)
    try:
        if options.kind == "lab":
            said = make_lab(options.name)
        else:
            said = make_lesson(
                options.slug, options.after, options.title, options.question, options.word
            )
    except (ValueError, FileExistsError) as problem:
        parser.error(str(problem))
    print(*said, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
