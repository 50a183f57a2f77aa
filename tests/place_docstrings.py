"""Can a reader who has only the list of files tell where a docstring stands?

    python tests/place_docstrings.py FOLDER              thirty docstrings, the same ones each time
    python tests/place_docstrings.py FOLDER --seed 2     others
    python tests/place_docstrings.py FOLDER --count 0    all of them, in a random order

They are drawn from all modules, public classes and public functions of the package. Give a reader `files.txt` and
`docstrings.txt`, which names nothing; `answers.txt` has the file and the name of each. No part of the test run.
"""

from __future__ import annotations

import argparse
import ast
import random
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "autodiff_lab"


def docstrings() -> list[tuple[str, str, str]]:
    """File, name and docstring of each public thing, in the order of the files."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                name, text = getattr(node, "name", "the module"), ast.get_docstring(node)
                if text and not name.startswith("_"):
                    found.append((path.relative_to(PACKAGE).as_posix(), name, text))
    return found


def main() -> None:
    """Draw them, and write the three files."""
    options = argparse.ArgumentParser(description="Docstrings for a reader to place.")
    options.add_argument("folder", type=Path)
    options.add_argument("--seed", type=int, default=15)
    options.add_argument("--count", type=int, default=30)
    asked = options.parse_args()
    every = docstrings()
    drawn = random.Random(asked.seed).sample(every, asked.count or len(every))
    kept = [path for path in sorted(PACKAGE.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    files = [path.relative_to(PACKAGE).as_posix() for path in kept]
    asked.folder.mkdir(parents=True, exist_ok=True)
    parts = {
        "files": files,
        "docstrings": [f"[{k}]\n{text}\n" for k, (_, _, text) in enumerate(drawn, 1)],
        "answers": [f"{k} {file} {name}" for k, (file, name, _) in enumerate(drawn, 1)],
    }
    for name, lines in parts.items():
        (asked.folder / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
