"""The wheel and the sdist hold the package and the notebooks, and nothing else."""

import email
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

import pytest

import autodiff_lab

REPOSITORY = Path(__file__).resolve().parents[2]
SUFFIXES = {".py", ".js", ".css", ".csv", ".json", ".ipynb", ".png", ".svg"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a freshly built wheel and sdist."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", str(folder)]
    run = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> zipfile.ZipFile:
    (path,) = built.glob("*.whl")
    return zipfile.ZipFile(path)


def in_the_tree(folder: str) -> set[str]:
    """Return the files of a folder of the checkout that belong to the project."""
    paths = (path for path in (REPOSITORY / folder).rglob("*") if path.is_file() and path.suffix in SUFFIXES)
    names = (path.relative_to(REPOSITORY).as_posix() for path in paths)
    return {name for name in names if "__pycache__" not in name and ".ipynb_checkpoints" not in name}


def test_wheel_holds_package_and_notebooks(wheel: zipfile.ZipFile) -> None:
    names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert in_the_tree("notebooks"), "there are no notebooks to put into the wheel"
    assert names == in_the_tree("autodiff_lab") | {f"autodiff_lab/{name}" for name in in_the_tree("notebooks")}


def test_sdist_holds_the_same(built: Path) -> None:
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    beside = {"pyproject.toml", "README.md", "LICENSE", "PKG-INFO", ".gitignore"}
    assert names == in_the_tree("autodiff_lab") | in_the_tree("notebooks") | beside


def test_only_kinds_of_files_we_know(wheel: zipfile.ZipFile) -> None:
    names = [PurePosixPath(name) for name in wheel.namelist() if ".dist-info/" not in name]
    assert {name.suffix for name in names} <= SUFFIXES


def test_wheel_knows_its_version_and_command(wheel: zipfile.ZipFile) -> None:
    (about,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    (commands,) = (name for name in wheel.namelist() if name.endswith(".dist-info/entry_points.txt"))
    metadata = email.message_from_bytes(wheel.read(about))
    assert metadata["Version"] == autodiff_lab.__version__
    assert metadata["License-Expression"] == "BSD-3-Clause"
    assert "autodiff-lab = autodiff_lab.__main__:main" in wheel.read(commands).decode()
