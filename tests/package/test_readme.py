"""What the README and the pages it leads to promise is there: commands, pictures, links, examples, and their tables."""

import ast
import doctest
import functools
import re
from importlib import import_module
from pathlib import Path

import nbformat
import pytest
from PIL import Image

from autodiff_lab.jupyter.notebooks import START

from ..addresses import launch

REPOSITORY = Path(__file__).resolve().parents[2]


def read(page: str) -> str:
    return (REPOSITORY / page).read_text(encoding="utf-8")


README = read("README.md")
INSTALLING, LECTURERS = "notebooks/installing.md", "notebooks/for_lecturers.md"
WORKS, DESIGNS = "tests/README.md", "autodiff_lab/systems/README.md"
PAGES = ["README.md", "CONTRIBUTING.md", LECTURERS, WORKS, DESIGNS]
COMMANDS = [line for line in README.splitlines() if line.startswith("python3 -m venv")]


def links(page: str) -> list[str]:
    """Return the targets of a page's links and pictures that are files of the repository."""
    text = read(page)
    targets = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(
        r'(?:src|srcset|href)="([^"]+)"', text
    )
    return [target for target in targets if "://" not in target]


def test_the_two_commands_are_one_line_each() -> None:
    assert COMMANDS == [
        "python3 -m venv .venv && .venv/bin/pip install -q -e . && .venv/bin/autodiff-lab",
        'python3 -m venv .venv && .venv/bin/pip install -q -e ".[test]" && .venv/bin/python -m pytest',
    ]
    for command in COMMANDS:
        assert f"```\n{command}\n```" in README, "each command stands alone, ready to be copied"


def test_the_opening_says_why_anyone_needs_it_what_one_gets_and_for_whom() -> None:
    title, _, why, _, whom, *_ = README.splitlines()
    assert title == "# autodiff_lab"
    assert why.startswith("Every neural network is trained by the derivative of a program")
    assert "your own Python function" in why
    assert all(reader in whom for reader in ("students", "lecturers", "engineers"))


def test_installing_has_the_same_command_also_for_windows() -> None:
    commands = re.findall(r"^```\n(.*)\n```$", read(INSTALLING), re.MULTILINE)
    there = COMMANDS[0].replace("python3", "py").replace(".venv/bin/", ".venv\\Scripts\\")
    assert commands == [COMMANDS[0], there]


def test_every_page_is_reached_from_the_readme() -> None:
    assert {*PAGES[1:], INSTALLING} <= set(links("README.md"))


def test_the_film_has_a_description_and_respects_reduced_motion() -> None:
    (description,) = re.findall(r'<img [^>]*alt="([^"]+)"', README)
    assert len(description) > 100
    assert README.index("prefers-reduced-motion: reduce") < README.index(
        "prefers-color-scheme: dark"
    ), "the first counts"
    (still,) = re.findall(r'prefers-reduced-motion: reduce\)" srcset="([^"]+)"', README)
    assert not getattr(Image.open(REPOSITORY / still), "is_animated", False)


FILMS = sorted({target for target in links("README.md") if target.endswith(".gif")})


@pytest.mark.parametrize("film", FILMS)
def test_a_film_plays_smoothly_and_is_small(film: str) -> None:
    path = REPOSITORY / film
    assert path.stat().st_size < 500_000
    with Image.open(path) as picture:
        seconds = []
        for frame in range(picture.n_frames):
            picture.seek(frame)
            seconds.append(picture.info["duration"] / 1000)
        assert picture.info["loop"] == 0, "it begins again"
    assert len(seconds) > 100 and sum(seconds) < 25, "a film that a lecturer shows without a word"
    assert seconds[0] >= 1 and seconds[-1] >= 2, (
        "there is time to see how it begins, and what came out"
    )


def test_there_is_a_film_for_light_pages_and_one_for_dark() -> None:
    papers = [Image.open(REPOSITORY / film).convert("L").getpixel((0, 0)) for film in FILMS]
    assert sorted(paper > 127 for paper in papers) == [False, True]


def test_the_badge_launches_the_first_notebook() -> None:
    assert launch(START, folder="notebooks/") in README


def minutes(first: str) -> str:
    """Return the times of a notebook, as its first cell gives them: "50 / 20", or one number."""
    (time,) = re.findall(r"^\| \*\*Time\*\* \| (.*) \|$", first, re.MULTILINE)
    return " / ".join(re.findall(r"\d+", time))


def test_the_table_of_notebooks_says_what_they_say() -> None:
    table = re.findall(
        r"^\| \[([^\]]+)\]\(notebooks/([^)]+)\) \| ([^|]+) \| ([^|]+) \|$", README, re.MULTILINE
    )
    said = []
    for path in sorted((REPOSITORY / "notebooks").glob("[0-9]*.ipynb")):
        first = nbformat.read(path, as_version=4).cells[0].source
        (title,) = re.findall(r"^# (.*)$", first, re.MULTILINE)
        question = re.findall(r"^\*\*(.*)\*\*$", first, re.MULTILINE)[0]
        said.append((title, path.name, question, minutes(first)))
    assert table == said


@functools.cache
def functions_of(file: str) -> frozenset[str]:
    """Return the names of the functions of a file of tests."""
    body = ast.parse((REPOSITORY / file).read_text(encoding="utf-8")).body
    return frozenset(node.name for node in body if isinstance(node, ast.FunctionDef))


(WHERE,) = re.findall(r"^## What works where\n(.*)", read(WORKS), re.MULTILINE | re.DOTALL)
PLACES = re.findall(r"^\| (?!where)([^|:]+) \| ([^|]+) \|$", WHERE, re.MULTILINE)


def test_the_table_of_places_is_read_by_these_tests() -> None:
    assert len(PLACES) >= 12
    assert len(PLACES) == WHERE.count("\n|") - 2, "all its lines but the head and the rule"


@pytest.mark.parametrize(("place", "works"), PLACES)
def test_what_works_somewhere_is_held_by_tests(place: str, works: str) -> None:
    held_by = re.findall(r"\]\(([^)]+)\)", works)
    assert len(held_by) > place.count(";"), "each of the places needs a test"
    for link in held_by:
        file, _, function = link.partition("#")
        if file.startswith("../"):
            assert re.fullmatch(r"\.\./\.ci/\w+\.py", link), (
                f"{link} is neither a test nor a script that tries it"
            )
        else:
            found = functions_of(f"tests/{file}")
            assert function.startswith("test_") and function in found, (
                f"there is no {function} in {file}"
            )


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    assert links(page)
    beside = (REPOSITORY / page).parent
    missing = [target for target in links(page) if not (beside / target.partition("#")[0]).exists()]
    assert not missing


def test_the_example_prints_what_the_readme_says() -> None:
    result = doctest.testfile(
        str(REPOSITORY / "README.md"), module_relative=False, encoding="utf-8"
    )
    assert result.attempted >= 6
    assert result.failed == 0


SYSTEMS = re.findall(
    r"^\|[^|]*\|[^|]*\| \[`(\w+)[^|]*\| `([^`]+)` \| `([^`]+)` \|$", read(DESIGNS), re.MULTILINE
)


def test_the_table_of_systems_is_whole() -> None:
    assert {module for module, _, _ in SYSTEMS} == {
        "closures",
        "static_graph",
        "gradient_tape",
        "wengert",
    }


@pytest.mark.parametrize(("module", "line", "gives"), SYSTEMS)
def test_each_system_does_what_its_line_says(module: str, line: str, gives: str) -> None:
    example = doctest.Example(f"{line}\n", f"{gives}\n")
    names = dict(vars(import_module(f"autodiff_lab.systems.{module}")))
    names = {name: value for name, value in names.items() if name in names["__all__"]}
    case = doctest.DocTest([example], names, module, None, None, None)
    assert doctest.DocTestRunner(verbose=False).run(case).failed == 0
