"""Find the public names that the code of each lesson uses.

With them, the reference links to the lessons, and each lesson to the reference.
"""

from __future__ import annotations

import ast
import html
import inspect
import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
from IPython.core.inputtransformer2 import TransformerManager

import autodiff_lab as ad

NOTEBOOKS = Path(ad.__file__).resolve().parents[1] / "notebooks"
LISTED_OPENLY = 6  # a list of more lessons than this is folded
NAME_IN_CODE = re.compile(
    r'(?P<before><span class="n">ad</span><span class="o">\.</span>)<span class="n">(?P<name>\w+)</span>'
)


class Use(NamedTuple):
    """The first place at which a lesson uses a name."""

    page: str
    title: str
    cell: str


class NameReader(ast.NodeVisitor):
    """Follows the names in a notebook, and collects the public names of autodiff_lab that it uses."""

    def __init__(self) -> None:
        # the public name that a notebook's name is bound to; "" for the package
        self.bound: dict[str, str] = {}
        self.used: set[str] = set()

    def visit_Import(self, node: ast.Import) -> None:
        """Bind the package to its alias."""
        for alias in node.names:
            local = alias.asname or alias.name.partition(".")[0]
            self.bound.pop(local, None)
            if alias.name == "autodiff_lab":
                self.bound[local] = ""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Bind imported names, if they are public."""
        for alias in node.names:
            local = alias.asname or alias.name
            self.bound.pop(local, None)
            if is_public(node.module or "", alias.name):
                self.bound[local] = alias.name

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Count `ad.grad` as a use of `grad`."""
        owner = node.value
        if isinstance(owner, ast.Name) and self.bound.get(owner.id) == "":
            if node.attr in ad.__all__:
                self.used.add(node.attr)
            return
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        """Count a bound name as a use, and unbind it if something is assigned to it."""
        if not isinstance(node.ctx, ast.Load):
            self.bound.pop(node.id, None)
        elif self.bound.get(node.id):
            self.used.add(self.bound[node.id])

    def visit_Assign(self, node: ast.Assign) -> None:
        """Visit the value first: in `grad = grad(f)`, the `grad` on the right is still the public one."""
        self.visit(node.value)
        for target in node.targets:
            self.visit(target)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Visit a class; from here on its name belongs to the notebook."""
        self.generic_visit(node)
        self.bound.pop(node.name, None)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Visit a function, whose arguments and local names are bound only inside it."""
        self.bound.pop(node.name, None)
        outside = dict(self.bound)
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                self.bound.pop(argument.arg, None)
        self.generic_visit(node)
        self.bound = outside


def is_public(module: str, name: str) -> bool:
    """Return whether a name in a module is the same object as the package's public name."""
    if module.partition(".")[0] != "autodiff_lab" or name not in ad.__all__:
        return False
    return getattr(import_module(module), name, None) is getattr(ad, name)


def names_used(cells: Iterable[Any]) -> dict[str, str]:
    """Return the public names that a notebook's cells use, each with the id of the first cell that does."""
    reader = NameReader()
    found: dict[str, str] = {}
    for cell in cells:
        if cell.cell_type != "code":
            continue
        try:
            program = ast.parse(TransformerManager().transform_cell(cell.source))
        except SyntaxError:  # the cell shows what a mistake looks like
            continue
        reader.used = set()
        reader.visit(program)
        for name in sorted(reader.used):
            found.setdefault(name, cell.id)
    return found


def lessons_by_name() -> dict[str, list[Use]]:
    """Return for each public name the lessons that use it, in the order of the course."""
    found: dict[str, list[Use]] = {name: [] for name in ad.__all__}
    for path in sorted(NOTEBOOKS.glob("[0-9][0-9]_*.ipynb")):
        cells = nbformat.read(path, as_version=4).cells
        title = cells[0].source.partition("\n")[0].removeprefix("# ").partition(":")[0]
        for name, cell in names_used(cells).items():
            found[name].append(Use(path.stem, title, cell))
    return found


def list_lessons(uses: list[Use]) -> str:
    """Write the lessons that use a name, as HTML in one line; "" if there are none."""
    if not uses:
        return ""
    items = "".join(
        f'<li><a href="../{use.page}.html#cell-id={use.cell}">{html.escape(use.title)}</a></li>'
        for use in uses
    )
    if len(uses) > LISTED_OPENLY:
        summary = f"<summary>In {len(uses)} lessons</summary>"
        return f'<details class="in-lessons">{summary}<ul>{items}</ul></details>'
    return f'<div class="in-lessons"><p>In the lessons</p><ul>{items}</ul></div>'


def list_names(names: Iterable[str]) -> str:
    """Write the public names that a lesson uses, as HTML in one line; "" if there are none."""
    links = " ".join(
        f'<a href="reference/autodiff_lab.{name}.html"><code>{name}</code></a>'
        for name in sorted(names, key=str.lower)
    )
    return f'<p class="of-reference">In the reference: {links}</p>' if links else ""


def is_made_by_readers(cls: type) -> bool:
    """Return whether readers construct this class themselves: then its docstring lists its parameters."""
    return "\nParameters\n----------" in (inspect.getdoc(cls) or "")


def makers(cls: type) -> Iterator[str]:
    """Yield the public functions that return an instance of a class, alone or in a tuple."""
    for name in sorted(ad.__all__):
        function = getattr(ad, name)
        if not inspect.isfunction(function):
            continue
        returned = inspect.formatannotation(inspect.signature(function).return_annotation)
        before_callable = returned.partition("Callable")[0]
        if cls.__name__ in re.findall(r"\w+", before_callable):
            yield name


def link_code(page: str, names: set[str]) -> str:
    """Link each `ad.name` in the code of a lesson's page to the reference, if its name is among `names`."""

    def link(found: re.Match[str]) -> str:
        name = found["name"]
        if name not in names:
            return found[0]
        return f'{found["before"]}<a class="n" href="reference/autodiff_lab.{name}.html">{name}</a>'

    return NAME_IN_CODE.sub(link, page)
