"""Links to a player: addresses of the website that contain a whole function, which the page can run."""

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

# Characters. Mail and chat programs cut longer addresses off, and the page's box refuses them.
LONGEST = 8000

FRAGMENT = "#function="

# Modules that a program can import in the page.
_IN_THE_PAGE = sys.stdlib_module_names | {"numpy", "autodiff_lab"}


class LinkError(AutodiffError, ValueError):
    """Error: a function or an input of a player cannot be written into a link."""


def address(program: str, site: str | None) -> str:
    """Write a link to the page whose box shows a player's program.

    `site` is the address of the website, or None for the tutorial's own. The program is in the fragment of the link,
    which a browser does not send to a server.

    Raises
    ------
    LinkError
        If the link would be too long, or if `site` is None and the installation has no address of its own.

    >>> read_address(address("play(f, 2.0)", "https://example.org/"))
    'play(f, 2.0)'
    """
    urls = dict(line.split(", ", 1) for line in metadata("autodiff_lab").get_all("Project-URL", ()))
    if site is None and "Homepage" not in urls:
        raise LinkError(
            "This installation was made before the tutorial had a website. Install it again (pip install -e .), or "
            "write the website's address: player.link(site='https://…')."
        )
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    packed = packer.compress(program.encode()) + packer.flush()
    letters = base64.urlsafe_b64encode(packed).decode().rstrip("=")
    home = (site or urls["Homepage"]).rstrip("/")
    written = f"{home}/{FRAGMENT}{letters}"
    if len(written) > LONGEST:
        raise LinkError(
            f"The link would have {len(written)} characters, and mail and chat programs cut links off after {LONGEST}. "
            "Shorten the function or its arrays, or write a file: player.save_html('player.html')."
        )
    return written


def read_address(link: str) -> str:
    """Return the program that a link to a player contains, as the page's box reads it."""
    letters = link.partition(FRAGMENT)[2]
    packed = base64.urlsafe_b64decode(letters + "=" * (-len(letters) % 4))
    return zlib.decompress(packed, wbits=-zlib.MAX_WBITS).decode()


def program(f: Callable[..., Any], args: tuple[Any, ...], options: Mapping[str, Any]) -> str:
    """Write the program for a link to a player: imports, the functions and values that `f` uses, and a call of `play`.

    Raises
    ------
    LinkError
        If the source of a function is not known, or if a value cannot be written down.

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
    """Add the source of a function to `definitions`, after everything that it needs, and its modules to `imports`."""
    text = "\n".join(_source(f))
    definitions[f.__name__] = text
    around = {**f.__globals__, **inspect.getclosurevars(f).nonlocals}
    code = compile(f"({text})" if f.__name__ == "<lambda>" else text, "", "exec")
    for name in sorted(around.keys() & set(_names(code))):
        value = around[name]
        if value is f:
            continue
        line = _import_line(name, value)
        destination = imports if line else definitions
        if not line and isinstance(value, FunctionType) and value.__name__ == name:
            if name not in definitions:
                _carry(value, imports, definitions)
            line = "\n".join(_source(value))
        elif not line:
            written = _literal(value, f"{name_of(f)} takes `{name}` from outside, and it")
            line = f"{name} = {written}"
        if destination.setdefault(name, line) != line:
            raise LinkError(
                f"`{name}` has two meanings in the functions that {name_of(f)} needs: rename one of them."
            )
    # Dicts keep the order of insertion: this moves the function after everything that it needs.
    definitions[f.__name__] = definitions.pop(f.__name__)


def _source(f: Any) -> tuple[str, ...]:
    """Return the source lines of a plain function.

    A decorated or wrapped function raises a `LinkError`, because it does more than its source shows.
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
    """Write the line that imports a value under a name in the page; empty if the page cannot import the value."""
    called = getattr(value, "__name__", "")
    alias = "" if called == name else f" as {name}"
    if isinstance(value, ModuleType):
        return f"import {called}{alias}" if _top_level(called) in _IN_THE_PAGE else ""
    home = getattr(value, "__module__", None) or type(value).__module__
    if _top_level(home) not in _IN_THE_PAGE:
        return ""
    for module in (_top_level(home), home):
        if getattr(sys.modules.get(module), called, None) is value:
            return f"from {module} import {called}{alias}"
    return ""


def _top_level(module: str) -> str:
    """Return the top-level package of a module's name."""
    return module.partition(".")[0]


def _names(code: CodeType) -> Iterator[str]:
    """Yield the names that a program looks up but does not define, also those in the defaults of its functions."""
    own = {i.argval for i in dis.get_instructions(code) if i.opname == "STORE_NAME"}
    for i in dis.get_instructions(code):
        if i.opname in ("LOAD_GLOBAL", "LOAD_NAME") and i.argval not in own:
            yield i.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _literal(x: Any, what: str) -> str:
    """Write a value as a Python expression; `what` begins the message of the `LinkError` if that is not possible.

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
        elements = ", ".join(_literal(element, what) for element in x)
        if type(x) is list:
            return f"[{elements}]"
        return f"({elements},)" if len(x) == 1 else f"({elements})"
    if type(x) is dict:
        items = ", ".join(f"{key!r}: {_literal(element, what)}" for key, element in x.items())
        return f"{{{items}}}"
    if x is None or type(x) in (bool, int, float, str):
        return repr(x)
    raise LinkError(
        f"{what} is of the type {type(x).__name__}, which a link can't carry. It can carry plain "
        "functions, modules of NumPy and of Python, numbers, text and arrays. Create the value inside the "
        "function, or pass numbers as inputs."
    )
