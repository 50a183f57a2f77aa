"""The samples and the random programs of ``tests/engine`` serve here too: make them importable by name."""

import sys
from pathlib import Path

ROOT = str(Path(__file__).parents[2])
if ROOT not in sys.path:
    sys.path.append(ROOT)
