"""What Binder is told agrees with what the package says of itself. (That the image builds, `.ci/run` holds.)"""

import os
import re
import tomllib
from pathlib import Path

import nbformat
import pytest
from packaging.requirements import Requirement

from ..addresses import launch
from ..notebooks.badges import BADGE, with_badge

ROOT = Path(__file__).parents[2]
BINDER = ROOT / "binder"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

NOTEBOOKS = sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))


def test_the_requirements_are_those_of_the_package():
    lines = (BINDER / "requirements.txt").read_text(encoding="utf-8").splitlines()
    wanted = [line for line in lines if line and not line.startswith("#")]
    asked = map(Requirement, PROJECT["dependencies"])
    here = [
        one for one in asked if one.marker is None or one.marker.evaluate({"sys_platform": "linux"})
    ]
    assert sorted(wanted) == sorted(f"{one.name}{one.specifier}" for one in here)
    assert not any("==" in line for line in wanted), (
        "the image has its own JupyterLab, which a pin would replace"
    )


def test_the_python_is_one_that_the_package_asks_for():
    asked = (BINDER / "runtime.txt").read_text(encoding="utf-8").strip()
    version = asked.removeprefix("python-")
    assert f"Programming Language :: Python :: {version}" in PROJECT["classifiers"]


def test_nothing_is_asked_of_the_system():
    """The wheels of pygraphviz carry Graphviz, and `postBuild` ends if nothing draws."""
    assert sorted(path.name for path in BINDER.iterdir()) == [
        "postBuild",
        "requirements.txt",
        "runtime.txt",
    ]
    assert (
        (BINDER / "postBuild").read_text(encoding="utf-8").rstrip().endswith("autodiff-lab check")
    )


@pytest.mark.skipif(os.name == "nt", reason="Windows knows no such permission")
def test_what_is_run_can_be_run():
    assert os.access(BINDER / "postBuild", os.X_OK)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_says_where_it_can_be_launched(path):
    first = nbformat.read(path, as_version=4).cells[0].source
    assert BADGE.findall(first) == [launch(path.name)], "run python -m tests.generate"
    assert path.name in launch(path.name)
    picture = re.search(r"\]\(([^)]*launch\.svg)\)", first)[1]
    assert (path.parent / picture).is_file()


def test_a_badge_is_put_in_once_and_mended_where_it_is_old():
    text = "# 03 · The tape\n\n**What?**\n\n| | |\n|:--|:--|\n| **Time** | 9 |\n\nThe end."
    once = with_badge(text, "03_x.ipynb")
    assert once.count("launch.svg") == 1 and once.index("Time") < once.index(
        "launch.svg"
    ) < once.index("The end")
    assert with_badge(once, "03_x.ipynb") == once
    assert with_badge(once.replace("/gh/", "/gh/old-"), "03_x.ipynb") == once
