"""Put the pages of each release into a folder of the website: `v0.1.0/` and so on.

    python .ci/site/keep_versions.py SITE [--from ADDRESS]

GitHub Pages are published as a whole, so the pages of every release have to be added each time. They come from the
release's offline bundle, which contains the website and the lab of that version (`.ci/offline_bundle.py`). The releases
are the versions with a date in the changelog. With `--from`, the bundles come from that address instead of GitHub.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT))

from tests.addresses import offline_address, offline_name, releases  # noqa: E402


def keep(site: Path, version: str, address: str) -> Path:
    """Fetch the bundle of a version, unpack it into the version's folder, and return that folder."""
    place = site / f"v{version}"
    with tempfile.TemporaryDirectory() as folder:
        zipped = Path(folder) / offline_name(version)
        try:
            with urllib.request.urlopen(address, timeout=300) as answer, zipped.open("wb") as file:
                shutil.copyfileobj(answer, file)
        except urllib.error.URLError as error:
            sys.exit(
                f"The pages of {version} are missing ({address}: {error}). Add the bundle, which the "
                "job `bundle` in release.yml makes, to that release, and run this again."
            )
        with zipfile.ZipFile(zipped) as archive:
            archive.extractall(Path(folder) / "unpacked")
        (unpacked,) = (Path(folder) / "unpacked").iterdir()
        shutil.move(unpacked, place)
    return place


def main() -> None:
    """Add the pages of every version that has a date in the changelog."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("site", type=Path)
    parser.add_argument("--from", dest="source", metavar="ADDRESS", help="a folder as a URL")
    arguments = parser.parse_args()
    for version, _ in releases():
        address = offline_address(version)
        if arguments.source:
            address = f"{arguments.source}/{offline_name(version)}"
        print(f"{keep(arguments.site, version, address)} has the pages of {version}")


if __name__ == "__main__":
    main()
