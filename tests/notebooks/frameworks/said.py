"""What is known of the other packages without having them: the code of each function, and what it printed."""

from __future__ import annotations

import ast
import json
import textwrap
from pathlib import Path
from typing import Any

from autodiff_lab.lessons.order import SLUGS

HERE = Path(__file__).parent
FILE = HERE / "said.json"
PACKAGES = {"torch": "PyTorch", "jax": "JAX", "tensorflow": "TensorFlow"}


def notebooks() -> list[str]:
    """Return the slugs of the notebooks that show other packages."""
    return [slug for slug in SLUGS if (HERE / f"{slug}.py").exists()]


def functions(slug: str) -> dict[str, str]:
    """Return the functions for a notebook, each with its body: the code that the notebook shows."""
    source = (HERE / f"{slug}.py").read_text(encoding="utf-8")
    lines = source.splitlines()
    return {
        node.name: textwrap.dedent("\n".join(lines[node.body[0].lineno - 1 : node.end_lineno]))
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and node.name.partition("_")[0] in PACKAGES
    }


def read() -> dict[str, dict[str, Any]]:
    """Return what was printed, by notebook and function."""
    return json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}


def write(kept: dict[str, dict[str, Any]]) -> None:
    """Keep what was printed by functions that are still there."""
    there = {f"{slug} {name}" for slug in notebooks() for name in functions(slug)}
    text = json.dumps(
        {key: kept[key] for key in sorted(kept) if key in there}, indent=2, ensure_ascii=False
    )
    FILE.write_text(text + "\n", encoding="utf-8")
