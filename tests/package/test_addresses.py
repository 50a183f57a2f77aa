"""The owner of the repository stands in one place, and a release changes what it has to change."""

import re
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

import autodiff_lab as ad
from tests import generate
from tests.addresses import (
    CHANGELOG,
    LECTURES,
    WRITTEN,
    date_release,
    dated,
    project,
    released,
    releases,
    repository,
    update_addresses,
)
from tests.notebooks.badges import update_badges

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted(
    path.relative_to(ROOT).as_posix() for path in (ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb")
)
TEXT = {
    ".py",
    ".md",
    ".ipynb",
    ".toml",
    ".yml",
    ".yaml",
    ".cff",
    ".js",
    ".css",
    ".txt",
    ".json",
    ".html",
    "",
}
OWNER = repository().split("/")[0]


@pytest.fixture
def tree(tmp_path):
    """The files that name addresses, as this tree has them, but before any release."""
    for name in (
        "pyproject.toml",
        CHANGELOG,
        "autodiff_lab/__init__.py",
        *WRITTEN,
        *LECTURES,
        *NOTEBOOKS,
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        shutil.copy(ROOT / name, tmp_path / name)
    log = tmp_path / CHANGELOG
    log.write_text(
        re.sub(r" \(\d{4}-\d\d-\d\d\)$", "", log.read_text("utf-8"), flags=re.MULTILINE), "utf-8"
    )
    write_all(tmp_path)
    return tmp_path


def write_all(root):
    return update_badges(check=False, root=root) + update_addresses(check=False, root=root)


def naming(owner, root, names):
    """The files in which a repository's address has this owner."""
    address = re.compile(
        rf"github\.com(?:/|%2F){owner}\b|{owner}\.github\.io|/gh/{owner}\b", re.IGNORECASE
    )
    return {name for name in names if address.search((root / name).read_text("utf-8"))}


def files_of_the_project():
    """What git knows or would add; in a copy of the tree without git, all but what a run leaves."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True
    )
    names = filter(None, listed.stdout.decode().split("\0"))
    if listed.returncode:
        paths = (path.relative_to(ROOT) for path in ROOT.rglob("*"))
        names = [
            path.as_posix()
            for path in paths
            if path.parts[0] in (".ci", ".github") or path.parts[0][0] != "."
        ]
    return [
        name
        for name in names
        if Path(name).suffix in TEXT and (ROOT / name).is_file() and "cache" not in name
    ]


def test_the_owner_is_written_by_hand_in_one_place_alone():
    names = files_of_the_project()
    assert {"pyproject.toml", ".ci/run", "tests/addresses.py", "autodiff_lab/__init__.py"} <= set(
        names
    )
    assert naming(OWNER, ROOT, names) <= {"pyproject.toml", *WRITTEN, *LECTURES, *NOTEBOOKS}
    (section,) = re.findall(
        r"^\[project\.urls\]\n(?:\w+ = .*\n)+", (ROOT / "pyproject.toml").read_text("utf-8"), re.M
    )
    beside = (ROOT / "pyproject.toml").read_text("utf-8").replace(section, "")
    assert not re.search(rf"(/|\.){OWNER}/|{OWNER}\.github", beside)
    assert section.count(OWNER) == len(project()["urls"]), "each address is one of this repository"


def test_a_fork_changes_that_section_and_nothing_else(tree):
    about = tree / "pyproject.toml"
    about.write_text(about.read_text("utf-8").replace(f"/{OWNER}", "/someone-else"), "utf-8")
    written = {"README.md", "CITATION.cff", "notebooks/for_lecturers.md", *LECTURES, *NOTEBOOKS}
    assert len(write_all(tree)) == len(written)
    assert naming(OWNER, tree, written) == set()
    assert naming("someone-else", tree, written) == written


def test_before_the_first_release_nothing_is_promised(tree):
    assert released(tree) is None
    readme = (tree / "README.md").read_text("utf-8")
    assert "autodiff_lab/main?urlpath=lab" in readme
    later = "Nothing is released yet; from the first release on, `pip install autodiff-lab"
    assert readme.count("pip install autodiff-lab") == 1 and later in readme
    assert f"\ngit clone {project()['urls']['Repository']} && cd autodiff_lab\n" in readme
    cff = yaml.safe_load((tree / "CITATION.cff").read_text("utf-8"))
    assert cff["version"] == ad.__version__ and not {"date-released", "doi"} & set(cff)
    assert "pip install git+https://github.com/" in (tree / "notebooks/for_lecturers.md").read_text(
        "utf-8"
    )


def test_a_release_dates_the_changelog_and_fixes_the_links(tree):
    version = re.search(r"^## (\S+)", (tree / CHANGELOG).read_text("utf-8"), re.MULTILINE)[1]
    date_release(version, tree)
    write_all(tree)
    today = datetime.now(UTC).date().isoformat()
    assert released(tree) == (version, today)
    readme, lecturers, cff = ((tree / name).read_text("utf-8") for name in WRITTEN)
    assert readme.count("```\npip install autodiff-lab && autodiff-lab\n```") == 1
    assert "Nothing is released yet" not in readme and "\ngit clone https://" in readme
    assert lecturers.count("pip install autodiff-lab") == 2 and "git+https" not in lecturers
    assert f'version: "{version}"\ndate-released: {today}\n' in cff
    for name in ("README.md", *NOTEBOOKS):
        found = re.findall(
            rf"mybinder\.org/v2/gh/{repository()}/([^?]+)\?", (tree / name).read_text("utf-8")
        )
        assert set(found) == {f"v{version}"}, name
    assert write_all(tree) == [], "to do it twice changes nothing"
    date_release(version, tree)
    assert released(tree) == (version, today)


def test_the_next_version_keeps_the_links_of_the_last_one():
    log = "# What is new\n\n## 0.2.0\n\nMore.\n\n## 0.1.0 (2026-12-01)\n\nFirst.\n"
    assert dated(log, "0.2.0", "2027-01-02").count("## 0.2.0 (2027-01-02)\n") == 1
    assert dated(log, "0.2.0", "2027-01-02").endswith("## 0.1.0 (2026-12-01)\n\nFirst.\n")


def test_a_doi_goes_from_pyproject_into_the_citation(tree):
    about = tree / "pyproject.toml"
    assert "\n# doi: 10.5281/zenodo." in (tree / "CITATION.cff").read_text("utf-8")
    about.write_text(
        about.read_text("utf-8").replace('\ndoi = ""\n', '\ndoi = "10.5281/zenodo.1234567"\n'),
        "utf-8",
    )
    write_all(tree)
    cff = (tree / "CITATION.cff").read_text("utf-8")
    assert yaml.safe_load(cff)["doi"] == "10.5281/zenodo.1234567" and "# doi" not in cff


def test_the_citation_has_the_authors_that_pyproject_names(tree):
    cff = yaml.safe_load((tree / "CITATION.cff").read_text("utf-8"))
    assert cff["authors"] == project()["authors"]


def test_the_last_release_is_the_first_that_has_a_date(tree):
    (tree / CHANGELOG).write_text(
        "## 0.3.0\n\n## 0.2.0 (2027-01-02)\n\n## 0.1.0 (2026-12-01)\n", "utf-8"
    )
    assert released(tree) == ("0.2.0", "2027-01-02")
    assert releases(tree) == [("0.2.0", "2027-01-02"), ("0.1.0", "2026-12-01")]


@pytest.mark.parametrize("version", ["9.9.9", "v0.1.0", ""])
def test_another_version_than_that_of_the_tree_is_refused(version, tree):
    with pytest.raises(ValueError, match=r"`__version__` in autodiff_lab/__init__\.py is"):
        date_release(version, tree)
    assert released(tree) is None


def test_the_changelog_has_to_begin_with_the_version(tree):
    (tree / CHANGELOG).write_text("## 0.0.9\n", "utf-8")
    version = re.search(
        r'__version__ = "(.*)"', (tree / "autodiff_lab/__init__.py").read_text("utf-8")
    )[1]
    with pytest.raises(ValueError, match=r"begins with 0\.0\.9"):
        date_release(version, tree)


def test_the_command_says_what_is_wrong(capsys):
    with pytest.raises(SystemExit):
        generate.main(["--release", "9.9.9"])
    assert "is 0" in capsys.readouterr().err


def test_a_line_that_is_no_longer_there_is_missed(tree):
    page = tree / "notebooks/for_lecturers.md"
    page.write_text(page.read_text("utf-8").replace("pip install", "pip get", 1), "utf-8")
    with pytest.raises(ValueError, match="is found 1 times, not 2"):
        update_addresses(check=True, root=tree)
