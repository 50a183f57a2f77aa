"""Put the pages of each release into a folder of the website: `v0.1.0/` and so on.

    python .ci/site/keep_versions.py SITE [--from ADDRESS]

GitHub Pages are published as a whole, so what a release showed has to be brought along each time. It is in the
release's offline bundle, which has the website and the lab of that version (`.ci/offline_bundle.py`). A release is what
the changelog has a date for. With `--from`, the bundles are taken from another place than the releases on GitHub.
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
    """Fetch the bundle of a version, and unpack it into the version's folder, which it returns."""
    place = site / f"v{version}"
    with tempfile.TemporaryDirectory() as folder:
        zipped = Path(folder) / offline_name(version)
        try:
            with urllib.request.urlopen(address, timeout=300) as answer, zipped.open("wb") as file:
                shutil.copyfileobj(answer, file)
        except urllib.error.URLError as error:
            sys.exit(
                f"The pages of {version} are missing ({address}: {error}). Add the bundle to that "
                "release, as the job `bundle` in release.yml makes it, and start this again."
            )
        with zipfile.ZipFile(zipped) as archive:
            archive.extractall(Path(folder) / "unpacked")
        (unpacked,) = (Path(folder) / "unpacked").iterdir()
        shutil.move(unpacked, place)
    return place


def main() -> None:
    """Keep every version that the changelog names as released."""
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
