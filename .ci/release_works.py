"""Build a release, install it outside the source tree, and check that it works as promised.

    python .ci/release_works.py [--keep DIR]

`python -m build` makes the sdist, and the wheel from the sdist; twine checks their page for the index. The wheel is
installed in a fresh environment. There `autodiff-lab check` must succeed, and `autodiff-lab` must open the tutorial on
copies of the notebooks. The sdist's tests of the engine, the systems, the programs and the command must pass against
the installed wheel; the others need the checkout or a browser. `--keep` leaves both files in a folder, ready to upload.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = [
    f"tests/{name}"
    for name in ("engine", "systems", "programs", "cli/test_command.py", "package/test_imports.py")
]


def say(text: str) -> None:
    print(f"   {text}", flush=True)


def run(*command: str | Path, **options: object) -> str:
    """Run a command and return its output; if it fails, print the output and exit."""
    done = subprocess.run(
        [*map(str, command)], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))[:300]}\nfailed:\n{done.stdout[-6000:]}")
    return done.stdout


def built(work: Path) -> tuple[Path, Path]:
    """Build the wheel and the sdist from a copy of the tree, and return both."""
    run(sys.executable, "-m", "venv", work / "builder")
    python = work / "builder/bin/python"
    run(python, "-m", "pip", "install", "-q", "build", "twine")
    tree = work / "tree"
    ignore = shutil.ignore_patterns(
        ".git", ".venv", "*cache*", "screenshots", ".ipynb_checkpoints", ".hypothesis"
    )
    shutil.copytree(ROOT, tree, ignore=ignore)
    run(python, "-m", "build", "--outdir", work / "dist", tree)
    shutil.rmtree(tree)
    run(python, "-m", "twine", "check", "--strict", *(work / "dist").iterdir())
    (wheel,) = (work / "dist").glob("*.whl")
    (sdist,) = (work / "dist").glob("*.tar.gz")
    return wheel, sdist


def the_wheel_is_listed(wheel: Path) -> None:
    """Print the compressed size of the wheel's files, by kind."""
    sizes: Counter[str] = Counter()
    with zipfile.ZipFile(wheel) as archive:
        for file in archive.infolist():
            is_metadata = ".dist-info/" in file.filename
            kind = "metadata" if is_metadata else Path(file.filename).suffix
            sizes[kind] += file.compress_size
    kinds = ", ".join(f"{kind} {size / 1000:.0f} kB" for kind, size in sizes.most_common())
    say(f"{wheel.name}, {wheel.stat().st_size / 1e6:.2f} MB: {kinds}")


def the_wheel_works(work: Path, wheel: Path) -> Path:
    """Install the wheel, run its check, open the tutorial, and return the Python of the environment."""
    elsewhere = work / "elsewhere"
    elsewhere.mkdir()
    run(sys.executable, "-m", "venv", work / "venv")
    python = work / "venv/bin/python"
    run(python, "-m", "pip", "install", "-q", wheel)
    command = python.with_name("autodiff-lab")
    said = run(command, "check", cwd=elsewhere)
    say(f"autodiff-lab check: {said.strip().splitlines()[-1]}")
    opening = f"exec '{command}' --no-browser --to my-notebooks"
    said = run(sys.executable, ROOT / ".ci/tutorial_opens.py", opening, cwd=elsewhere)
    answer = next(line for line in said.splitlines() if line.startswith("JupyterLab answers"))
    say(f"autodiff-lab: {answer}")
    copies = sorted(path.name for path in (elsewhere / "my-notebooks").glob("*.ipynb"))
    assert copies == sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb")), copies
    return python


def the_tests_pass(work: Path, python: Path, wheel: Path, sdist: Path) -> None:
    """Run the sdist's tests without the sdist's package, so that they import the installed wheel."""
    with tarfile.open(sdist) as archive:
        archive.extractall(work / "sdist", filter="data")
    (tree,) = (work / "sdist").iterdir()
    shutil.rmtree(tree / "autodiff_lab")
    run(python, "-m", "pip", "install", "-q", f"{wheel}[test]")
    where = run(python, "-c", "import autodiff_lab; print(autodiff_lab.__file__)", cwd=tree).strip()
    assert Path(where).is_relative_to(work / "venv"), where
    environment = dict(os.environ)
    for name in ("PYTEST_ADDOPTS", "PYTHONPATH"):
        environment.pop(name, None)
    options = ("-q", "--no-header", "-r", "f")
    said = run(python.with_name("pytest"), *options, *TESTS, cwd=tree, env=environment)
    summary = said.strip().splitlines()[-1].strip("= ")
    say(f"the tests of the sdist, against the installed wheel: {summary}")


def main() -> None:
    options = argparse.ArgumentParser(description="Build a release, and try it.")
    options.add_argument(
        "--keep", type=Path, metavar="DIR", help="leave the wheel and the sdist in this folder"
    )
    keep = options.parse_args().keep
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder).resolve()
        wheel, sdist = built(work)
        the_wheel_is_listed(wheel)
        the_tests_pass(work, the_wheel_works(work, wheel), wheel, sdist)
        if keep:
            shutil.copytree(wheel.parent, keep, dirs_exist_ok=True)
            say(f"{wheel.name} and {sdist.name} are in {keep}")


if __name__ == "__main__":
    main()
