"""The main program of the command `autodiff-lab`: its subcommands and their options.

Each subcommand is a function here, and `--help` prints its docstring. The function imports the module that does the
work only when it runs, so that `autodiff-lab check` can still report what is missing if an import would fail.
"""

import argparse
import inspect
import io
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from pathlib import Path

from .. import __version__
from ..jupyter.notebooks import TutorialError

UNCONFINED = """\
autodiff-lab: WARNING: --unconfined. There is no sandbox: each notebook runs with all your rights. It can read,
change and delete your files, the other hand-ins and these grades, use the network, and leave programs running."""

AS_ROOT = """\
autodiff-lab: WARNING: you are root. If a notebook breaks out of its sandbox, it controls the whole machine. Grade as
an ordinary user: nothing here needs more rights than that."""


def build_parser() -> ArgumentParser:
    """Build the parser of the command `autodiff-lab` with all its subcommands and options."""
    about, as_written = inspect.getdoc(_open_tutorial), argparse.RawDescriptionHelpFormatter
    parser = ArgumentParser(prog="autodiff-lab", description=about, formatter_class=as_written)
    parser.set_defaults(run=_open_tutorial)
    parser.add_argument("--version", action="version", version=f"autodiff-lab {__version__}")
    parser.add_argument(
        "--to", metavar="DIR", type=Path, help="copy the notebooks into DIR and open them there"
    )
    parser.add_argument(
        "--no-browser", action="store_true", help="print the address, do not open a browser"
    )
    parser.add_argument(
        "--port",
        type=_port_number,
        help="the port to listen on (default: 8888, or the next free one)",
    )
    commands = parser.add_subparsers(
        dest="command", metavar="{check,course,present,lecture,grade,hub}", title="other commands"
    )

    def add_command(run: Callable[[Namespace], int], name: str) -> ArgumentParser:
        about = inspect.getdoc(run) or ""
        command = commands.add_parser(name, help=about.split(".\n")[0], description=about)
        command.set_defaults(run=run)
        return command

    add_command(_check_setup, "check")
    course = add_command(_write_course, "course")
    course.add_argument(
        "--out", metavar="DIR", type=Path, required=True, help="the folder to write into"
    )
    presenting = add_command(_present_notebook, "present")
    presenting.add_argument(
        "notebook", metavar="FILE", help="40_minutes, 90_minutes, a lesson as 04, or a notebook"
    )
    presenting.add_argument(
        "--no-browser", dest="hidden", action="store_true", help="print the addresses only"
    )
    presenting.add_argument(
        "--port", dest="own_port", type=_port_number, help="the port to listen on"
    )
    lecture = add_command(_write_lecture, "lecture")
    lecture.add_argument(
        "notebook", metavar="FILE", help="40_minutes, 90_minutes, a lesson as 04, or a notebook"
    )
    lecture.add_argument(
        "--out", metavar="DIR", type=Path, required=True, help="the folder to write into"
    )
    lecture.add_argument(
        "--overwrite", action="store_true", help="write over the files of an earlier run"
    )
    grading = add_command(_grade_notebooks, "grade")
    grading.add_argument("folder", metavar="DIR", type=Path, help="the folder of hand-ins")
    grading.add_argument(
        "--out", metavar="DIR", type=Path, help="where to write the table (default: DIR-grades)"
    )
    roster_help = (
        "a CSV file of the class, with a column `name`, to report who has handed in nothing"
    )
    grading.add_argument("--roster", metavar="FILE", type=Path, help=roster_help)
    weights_help = "a CSV file `exercise,points`, such as `03 ex 2,5`: what exercises are worth (default: 1 point each)"
    grading.add_argument("--weights", metavar="FILE", type=Path, help=weights_help)
    again = grading.add_mutually_exclusive_group()
    again.add_argument(
        "--overwrite", action="store_true", help="write over the table of an earlier run"
    )
    again.add_argument(
        "--resume",
        action="store_true",
        help="keep the rows of an earlier run, and grade what is new, changed or missing",
    )
    grading.add_argument(
        "--seconds", type=_positive, default=120, help="time for one notebook (default: 120)"
    )
    grading.add_argument(
        "--megabytes", type=_positive, default=2000, help="memory for one notebook (default: 2000)"
    )
    grading.add_argument(
        "--unconfined", action="store_true", help="run without a sandbox, with all your rights"
    )
    grading.add_argument(
        "--jobs", type=_positive, help="how many run at a time (default: one for each processor)"
    )
    hub = add_command(_write_hub, "hub")
    hub.add_argument(
        "--out", metavar="DIR", type=Path, required=True, help="the folder to write into"
    )
    return parser


def _positive(text: str) -> int:
    """Read a whole number of at least 1 from the command line."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def _port_number(text: str) -> int:
    """Read a TCP port from the command line."""
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a port; a port is a whole number from 1 to 65535"
        )
    return int(text)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command `autodiff-lab`; return its exit code: 0 if it worked, 1 if it failed (a wrong option exits 2)."""
    parser = build_parser()
    options = parser.parse_args(argv)
    if options.command and (options.to or options.no_browser or options.port):
        parser.error(
            f"--to, --no-browser and --port open the tutorial; `{options.command}` does not take them"
        )
    try:
        return options.run(options)
    except (TutorialError, FileNotFoundError, FileExistsError) as error:
        print(f"autodiff-lab: {error}", file=sys.stderr)
        return 1


def _open_tutorial(options: Namespace) -> int:
    """Open the autodiff_lab tutorial in JupyterLab.

    In a checkout of the source, the checkout's own notebooks are opened. Installed
    from a wheel, the notebooks are first copied into ./autodiff-lab-notebooks (or
    the folder given with --to). A file that is already there is never overwritten:
    your work stays as you left it.

    Most used:
      autodiff-lab                     the tutorial appears in your browser
      autodiff-lab --no-browser        print the address instead of opening it
      autodiff-lab --to my-notebooks   work on copies in the folder my-notebooks
      autodiff-lab check               what is installed, and how to fix it
      autodiff-lab present 40_minutes  a lecture of forty minutes, live
    """
    from . import tutorial

    tutorial.open_tutorial(options.to, browser=not options.no_browser, port=options.port)
    return 0


def _check_setup(_: Namespace) -> int:
    """Report what is installed, what draws the graphs, and how to fix whatever is missing.

    The exit code is 0 if everything is in place, 1 if not.
    """
    from ..setup_check import check_setup

    return check_setup()


def _write_course(options: Namespace) -> int:
    """Write the students' notebooks, and the teacher's with answers, hints and known wrong answers.

    DIR/student has the notebooks with every exercise still to be solved. DIR/teacher also shows, for every exercise, a
    good answer, the hints and the wrong answers that are recognised. Nothing is overwritten.
    """
    from ..classroom import course
    from .tutorial import report_copies

    for name, copied in course.write_course(options.out).items():
        report_copies(copied, options.out / name)
    return 0


def _present_notebook(options: Namespace) -> int:
    """Show a notebook as slides, live in JupyterLab: for a lecture hall.

    You can run and edit cells on the slide. A clicker (or Page Down and Page Up) steps through the player and then
    goes to the next slide. `s` opens a second window with the clock, the notes and the next slide; `b` blacks out the
    screen; `f` switches to full screen; Esc goes back to the notebook. It's a copy: nothing that you type is kept.
    """
    from .present import present

    present(options.notebook, browser=not options.hidden, port=options.own_port)
    return 0


def _write_lecture(options: Namespace) -> int:
    """Write a lecture's slides as one file that needs no network or Python, with its handout and a notebook.

    The players in the slides work. `s` opens the speaker's window; printing from the browser makes a PDF. The handout
    is two sheets of paper: one to fill in, and its solution. The notebook is for the audience, with gaps where they
    write code.
    """
    from ..classroom.lecture.kit import write_lecture

    for path in write_lecture(options.notebook, options.out, overwrite=options.overwrite):
        print(f"{path.stat().st_size / 1000:7.0f} kB  {path}")
    return 0


def _write_hub(options: Namespace) -> int:
    """Write a JupyterHub's configuration, and the notebooks that its students get.

    DIR/jupyterhub_config.py is for one Linux machine, DIR/values.yaml for Kubernetes. DIR/notebooks has the students'
    notebooks: each student gets a copy. Nothing is overwritten.
    """
    from ..classroom.hub import write_hub
    from .tutorial import report_copies

    report_copies(write_hub(options.out), options.out)
    return 0


def draw_progress(done: int, count: int) -> None:
    """Draw a progress bar over the terminal's last line; 0 of 0 clears the line. Without a terminal, do nothing."""
    if sys.stderr.isatty():
        bar = ""
        if count:
            bar = f"[{'#' * (30 * done // count):30}] {done} of {count}"
        print(f"\r\033[K{bar}", end="", file=sys.stderr, flush=True)


def _grade_notebooks(options: Namespace) -> int:
    """Run a folder of handed-in notebooks, and write who passed what.

    The folder contains the notebooks, or one folder for each student. Each notebook runs in a sandbox (bubblewrap, on
    Linux): it can't use the network or see your files, and its time, memory, processes and disk space are limited.
    Files that are not notebooks are listed too. The command writes summary.html, which is the page to open first;
    grades.csv, one row as soon as a notebook is done; grades.html with every answer; and a page of feedback for each
    student. For a download from Moodle or Canvas it also writes the file that they import. --resume continues a run
    that was interrupted. The exit code is 1 if some notebooks could not be run through no fault of the students. None
    of this is proof against cheating: open the notebooks that the report tells you to look at.
    """
    from ..classroom.grading.confinement import Limits
    from ..classroom.grading.grade import check_sandbox, grade
    from ..classroom.grading.hand_ins import find_hand_ins
    from ..classroom.grading.journal import load_key, read_journal
    from ..classroom.grading.report import (
        SUMMARY,
        default_folder,
        open_report,
        report_files,
        report_paths,
    )
    from ..classroom.grading.rosters import read_roster
    from ..classroom.grading.students import collect_class
    from ..classroom.grading.verdicts import Row
    from ..classroom.grading.weights import read_weights

    roster = read_roster(options.roster) if options.roster else None
    weights = read_weights(options.weights) if options.weights else None
    out = options.out or default_folder(options.folder)
    sandbox = not options.unconfined
    limits = Limits(options.seconds, options.megabytes)
    if not sandbox:
        print(UNCONFINED, file=sys.stderr)
    elif hasattr(os, "geteuid") and os.geteuid() == 0:
        print(AS_ROOT, file=sys.stderr)
    count = len(find_hand_ins(options.folder, report_files(out)))
    check_sandbox(limits, sandbox=sandbox)
    # A terminal whose encoding lacks a letter of a name shows the letter's escape instead of failing.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    known, complaint = read_journal(out, load_key()) if options.resume else ({}, "")
    if complaint:
        print(f"autodiff-lab: {complaint}", file=sys.stderr)
    overwrite, resume = options.overwrite, options.resume
    with open_report(
        out, overwrite=overwrite, resume=resume, sandbox=sandbox, roster=roster, weights=weights
    ) as add:
        ended: list[Row] = []

        def tell(row: Row) -> None:
            add(row)
            ended.append(row)
            draw_progress(len(ended), count)

        def show(row: Row) -> None:
            draw_progress(0, 0)
            print(
                f"{row.passed:3} of {len(row.exercises):2}  {row.file}: {row.how_it_went}",
                flush=True,
            )
            draw_progress(len(ended), count)

        choices = {
            "jobs": options.jobs,
            "sandbox": sandbox,
            "known": known,
            "leave_out": report_files(out),
        }
        rows = grade(options.folder, limits, tell=tell, show=show, **choices)
    draw_progress(0, 0)
    table, _ = report_paths(out)
    print(f"{len(rows)} files; the table is in {table}. Open {out / SUMMARY} first.")
    if roster is not None:
        missing = len(collect_class(rows, roster).missing)
        print(f"{missing} of the {len(roster)} on the roster handed in nothing")
    not_run = sum(not row.judged for row in rows)
    if not_run:
        print(
            f"autodiff-lab: {not_run} of them could not be run, through no fault of theirs",
            file=sys.stderr,
        )
    return 1 if not_run else 0
