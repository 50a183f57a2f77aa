"""One test for many things: where it fails, it says at which of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest


@contextmanager
def about(thing: str) -> Iterator[None]:
    """Note on whatever is raised inside what it was about."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"This was about {thing}")
        raise


def for_each(names: str | Sequence[str], cases: Iterable[Any], ids: Any = str) -> Callable[[Any], Callable[..., None]]:
    """As `pytest.mark.parametrize`, but one test for all cases: where each is quick, the accounting takes longer.

    Every case is run; the errors of those that fail are raised together, each with a note on its case.
    """
    keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    found = list(cases)
    named = [isinstance(case, type(pytest.param())) for case in found]
    rows = [case.values if by else case if len(keys) > 1 else (case,) for by, case in zip(named, found, strict=True)]
    spoken = [", ".join(map(str, map(ids, row))) for row in rows] if callable(ids) else list(ids)
    spoken = [(by and case.id) or said for by, case, said in zip(named, found, spoken, strict=True)]
    assert rows, "there is no case"

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        def run(**others: Any) -> None:
            failed = []
            for said, row in zip(spoken, rows, strict=True):
                try:
                    with about(said):
                        test(**dict(zip(keys, row, strict=True)), **others)
                except Exception as error:
                    failed.append(error)
            if failed:
                raise ExceptionGroup(f"{len(failed)} of {len(rows)} cases fail", failed)

        signature = inspect.signature(test)
        others = [parameter for name, parameter in signature.parameters.items() if name not in keys]
        run.__name__, run.__doc__, run.__module__ = test.__name__, test.__doc__, test.__module__
        run.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return run

    return decorate
