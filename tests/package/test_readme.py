"""What the README promises is there: the two commands, the picture, the links, and the numbers of the example."""

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = ["README.md", "CONTRIBUTING.md"]
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
COMMANDS = [line for line in README.splitlines() if line.startswith("python3 -m venv")]


def links(page: str) -> list[str]:
    """Return the targets of a page's links and pictures that are files of the repository."""
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    return [target for target in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in target]


def test_the_two_commands_are_one_line_each() -> None:
    assert COMMANDS == [
        "python3 -m venv .venv && .venv/bin/pip install -q -e . && .venv/bin/autodiff-lab",
        'python3 -m venv .venv && .venv/bin/pip install -q -e ".[test]" && .venv/bin/python -m pytest',
    ]
    for command in COMMANDS:
        assert f"```\n{command}\n```" in README, "each command stands alone, ready to be copied"


def test_the_picture_of_the_player_has_a_description() -> None:
    (description, target), *_ = re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", README)
    assert len(description) > 40
    assert (REPOSITORY / target).read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    assert links(page)
    missing = [target for target in links(page) if not (REPOSITORY / target.partition("#")[0]).exists()]
    assert not missing


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_short(page: str) -> None:
    assert len((REPOSITORY / page).read_text(encoding="utf-8").splitlines()) < 200


def test_the_example_prints_what_the_readme_says() -> None:
    result = doctest.testfile(str(REPOSITORY / "README.md"), module_relative=False, encoding="utf-8")
    assert result.attempted >= 6
    assert result.failed == 0


SYSTEMS = re.findall(r"^\|[^|]*\|[^|]*\| \[`(\w+)\.py`\][^|]*\| `([^`]+)` \| `([^`]+)` \|$", README, re.MULTILINE)


def test_the_table_of_systems_is_whole() -> None:
    assert {module for module, _, _ in SYSTEMS} == {"closures", "static_graph", "gradient_tape", "wengert"}


@pytest.mark.parametrize(("module", "line", "gives"), SYSTEMS)
def test_each_system_does_what_its_line_says(module: str, line: str, gives: str) -> None:
    example = doctest.Example(f"{line}\n", f"{gives}\n")
    names = dict(vars(import_module(f"autodiff_lab.systems.{module}")))
    names = {name: value for name, value in names.items() if name in names["__all__"]}
    case = doctest.DocTest([example], names, module, None, None, None)
    assert doctest.DocTestRunner(verbose=False).run(case).failed == 0
