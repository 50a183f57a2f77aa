"""Which one-line mistakes in the package do the tests find?

    python tests/mutants.py                         30 mutants, the same ones each time, and which of them die
    python tests/mutants.py --seed 2 --count 50     others, and more
    python tests/mutants.py --only 4 17             some of them
    python tests/mutants.py --tests OTHER/tests     judged by the tests of another checkout

A mutant is the package with one operator, comparison, number or word of logic changed. It is made in a temporary copy
of the tree, and the tests of its room run until one fails: first those that name the changed file, in other rooms too.
What survives is either harmless or missed by the tests; read it. No part of the test run, as it takes minutes.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
ROOMS = {"engine": 9, "trace": 7, "figures": 7, "lessons": 7}
"""How many of 30 mutants a room gets."""
OPERATORS = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.Pow: "*", ast.FloorDiv: "*", ast.MatMult: "*",
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==", ast.In: "not in",
    ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is", ast.And: "or", ast.Or: "and",
}  # fmt: skip


class Mutant(NamedTuple):
    """A stretch of a file, and what stands there instead; positions count bytes, as in `ast`."""

    room: str
    path: Path
    line: int
    start: int
    end: int
    new: str

    def apply(self, text: bytes) -> bytes:
        lines = text.splitlines(keepends=True)
        line = lines[self.line - 1]
        lines[self.line - 1] = line[: self.start] + self.new.encode() + line[self.end :]
        return b"".join(lines)


def changes(text: bytes) -> Iterator[tuple[int, int, int, str]]:
    """Every place of a file where one thing may be written wrongly, within a line."""
    lines = text.splitlines()

    def between(
        left: ast.expr, right: ast.expr, operator: ast.AST
    ) -> Iterator[tuple[int, int, int, str]]:
        if left.end_lineno == right.lineno and type(operator) in OPERATORS:
            found = lines[right.lineno - 1][left.end_col_offset : right.col_offset]
            if not set(found) & set(b"()#"):
                yield (
                    right.lineno,
                    left.end_col_offset,
                    right.col_offset,
                    f" {OPERATORS[type(operator)]} ",
                )

    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.BinOp) and not isinstance(node.left, ast.Constant | ast.JoinedStr):
            yield from between(node.left, node.right, node.op)
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            yield from between(node.left, node.comparators[0], node.ops[0])
        elif isinstance(node, ast.BoolOp):
            yield from between(node.values[0], node.values[1], node.op)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
            yield node.lineno, node.col_offset, node.operand.col_offset, ""
        elif (
            isinstance(node, ast.Constant)
            and type(node.value) is int
            and node.lineno == node.end_lineno
        ):
            yield node.lineno, node.col_offset, node.end_col_offset, str(node.value + 1)


def mutants(seed: int, count: int) -> list[Mutant]:
    """Draw mutants; those of annotations alone are left out."""
    drawn, found = random.Random(seed), []
    for room, share in ROOMS.items():
        every = [
            Mutant(room, path.relative_to(ROOT), *change)
            for path in sorted((ROOT / "autodiff_lab" / room).rglob("*.py"))
            for change in sorted(set(changes(path.read_bytes())))
        ]
        sound = (
            mutant for mutant in drawn.sample(every, len(every)) if _means_something_else(mutant)
        )
        found += [next(sound) for _ in range(max(1, share * count // sum(ROOMS.values())))]
    return found


def _means_something_else(mutant: Mutant) -> bool:
    """It can be compiled, and the difference is not in an annotation: ``int | None`` is never computed."""
    text = (ROOT / mutant.path).read_bytes()
    try:
        return _code(text) != _code(mutant.apply(text))
    except SyntaxError:
        return False


def _code(text: bytes) -> str:
    class WithoutAnnotations(ast.NodeTransformer):
        def visit_arg(self, node: ast.arg) -> ast.AST:
            return ast.arg(node.arg)

        def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
            node.returns = None
            return self.generic_visit(node)

        def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
            node.annotation = ast.Constant(None)
            return self.generic_visit(node)

    return ast.dump(WithoutAnnotations().visit(ast.parse(text)))


def judged(mutant: Mutant, tree: Path) -> tuple[str, float]:
    """The test that a mutant dies of, and the seconds that took; an empty name if it survives."""
    place, began = tree / mutant.path, time.monotonic()
    before = place.read_bytes()
    place.write_bytes(mutant.apply(before))
    module = ".".join(mutant.path.with_suffix("").parts).removesuffix(".__init__")
    names = {
        module,
        module.rpartition(".")[2],
        *([mutant.path.parts[2]] if mutant.room == "lessons" else []),
    }
    texts = {
        path: path.read_text(encoding="utf-8")
        for path in sorted((tree / "tests").rglob("test_*.py"))
    }
    files = [
        path
        for path, text in texts.items()
        if mutant.room == path.relative_to(tree).parts[1] or module in text
    ]
    files.sort(key=lambda path: not any(name in texts[path] for name in names))
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-n",
        "0",
        "-x",
        "-q",
        "--no-header",
        "-p",
        "no:cacheprovider",
        "-rfE",
    ]
    try:
        run = subprocess.run(
            [*command, "--tb=no", *map(str, files)],
            cwd=tree,
            env={**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        died = [line for line in run.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
        of = (
            died[0].split(" - ")[0].rpartition("/")[2]
            if died
            else ""
            if run.returncode == 0
            else "pytest itself"
        )
    except subprocess.TimeoutExpired:
        of = "it never ends"
    finally:
        place.write_bytes(before)
    return of, time.monotonic() - began


def main() -> None:
    """Make them, judge them, and print a line for each."""
    options = argparse.ArgumentParser(
        description="Seeded one-line mutants, and whether the tests find them."
    )
    options.add_argument("--seed", type=int, default=15)
    options.add_argument("--count", type=int, default=30)
    options.add_argument("--only", type=int, nargs="*", default=None, metavar="K")
    options.add_argument("--tests", type=Path, default=ROOT / "tests")
    options.add_argument("--list", action="store_true", help="only say what they are")
    asked = options.parse_args()
    found = list(enumerate(mutants(asked.seed, asked.count), 1))
    chosen = [(k, mutant) for k, mutant in found if asked.only is None or k in asked.only]
    with tempfile.TemporaryDirectory() as folder:
        tree, survive = Path(folder).resolve(), 0
        for name in ("autodiff_lab", "notebooks"):
            shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(
            asked.tests, tree / "tests", ignore=shutil.ignore_patterns("__pycache__", "screenshots")
        )
        shutil.copy(ROOT / "pyproject.toml", tree)
        for k, mutant in chosen:
            text = (tree / mutant.path).read_bytes()
            old, new = (
                each.splitlines()[mutant.line - 1].strip().decode()
                for each in (text, mutant.apply(text))
            )
            print(f"{k:2} {mutant.path}:{mutant.line}\n     - {old}\n     + {new}", flush=True)
            if not asked.list:
                of, seconds = judged(mutant, tree)
                survive += not of
                print(f"     {'dies of ' + of if of else 'SURVIVES'} ({seconds:.0f} s)", flush=True)
    print(f"{len(chosen)} mutants" if asked.list else f"{survive} of {len(chosen)} mutants survive")


if __name__ == "__main__":
    main()
