"""Which lesson uses which public name, as the code of its cells has it.

The reference links to the lessons by this, and each lesson to the reference.
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
LISTED_OPENLY = 6  # lessons; a longer list is folded
NAME_IN_CODE = re.compile(
    r'(?P<before><span class="n">ad</span><span class="o">\.</span>)<span class="n">(?P<name>\w+)</span>'
)


class Use(NamedTuple):
    """The first place at which a lesson uses a name."""

    page: str
    title: str
    cell: str


class NameReader(ast.NodeVisitor):
    """Follows what a notebook's names are bound to, and collects the uses of those that are public here."""

    def __init__(self) -> None:
        self.bound: dict[str, str] = {}  # what a name of the notebook stands for; "" is the package
        self.used: set[str] = set()

    def visit_Import(self, node: ast.Import) -> None:
        """Bind the package to its alias."""
        for alias in node.names:
            local = alias.asname or alias.name.partition(".")[0]
            self.bound.pop(local, None)
            if alias.name == "autodiff_lab":
                self.bound[local] = ""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Bind what is imported, if it is the same object as the public one of its name."""
        for alias in node.names:
            self.bound.pop(alias.asname or alias.name, None)
            if is_public(node.module or "", alias.name):
                self.bound[alias.asname or alias.name] = alias.name

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Take `ad.grad` for a use of `grad`."""
        owner = node.value
        if isinstance(owner, ast.Name) and self.bound.get(owner.id) == "":
            if node.attr in ad.__all__:
                self.used.add(node.attr)
            return
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        """Take a bound name for a use, and an assignment to it for its end."""
        if not isinstance(node.ctx, ast.Load):
            self.bound.pop(node.id, None)
        elif self.bound.get(node.id):
            self.used.add(self.bound[node.id])

    def visit_Assign(self, node: ast.Assign) -> None:
        """Read the value first: in `grad = grad(f)` the second is still the public one."""
        self.visit(node.value)
        for target in node.targets:
            self.visit(target)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Read a class, whose name is the notebook's from here on."""
        self.generic_visit(node)
        self.bound.pop(node.name, None)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Read a function: what it binds inside is bound there alone."""
        self.bound.pop(node.name, None)
        outside = dict(self.bound)
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                self.bound.pop(argument.arg, None)
        self.generic_visit(node)
        self.bound = outside


def is_public(module: str, name: str) -> bool:
    """Tell whether a name that a module has is the public one."""
    if module.partition(".")[0] != "autodiff_lab" or name not in ad.__all__:
        return False
    return getattr(import_module(module), name, None) is getattr(ad, name)


def names_used(cells: Iterable[Any]) -> dict[str, str]:
    """Return the public names that a notebook's cells use, each with the id of the first cell that does."""
    reader, found = NameReader(), {}
    for cell in cells:
        if cell.cell_type != "code":
            continue
        try:
            program = ast.parse(TransformerManager().transform_cell(cell.source))
        except SyntaxError:  # it is shown for its mistake
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
    """Write where a name of the reference is used, as HTML in one line; nothing where no lesson does."""
    if not uses:
        return ""
    items = "".join(
        f'<li><a href="../{use.page}.html#cell-id={use.cell}">{html.escape(use.title)}</a></li>'
        for use in uses
    )
    folded = "" if len(uses) <= LISTED_OPENLY else f"<summary>In {len(uses)} lessons</summary>"
    if folded:
        return f'<details class="in-lessons">{folded}<ul>{items}</ul></details>'
    return f'<div class="in-lessons"><p>In the lessons</p><ul>{items}</ul></div>'


def list_names(names: Iterable[str]) -> str:
    """Write which public names a lesson uses, as HTML in one line; nothing where there are none."""
    links = " ".join(
        f'<a href="reference/autodiff_lab.{name}.html"><code>{name}</code></a>'
        for name in sorted(names, key=str.lower)
    )
    return f'<p class="of-reference">In the reference: {links}</p>' if links else ""


def is_made_by_readers(cls: type) -> bool:
    """Tell whether one calls a class to make one: then its docstring describes what it is called with."""
    return "\nParameters\n----------" in (inspect.getdoc(cls) or "")


def makers(cls: type) -> Iterator[str]:
    """Go through the public functions that return one of a class, alone or beside something else."""
    for name in sorted(ad.__all__):
        function = getattr(ad, name)
        if inspect.isfunction(function):
            returned = inspect.formatannotation(inspect.signature(function).return_annotation)
            if cls.__name__ in re.findall(r"\w+", returned.partition("Callable")[0]):
                yield name


def link_code(page: str, names: set[str]) -> str:
    """Link each `ad.name` in the code of a lesson's page to the reference, if the lesson uses that name."""

    def link(found: re.Match[str]) -> str:
        name = found["name"]
        if name not in names:
            return found[0]
        return f'{found["before"]}<a class="n" href="reference/autodiff_lab.{name}.html">{name}</a>'

    return NAME_IN_CODE.sub(link, page)
