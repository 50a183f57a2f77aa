"""The command `autodiff-lab`: open the tutorial in JupyterLab, or check the set-up.

What each subcommand does lives in a module of its own and is loaded only when it is asked for, so that
`autodiff-lab check` can still say what is missing when something is missing.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence
from pathlib import Path

from .. import __version__
from ..jupyter.notebooks import DEFAULT_COPY, TutorialError

EPILOG = f"""\
examples:
  autodiff-lab                     open the tutorial; JupyterLab appears in your browser
  autodiff-lab --no-browser        the same, and print the address instead of opening it
  autodiff-lab --to my-notebooks   work on copies in the folder my-notebooks
  autodiff-lab check               say what is installed, and how to mend what is not
  autodiff-lab course --out DIR    write the notebooks for students, and for their teacher with answers
  autodiff-lab lecture 04 --out DIR   write slides, a page, handouts and speaker notes; they need no network
  autodiff-lab grade DIR           run the notebooks that students have handed in, and say who did what

In a checkout of the source, the checkout's own notebooks are opened. Installed from a wheel, the notebooks
are first copied into ./{DEFAULT_COPY} (or the folder given with --to). A file that is already
there is never overwritten: your work stays as you left it.
"""


UNCONFINED = """\
autodiff-lab: WARNING: --unconfined. There are no walls: each notebook runs with all your rights. It can read, change
and delete your files, the other hand-ins and these grades, use the network, and leave programs running."""


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
    commands = parser.add_subparsers(dest="command", metavar="{check,course,lecture,grade}", title="other commands")
    commands.add_parser(
        "check",
        help="say in plain words what is installed and what draws the graphs",
        description="Say what is installed, what draws the graphs, and how to mend what is missing. "
        "The exit code is 0 if everything is in place, 1 if not.",
    )
    course = commands.add_parser(
        "course",
        help="write the students' notebooks, and the teacher's with answers, hints and known wrong answers",
        description="Write the notebooks twice: DIR/student as they are, with every exercise open, and DIR/teacher "
        "with a good answer, the hints and the recognised wrong answers of every exercise. Nothing is overwritten.",
    )
    course.add_argument("--out", metavar="DIR", type=Path, required=True, help="the folder to write into")
    lecture = commands.add_parser(
        "lecture",
        help="write slides, a page, handouts and speaker notes of a lesson; they need no network",
        description="Run a notebook and write what a lecturer takes along: a page and slides in which the players play "
        "without Python and without a network, a strip of frames of each player, a PDF to hand out, speaker notes.",
    )
    lecture.add_argument("notebook", metavar="NN", help="the number of a lesson, as 04, or a notebook of your own")
    lecture.add_argument("--out", metavar="DIR", type=Path, required=True, help="the folder to write into")
    lecture.add_argument("--overwrite", action="store_true", help="write over the kit of an earlier run")
    grading = commands.add_parser(
        "grade",
        help="run a folder of handed-in notebooks, and write who passed what",
        description="Run every notebook in a folder (or in one folder for each student), each behind the walls of "
        "bubblewrap (Linux): without network and your files, and with limits of time, memory, processes and disk. "
        "Writes grades.csv, a line as soon as a notebook has ended, and grades.html. The exit code is 1 if "
        "some could not be run through no fault of theirs. It is no proof against cheating.",
    )
    grading.add_argument("folder", metavar="DIR", type=Path, help="what was handed in")
    grading.add_argument("--out", metavar="DIR", type=Path, help="where to write the table (default: into DIR)")
    grading.add_argument("--overwrite", action="store_true", help="write over the table of an earlier run")
    grading.add_argument("--seconds", type=positive, default=120, help="time for one notebook (default: 120)")
    grading.add_argument("--megabytes", type=positive, default=2000, help="memory for one notebook (default: 2000)")
    grading.add_argument("--unconfined", action="store_true", help="run without walls, with all your rights")
    grading.add_argument("--jobs", type=positive, help="how many run at a time (default: one for each processor)")
    return parser


def positive(text: str) -> int:
    """Read a whole number of at least 1 from the command line."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def port_number(text: str) -> int:
    """Read a TCP port from the command line."""
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port; a port is a whole number from 1 to 65535")
    return int(text)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code: 0 done, 1 it cannot work here (a wrong option: 2)."""
    parser = build_parser()
    options = parser.parse_args(argv)
    if options.command and (options.to or options.no_browser or options.port):
        parser.error(f"--to, --no-browser and --port open the tutorial; `{options.command}` does not take them")
    try:
        return COMMANDS[options.command](options)
    except (TutorialError, FileNotFoundError, FileExistsError) as error:
        print(f"autodiff-lab: {error}", file=sys.stderr)
        return 1


def _open(options: argparse.Namespace) -> int:
    from .tutorial import open_tutorial

    open_tutorial(options.to, browser=not options.no_browser, port=options.port)
    return 0


def _check(options: argparse.Namespace) -> int:
    from .setup_check import check_setup

    return check_setup()


def _course(options: argparse.Namespace) -> int:
    from ..classroom.course import write_course
    from .tutorial import say_what_was_copied

    for name, copied in write_course(options.out).items():
        say_what_was_copied(copied, options.out / name)
    return 0


def _lecture(options: argparse.Namespace) -> int:
    from ..classroom.lecture.kit import write_lecture

    kit = write_lecture(
        options.notebook,
        options.out,
        overwrite=options.overwrite,
        tell=lambda said: print(said, flush=True),
    )
    for path in kit.files:
        print(f"{path.stat().st_size / 1000:7.0f} kB  {path}")
    if not kit.players:
        print("This notebook has no player, so there are no handouts.")
    for remark in kit.remarks:
        print(remark)
    return 0


def _grade(options: argparse.Namespace) -> int:
    from ..classroom.grading.grade import Limits, Row, grade, handed_in, try_walls
    from ..classroom.grading.report import open_report, report_paths

    out, walls = options.out or options.folder, not options.unconfined
    limits = Limits(options.seconds, options.megabytes)
    if not walls:
        print(UNCONFINED, file=sys.stderr)
    handed_in(options.folder)  # whether there are any
    try_walls(limits, walls=walls)
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal that has no letter for a name shows its number
        sys.stdout.reconfigure(errors="backslashreplace")
    with open_report(out, overwrite=options.overwrite, walls=walls) as add:

        def tell(row: Row) -> None:
            add(row)
            print(f"{row.passed:3} of {len(row.exercises):2}  {row.file}: {row.ended}", flush=True)

        rows = grade(options.folder, limits, jobs=options.jobs, walls=walls, tell=tell)
    table, page = report_paths(out)
    print(f"{len(rows)} notebooks; the table is in {table}, and to be read in {page}")
    not_run = sum(not row.judged for row in rows)
    if not_run:
        print(f"autodiff-lab: {not_run} of them could not be run, through no fault of theirs", file=sys.stderr)
    return 1 if not_run else 0


COMMANDS = {None: _open, "check": _check, "course": _course, "lecture": _lecture, "grade": _grade}
