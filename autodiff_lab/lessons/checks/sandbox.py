"""The sandbox that all lessons share: a check runs a learner's functions, then restores the notebook.

A learner's function uses the notebook's other names: classes, functions, a tape. So the check runs it
with those globals, replaces some of them meanwhile, and afterwards restores all that it may have changed.
"""

import contextlib
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from autodiff_lab.lessons.checks.compare import Refused, describe, summarize
from autodiff_lab.lessons.checks.run_code import STEPS, Crashed, attempt


@contextlib.contextmanager
def borrow_names(
    function: types.FunctionType,
    listing: tuple[str, ...] = (),
    empty: tuple[str, ...] = (),
    **replaced: Any,
) -> Iterator[dict[str, Any]]:
    """Open a sandbox: yield the globals of a learner's function, then restore them.

    The contents of the named lists and dictionaries (a tape, a table) are restored as well.

    Parameters
    ----------
    function : function
        The learner's function.
    listing : tuple of str
        Names of lists and dictionaries whose contents are restored too; names of other things are
        ignored.
    empty : tuple of str
        Names of lists that are empty meanwhile.
    replaced : object
        The values that some names have meanwhile.

    Examples
    --------
    >>> tape = ["mine"]
    >>> def write(): tape.append("yours")
    >>> names = {"tape": tape}
    >>> own = types.FunctionType(write.__code__, names)
    >>> with borrow_names(own, empty=("tape",)) as lent:
    ...     own(), lent["tape"]
    (None, ['yours'])
    >>> tape
    ['mine']
    """
    names = function.__globals__
    before = dict(names)
    containers = [
        names[name] for name in (*listing, *empty) if isinstance(names.get(name), list | dict)
    ]
    contents = [container.copy() for container in containers]
    for name in empty:
        names[name].clear()
    names.update(replaced)
    try:
        yield names
    finally:
        for name in names.keys() - before.keys():
            del names[name]
        names.update(before)
        for container, content in zip(containers, contents, strict=True):
            container.clear()
            if isinstance(container, list):
                container.extend(content)
            else:
                container.update(content)


def run_cases(
    run: Callable[..., Any],
    cases: Mapping[str, tuple[Any, ...]],
    *functions: Any,
    listing: tuple[str, ...] = (),
    machine: str = "notebook",
    empty: tuple[str, ...] = (),
    steps: int = STEPS,
    **replaced: Any,
) -> Any:
    """Run a learner's functions in the sandbox, once for each case, and return the results as plain data.

    Parameters
    ----------
    run : callable
        Called with the learner's names and with what belongs to the case; it calls the learner's functions.
    cases : mapping
        The arguments of `run` for each case. After a case that never ends, no other case is run.
    functions : object
        The learner's answers.
    listing, machine : tuple of str, str
        The names that the notebook must define, and what a learner would call them together.
    steps : int
        How many steps each case may take.
    empty, replaced : tuple of str, object
        As for `borrow_names`; each case begins anew.
    """
    vet_code(*functions, listing=listing, machine=machine)
    found: dict[str, Any] = {}
    for case, arguments in cases.items():
        with borrow_names(functions[0], listing, empty, **replaced) as names:
            seen = summarize(attempt(run, names, *arguments, steps=steps))
        found[case] = seen
        if isinstance(seen, Crashed) and seen.never_ends:
            break
    return found


def call_case(names: dict[str, Any], case: Callable[..., Any], *arguments: Any) -> Any:
    """Run a case of the sandbox that is itself a function; it takes the names of the learner's code."""
    return case(names, *arguments)


def vet_code(*functions: Any, listing: tuple[str, ...] = (), machine: str = "notebook") -> None:
    """Raise `Refused` if the sandbox cannot run an answer: it isn't a function, or a name is missing."""
    for function in functions:
        if callable(function) and not isinstance(function, types.FunctionType):
            raise Refused(f"You gave {describe(function)}. Write a function of your own, with def.")
        if not isinstance(function, types.FunctionType):
            raise Refused(
                f"You gave {describe(function)}. Hand over the function itself, without brackets after its name."
            )
        missing = [name for name in listing if name not in function.__globals__]
        if missing:
            raise Refused(
                f"The check runs your function on your own {machine} and cannot find {missing[0]} there. "
                "Run the cells above this one first."
            )
