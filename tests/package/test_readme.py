"""What the README promises is there: the two commands, the picture, the links, and the numbers of the example."""

import doctest
import re
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
