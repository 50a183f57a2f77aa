"""A release's pages are in its offline bundle, from which the website takes them; here without GitHub."""

import sys
import zipfile
from pathlib import Path

import pytest

from tests.addresses import offline_address, offline_name, project

ROOT = Path(__file__).parents[2]
sys.path += [str(ROOT / ".ci/site"), str(ROOT / ".ci")]

import keep_versions  # noqa: E402
import offline_bundle  # noqa: E402


@pytest.fixture
def bundle(tmp_path):
    """A bundle of a website of one page, and of a lab of one file."""
    site, lite = tmp_path / "built", tmp_path / "lab"
    (site / "_static").mkdir(parents=True)
    lite.mkdir()
    told = f"<p>No cookies{offline_bundle.ON_THE_WEBSITE}.</p>"
    (site / "index.html").write_text(told, encoding="utf-8")
    (site / "_static/player.png").write_bytes(b"\x89PNG")
    (lite / "index.html").write_text("the lab", encoding="utf-8")
    zipped = tmp_path / offline_name("0.1.0")
    offline_bundle.pack(site, lite, zipped)
    return zipped


def test_the_bundle_is_one_folder_that_says_how_it_is_opened(bundle):
    with zipfile.ZipFile(bundle) as archive:
        names = set(archive.namelist())
        told = archive.read("autodiff_lab-0.1.0/READ_ME.txt").decode()
        page = archive.read("autodiff_lab-0.1.0/index.html").decode()
    assert {name.split("/")[0] for name in names} == {"autodiff_lab-0.1.0"}
    assert {"autodiff_lab-0.1.0/_static/player.png", "autodiff_lab-0.1.0/lite/index.html"} <= names
    assert "python3 -m http.server" in told
    assert page == "<p>No cookies.</p>", "the lab in the bundle loads nothing from elsewhere"


def test_what_the_bundle_leaves_out_is_said_on_the_website():
    told = (ROOT / ".ci/site/_templates/feedback.html").read_text(encoding="utf-8")
    assert offline_bundle.ON_THE_WEBSITE in told


def test_a_version_gets_its_own_folder(bundle, tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    place = keep_versions.keep(site, "0.1.0", bundle.as_uri())
    assert place == site / "v0.1.0"
    assert (place / "index.html").is_file() and (place / "lite/index.html").is_file()


def test_a_release_without_its_bundle_stops_the_website(tmp_path):
    with pytest.raises(SystemExit, match=r"The pages of 0\.2\.0 are missing"):
        keep_versions.keep(tmp_path, "0.2.0", (tmp_path / "none.zip").as_uri())


def test_the_bundle_is_a_file_of_the_release():
    repository = project()["urls"]["Repository"]
    named = "releases/download/v0.1.0/autodiff_lab-0.1.0-offline.zip"
    assert offline_address("0.1.0") == f"{repository}/{named}"
