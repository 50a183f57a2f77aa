"""Links to a player: the address of a page that runs a function of one's own, written into the address itself."""

import base64
import dis
import inspect
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import metadata
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from autodiff_lab.engine.errors import AutodiffError
from autodiff_lab.trace.source_map import locate
from autodiff_lab.transforms.signatures import name_of

# Mail and chat cut longer addresses off; the page's box refuses them.
LONGEST = 8000

FRAGMENT = "#function="

_IN_THE_PAGE = sys.stdlib_module_names | {"numpy", "autodiff_lab"}


class LinkError(AutodiffError, ValueError):
    """A function or an input of a player cannot be written into a link."""


def address(program: str, site: str | None) -> str:
    """Write the link to the page whose box shows a player's program; without `site`, the tutorial's own site.

    The program goes into the fragment, which a browser keeps to itself: no server is sent it.

    >>> read_address(address("play(f, 2.0)", "https://example.org/"))
    'play(f, 2.0)'
    """
    urls = dict(line.split(", ", 1) for line in metadata("autodiff_lab").get_all("Project-URL", ()))
    if site is None and "Homepage" not in urls:
        raise LinkError(
            "This installation was made before the tutorial had a site. Install it again (pip install -e .), or say "
            "where the site is: player.link(site='https://…')."
        )
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    packed = packer.compress(program.encode()) + packer.flush()
    letters = base64.urlsafe_b64encode(packed).decode().rstrip("=")
    found = f"{(site or urls['Homepage']).rstrip('/')}/{FRAGMENT}{letters}"
    if len(found) > LONGEST:
        raise LinkError(
            f"The link would have {len(found)} characters, and mail and chat cut off more than {LONGEST}. Shorten "
            "the function or its arrays, or write a file: player.save_html('player.html')."
        )
    return found


def read_address(link: str) -> str:
    """Read the program out of a link to a player, as the page's box does."""
    letters = link.partition(FRAGMENT)[2]
    packed = base64.urlsafe_b64decode(letters + "=" * (-len(letters) % 4))
    return zlib.decompress(packed, wbits=-zlib.MAX_WBITS).decode()


def program(f: Callable[..., Any], args: tuple[Any, ...], options: Mapping[str, Any]) -> str:
    """Write the program that a link to a player carries: the function's source, and what it takes from outside.

    Examples
    --------
    >>> print(program(lambda x: np.sin(x) * x, (2.0,), {"mode": "forward"}))
    import numpy as np
    import autodiff_lab as ad
    <BLANKLINE>
    ad.play(lambda x: np.sin(x) * x, 2.0, mode='forward')
    """
    imports = {"np": "import numpy as np", "ad": "import autodiff_lab as ad"}
    definitions: dict[str, str] = {}
    _carry(f, imports, definitions)
    played = definitions.pop("<lambda>", f.__name__)
    written = [_literal(x, f"Input {k + 1}") for k, x in enumerate(args)]
    written += [f"{name}={_literal(x, name)}" for name, x in options.items()]
    body = "".join(f"{text}\n\n" for text in definitions.values())
    return "\n".join(imports.values()) + f"\n\n{body}ad.play({', '.join([played, *written])})"


def _carry(f: Any, imports: dict[str, str], definitions: dict[str, str]) -> None:
    """Write the source of a function, behind that of all that it needs."""
    text = definitions[f.__name__] = "\n".join(_source(f))
    around = {**f.__globals__, **inspect.getclosurevars(f).nonlocals}
    names = set(_names(compile(f"({text})" if f.__name__ == "<lambda>" else text, "", "exec")))
    for name in sorted(names & around.keys()):
        value, there = around[name], definitions
        if value is f:
            continue
        line = _import_line(name, value)
        if line:
            there = imports
        elif isinstance(value, FunctionType) and value.__name__ == name:
            if name not in definitions:
                _carry(value, imports, definitions)
            line = "\n".join(_source(value))
        else:
            line = (
                f"{name} = {_literal(value, f'{name_of(f)} takes `{name}` from outside, and it')}"
            )
        if there.setdefault(name, line) != line:
            raise LinkError(
                f"`{name}` has two meanings in the functions that {name_of(f)} needs: rename one of them."
            )
    definitions[f.__name__] = definitions.pop(f.__name__)


def _source(f: Any) -> tuple[str, ...]:
    """Return the source lines of a plain function.

    A decorated or wrapped function does more than its source shows, so it is an error.
    """
    not_plain = LinkError(
        f"A link can carry only a plain function, and {name_of(f)} isn't one: write it with def or lambda."
    )
    if not isinstance(f, FunctionType) or hasattr(f, "__wrapped__"):
        raise not_plain
    located = locate(f, None, 0)
    if not located.sources:
        raise LinkError(located.note)
    lines = located.sources[0].text
    if lines[0].startswith("@"):
        raise not_plain
    return lines


def _import_line(name: str, value: Any) -> str:
    """Write how a name is imported in the page; empty if it is not from there."""
    if isinstance(value, ModuleType):
        called = value.__name__
        line = f"import {called}" if called == name else f"import {called} as {name}"
        return line if called.partition(".")[0] in _IN_THE_PAGE else ""
    home = getattr(value, "__module__", None) or type(value).__module__
    called = getattr(value, "__name__", "")
    for module in (home.partition(".")[0], home):
        if (
            module.partition(".")[0] in _IN_THE_PAGE
            and getattr(sys.modules.get(module), called, None) is value
        ):
            return f"from {module} import {called}" + (f" as {name}" if called != name else "")
    return ""


def _names(code: CodeType) -> Iterator[str]:
    """The names that a program looks up outside itself, its functions' defaults included."""
    own = {i.argval for i in dis.get_instructions(code) if i.opname == "STORE_NAME"}
    for i in dis.get_instructions(code):
        if i.opname in ("LOAD_GLOBAL", "LOAD_NAME") and i.argval not in own:
            yield i.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _literal(x: Any, what: str) -> str:
    """Write a value as Python reads it.

    >>> _literal({"w": np.array([1.0, np.inf]), "n": (3,)}, "it")
    "{'w': np.array([1.0, float('inf')]), 'n': (3,)}"
    """
    if isinstance(x, np.generic):
        x = x.item()
    if isinstance(x, np.ndarray) and x.dtype.kind in "bif":
        kind = "" if x.dtype in (float, int, bool) else f", dtype={x.dtype.name!r}"
        return f"np.array({_literal(x.tolist(), what)}{kind})"
    if isinstance(x, float) and not np.isfinite(x):
        return f"float('{x}')"
    if type(x) in (list, tuple):
        entries = ", ".join(_literal(entry, what) for entry in x)
        return f"[{entries}]" if type(x) is list else f"({entries}{',' * (len(x) == 1)})"
    if type(x) is dict:
        return (
            "{" + ", ".join(f"{key!r}: {_literal(entry, what)}" for key, entry in x.items()) + "}"
        )
    if x is None or type(x) in (bool, int, float, str):
        return repr(x)
    raise LinkError(
        f"{what} is of the type {type(x).__name__}, which a link can't carry. It can carry plain "
        "functions, modules of NumPy and of Python, numbers, text and arrays. Create the value inside the "
        "function, or pass numbers as inputs."
    )
