"""Where the project is and what of it is released, each from the one place where it stands.

The owner of the repository stands in `[project.urls]` of pyproject.toml; what is released is what the changelog has a
date for. All else that names them is written from here, by `python -m tests.generate`: after a fork or a move, change
that section and run it. Before the first release links lead to `main`, and one installs a copy of the tree; from then
on they name the release, for which Binder keeps its image, and `pip install autodiff-lab` finds it.
"""

from __future__ import annotations

import re
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[1]
CHANGELOG = "autodiff_lab/CHANGELOG.md"
START = "00_start_here.ipynb"
WRITTEN = ("README.md", "notebooks/for_lecturers.md", "CITATION.cff")
LECTURES = ("notebooks/lectures/40_minutes.ipynb", "notebooks/lectures/90_minutes.ipynb")
"""The files in which addresses are written; the badges in the notebooks are `notebooks/badges.py`."""

NO_DOI = [
    "# doi: 10.5281/zenodo.… (Zenodo assigns one when it archives the first release; it is written into",
    "# [tool.autodiff_lab] of pyproject.toml, and comes here from there)",
]


def project(root: Path = ROOT) -> dict[str, Any]:
    """What pyproject.toml says of the project."""
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def settings(root: Path = ROOT) -> dict[str, Any]:
    """What pyproject.toml says for this module alone: `[tool.autodiff_lab]`."""
    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)["tool"]["autodiff_lab"]


def repository(root: Path = ROOT) -> str:
    """The repository on GitHub, as ``owner/name``."""
    return urlsplit(project(root)["urls"]["Repository"]).path.strip("/")


def releases(root: Path = ROOT) -> list[tuple[str, str]]:
    """The releases and their dates, the newest first."""
    changelog = (root / CHANGELOG).read_text(encoding="utf-8")
    return re.findall(r"^## (\S+) \((\d{4}-\d\d-\d\d)\)$", changelog, re.MULTILINE)


def released(root: Path = ROOT) -> tuple[str, str] | None:
    """The newest release and its date, or None before the first."""
    return next(iter(releases(root)), None)


def tag(root: Path = ROOT) -> str:
    """What links to the repository name: the newest release, or `main` before the first."""
    found = released(root)
    return f"v{found[0]}" if found else "main"


def offline_name(version: str) -> str:
    """The name of a release's offline bundle: website and browser lab in one zip."""
    return f"autodiff_lab-{version}-offline.zip"


def offline_address(version: str, root: Path = ROOT) -> str:
    """Where a release keeps its offline bundle."""
    downloads = f"{project(root)['urls']['Repository']}/releases/download"
    return f"{downloads}/v{version}/{offline_name(version)}"


def version_in(text: str) -> str:
    """The version that a source declares."""
    return re.search(r'^__version__ = "(.*)"$', text, re.MULTILINE)[1]


def dated(changelog: str, version: str, today: str) -> str:
    """Return the changelog with a date for its first version; one that is there stays."""
    first = re.search(r"^## (\S+)(.*)$", changelog, re.MULTILINE)
    if first[1] != version:
        raise ValueError(f"the changelog begins with {first[1]}, not with {version}")
    if re.fullmatch(r" \(\d{4}-\d\d-\d\d\)", first[2]):
        return changelog
    return f"{changelog[: first.start()]}## {version} ({today}){changelog[first.end() :]}"


def date_release(version: str, root: Path = ROOT) -> None:
    """Give the version that this tree has a date, by which it counts as released."""
    there = version_in((root / "autodiff_lab/__init__.py").read_text(encoding="utf-8"))
    if there != version:
        raise ValueError(f"`__version__` in autodiff_lab/__init__.py is {there}, not {version}")
    changelog = (root / CHANGELOG).read_text(encoding="utf-8")
    today = datetime.now(UTC).date().isoformat()
    (root / CHANGELOG).write_text(dated(changelog, version, today), encoding="utf-8")


def launch(notebook: str, folder: str = "", root: Path = ROOT) -> str:
    """The badge of a notebook: the first opens in JupyterLab, the others by themselves, as a lecture wants them."""
    view = "lab" if notebook == START else "doc"
    target = f"https://mybinder.org/v2/gh/{repository(root)}/{tag(root)}?urlpath={view}/tree/notebooks/{notebook}"
    return f"[![Launch on Binder]({folder}pictures/launch.svg)]({target})"


def in_the_readme(text: str, root: Path = ROOT) -> str:
    """The README, with where to look, where to launch, and what to install."""
    website = project(root)["urls"]["Homepage"]
    look = (
        f"**[Try it on the website]({website})**, with nothing to install, or run the notebooks: "
    )
    binder = f"{launch(START, 'notebooks/', root)} (Binder takes a minute or two to start and needs no account)"
    text = _replaced(r"^.*pictures/launch\.svg.*$", look + binder, text)
    name, python = project(root)["name"], project(root)["requires-python"].removeprefix(">=")
    clone = (
        f"git clone {project(root)['urls']['Repository']} && cd {repository(root).split('/')[1]}"
    )
    if released(root):
        start = (
            f"You need Python {python} or newer with pip. This installs the newest release, and opens "
            f"the tutorial in JupyterLab:\n\n```\npip install {name} && {name}\n```\n\n"
            f"To work on it, get a copy of this repository:\n\n```\n{clone}\n```\n\n"
            "In the copy, this opens the tutorial:"
        )
    else:
        start = (
            f"You need Python {python} or newer with pip. Get a copy of this repository:\n\n"
            f"```\n{clone}\n```\n\nIn it, this opens the tutorial in JupyterLab. Nothing is released "
            f"yet; from the first release on, `pip install {name} && {name}` will do without a copy."
        )
    return _replaced(r"(?<=^## Start\n\n)(?:.*\n)+?(?=\n```\npython3 -m venv)", start + "\n", text)


def for_lecturers(text: str, root: Path = ROOT) -> str:
    """The page for lecturers, with what a container and a hub install."""
    what = project(root)["name"] if released(root) else f"git+https://github.com/{repository(root)}"
    return _replaced(r"(?<=pip install )(?:git\+[\w:/.-]+|autodiff-lab)", what, text, times=2)


def lecture(text: str, root: Path = ROOT) -> str:
    """A lecture, whose last slide says where the website is."""
    website = project(root)["urls"]["Homepage"].removeprefix("https://").strip("/")
    return _replaced(r"`[\w.-]+\.github\.io/[\w-]+`", f"`{website}`", text)


def citation(_: str = "", root: Path = ROOT) -> str:
    """How the project is cited, in the format that GitHub and Zenodo read."""
    about = project(root)
    source = (root / "autodiff_lab/__init__.py").read_text(encoding="utf-8")
    lines = [
        "# Written by `python -m tests.generate addresses`, from pyproject.toml and the changelog.",
        "cff-version: 1.2.0",
        "message: If you use autodiff_lab, please cite it as below.",
        "type: software",
        "title: autodiff_lab",
        f'abstract: "{about["description"]}"',
        "authors:",
        *(f"  - name: {author['name']}" for author in about["authors"]),
        f"license: {about['license']}",
        f"repository-code: {about['urls']['Repository']}",
        f"url: {about['urls']['Homepage']}",
        "keywords:",
        *(f"  - {word}" for word in about["keywords"]),
    ]
    if released(root):
        lines += [f'version: "{released(root)[0]}"', f"date-released: {released(root)[1]}"]
    else:
        lines += [f'version: "{version_in(source)}" # not released yet']
    doi = settings(root).get("doi")
    lines += [f"doi: {doi}"] if doi else NO_DOI
    return "\n".join(lines) + "\n"


def _replaced(pattern: str, fresh: str, text: str, times: int = 1) -> str:
    """Replace what stands there as often as is known, so that no place is lost in silence."""
    text, found = re.subn(pattern, lambda _: fresh, text, flags=re.MULTILINE)
    if found != times:
        raise ValueError(f"{pattern} is found {found} times, not {times}")
    return text


def update_addresses(*, check: bool, root: Path = ROOT) -> list[str]:
    """Write the addresses, the commands that install, and the citation; return what differed."""
    found = []
    writers = dict(zip(WRITTEN, (in_the_readme, for_lecturers, citation), strict=True))
    writers |= dict.fromkeys(LECTURES, lecture)
    for name, write in writers.items():
        path = root / name
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        fresh = write(before, root)
        if fresh != before:
            found.append(f"{name}: its addresses differ from pyproject.toml and the changelog")
            if not check:
                path.write_text(fresh, encoding="utf-8")
    return found
