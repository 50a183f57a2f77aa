"""Play runs of PyTorch and JAX in an environment of their own.

    python .ci/frameworks_work.py [--torch 2.13.0] [--jax 0.10.2]

On Linux the package index has PyTorch for CUDA (2.6 GB). Where PIP_FIND_LINKS or PIP_EXTRA_INDEX_URL
(https://download.pytorch.org/whl/cpu) offers the build for CPUs of the same version, pip prefers that one.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The notebook shows the saved outputs where PyTorch is missing; here its programs run, and print the same.
TESTS = (
    "tests/frameworks",
    "tests/package/test_imports.py",
    *map(str, ROOT.glob("notebooks/*_own_model.ipynb")),
)
TESTS_TIMEOUT_S = 8 * 60

# Where a framework is missing, its tests are skipped; so it is imported first.
SHOW_VERSIONS = """
import torch, jax
print(f"   PyTorch {torch.__version__}, JAX {jax.__version__}", flush=True)
"""


def install(work: Path, torch: str, jax: str) -> Path:
    """Install the package and both frameworks into a new environment, and return its Python."""
    subprocess.run([sys.executable, "-m", "venv", work / "venv"], check=True)
    python = work / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    frameworks = [f"torch=={torch}", f"jax=={jax}", f"jaxlib=={jax}"]
    subprocess.run(
        [python, "-m", "pip", "install", "-q", "-e", f"{ROOT}[test]", *frameworks], check=True
    )
    return python


def run_tests(python: Path) -> int:
    """Run the tests of the frameworks; the exit code of pytest, or 1 if they took too long."""
    subprocess.run([python, "-c", SHOW_VERSIONS], check=True)
    try:
        done = subprocess.run([python, "-m", "pytest", *TESTS], cwd=ROOT, timeout=TESTS_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        print(
            f"The tests of the frameworks took more than {TESTS_TIMEOUT_S / 60:.0f} minutes.",
            file=sys.stderr,
        )
        return 1
    return done.returncode


def main() -> int:
    """Install both frameworks, run their tests, and say how long that took."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--torch", default="2.13.0", help="the version of PyTorch")
    parser.add_argument("--jax", default="0.10.2", help="the version of JAX, and of jaxlib")
    versions = parser.parse_args()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as work:
        python = install(Path(work), versions.torch, versions.jax)
        print(f"   installed after {time.monotonic() - begun:.0f} s", flush=True)
        failed = run_tests(python)
    print(f"   done after {time.monotonic() - begun:.0f} s", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
