"""The wheel holds the package and the notebooks and nothing else, the sdist the tests as well."""

import doctest
import email
import email.message
import json
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

import pytest
from packaging.requirements import Requirement

import autodiff_lab

REPOSITORY = Path(__file__).resolve().parents[2]
SUFFIXES = {
    ".py",
    ".js",
    ".css",
    ".html",
    ".csv",
    ".json",
    ".ipynb",
    ".svg",
    ".md",
    ".txt",
    ".toml",
    ".typed",
    ".pyi",
    ".j2",
    ".yaml",
}
FOR_THE_README = {".gif", ".png"}
OF_THE_TESTS = {".mjs", ".gv"}
WRITTEN_BY_A_CLASS = "answers.toml"  # beside the exercises: for the tests, not for learners
# bytes, as downloaded: twenty-four notebooks and two lectures, each with its pictures
MOST = 40 * 10**5


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a freshly built wheel and sdist."""
    folder = tmp_path_factory.mktemp("dist")
    command = [
        sys.executable,
        "-m",
        "hatchling",
        "build",
        "-t",
        "wheel",
        "-t",
        "sdist",
        "-d",
        str(folder),
    ]
    run = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> zipfile.ZipFile:
    (path,) = built.glob("*.whl")
    return zipfile.ZipFile(path)


def in_the_tree(folder: str, suffixes: set[str] = SUFFIXES) -> set[str]:
    """Return the files of a folder of the checkout that belong to the project."""
    paths = (
        path
        for path in (REPOSITORY / folder).rglob("*")
        if path.is_file() and path.suffix in suffixes
    )
    names = (path.relative_to(REPOSITORY).as_posix() for path in paths)
    left_out = ("__pycache__", ".ipynb_checkpoints", "tests/browser/screenshots")
    return {name for name in names if not any(part in name for part in left_out)}


def test_wheel_holds_package_and_notebooks(wheel: zipfile.ZipFile) -> None:
    names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert in_the_tree("notebooks"), "there are no notebooks to put into the wheel"
    package = {
        name for name in in_the_tree("autodiff_lab") if not name.endswith(WRITTEN_BY_A_CLASS)
    }
    assert names == package | {f"autodiff_lab/{name}" for name in in_the_tree("notebooks")}


def test_sdist_holds_the_same_and_the_tests(built: Path) -> None:
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    beside = {
        "pyproject.toml",
        "README.md",
        "CONTRIBUTING.md",
        "CITATION.cff",
        "LICENSE",
        "PKG-INFO",
        ".gitignore",
    }
    beside |= {"package.json", "package-lock.json"}
    beside |= {f"binder/{path.name}" for path in (REPOSITORY / "binder").iterdir()}
    rest = (
        path
        for path in (REPOSITORY / ".ci").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    )
    beside |= {path.relative_to(REPOSITORY).as_posix() for path in rest}
    package = in_the_tree("autodiff_lab") | in_the_tree("notebooks", SUFFIXES | FOR_THE_README)
    assert names == package | in_the_tree("tests", SUFFIXES | OF_THE_TESTS) | beside


def test_wheel_is_small(built: Path) -> None:
    (path,) = built.glob("*.whl")
    assert path.stat().st_size < MOST, "is there something in it that a learner does not need?"


def test_wheel_has_every_picture_that_a_notebook_shows(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())
    for name in (name for name in names if name.endswith(".ipynb")):
        cells = json.loads(wheel.read(name))["cells"]
        text = "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
        for target in re.findall(r"\]\((pictures/[^)#?]+)\)", text):
            assert f"autodiff_lab/notebooks/{target}" in names, f"{name} shows {target}"


def test_wheel_runs_anywhere_and_in_a_browser(built: Path, wheel: zipfile.ZipFile) -> None:
    (path,) = built.glob("*.whl")
    assert path.name.endswith("-py3-none-any.whl")
    (about,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    asked = map(Requirement, email.message_from_bytes(wheel.read(about)).get_all("Requires-Dist"))
    here = {"sys_platform": "emscripten", "platform_system": "Emscripten", "extra": ""}
    wanted = {one.name for one in asked if one.marker is None or one.marker.evaluate(here)}
    # NumPy and matplotlib are made for Pyodide; the others are Python only. None of them talks to a kernel.
    assert wanted == {"numpy", "matplotlib", "ipywidgets", "anywidget", "graphviz", "latex2mathml"}


def test_changelog_begins_with_this_version(wheel: zipfile.ZipFile) -> None:
    said = wheel.read("autodiff_lab/CHANGELOG.md").decode()
    assert re.search(r"^## (\S+)", said, re.MULTILINE)[1] == autodiff_lab.__version__


def test_only_kinds_of_files_we_know(wheel: zipfile.ZipFile) -> None:
    names = [PurePosixPath(name) for name in wheel.namelist() if ".dist-info/" not in name]
    assert {name.suffix for name in names} <= SUFFIXES


@pytest.fixture(scope="module")
def about(wheel: zipfile.ZipFile) -> email.message.Message:
    """Return what a package index reads."""
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    return email.message_from_string(wheel.read(name).decode())


def test_the_page_in_an_index_has_film_command_and_example(about: email.message.Message) -> None:
    page = about.get_payload()
    assert page.startswith(
        "# autodiff_lab\n\nEvery neural network is trained by the derivative of a program"
    )
    assert "```\npip install autodiff-lab && autodiff-lab\n```" in page
    result = doctest.DocTestRunner(verbose=False).run(
        doctest.DocTestParser().get_doctest(page, {}, "page", None, 0)
    )
    assert result.attempted >= 6 and result.failed == 0
    assert about["Description-Content-Type"] == "text/markdown"


def test_links_of_that_page_lead_to_this_release(about: email.message.Message) -> None:
    urls = dict(one.split(", ", 1) for one in about.get_all("Project-URL"))
    assert {"Homepage", "Documentation", "Repository", "Changelog", "Issues"} == set(urls)
    links = re.findall(r"\]\(([^)]*)\)", about.get_payload())
    files = [
        link.removeprefix(f"{urls['Repository']}/") for link in links if link not in urls.values()
    ]
    assert len(links) >= 4 and urls["Homepage"] in links and len(files) >= 2
    for file in files:
        kind, tag, path = file.split("/", 2)
        assert kind in ("raw", "blob") and tag == f"v{autodiff_lab.__version__}"
        assert (REPOSITORY / path).is_file(), f"{path} is not there"
        assert (kind == "raw") == path.endswith(".gif"), (
            "an index shows a picture only as it is stored"
        )


def test_classifiers_are_known_and_name_the_systems(about: email.message.Message) -> None:
    said = about.get_all("Classifier")
    assert said == sorted(set(said))
    assert sum(one.startswith("Development Status ::") for one in said) == 1
    assert sum(one.startswith("Operating System ::") for one in said) == 3


def test_wheel_knows_its_version_and_command(wheel: zipfile.ZipFile) -> None:
    (about,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    (commands,) = (
        name for name in wheel.namelist() if name.endswith(".dist-info/entry_points.txt")
    )
    metadata = email.message_from_bytes(wheel.read(about))
    assert metadata["Version"] == autodiff_lab.__version__
    assert metadata["License-Expression"] == "BSD-3-Clause"
    assert "autodiff-lab = autodiff_lab.__main__:main" in wheel.read(commands).decode()
