"""The types of a run in JavaScript: made of the dataclasses in Python, and as they would be made now."""

import dataclasses
import types
import typing
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, NotRequired, TypedDict

import pytest

from autodiff_lab.text.dataclass_json import Entries, field_types, is_named_tuple
from autodiff_lab.trace.model import Line, Number, Operand, RunOptions, Span, Trace
from autodiff_lab.widgets.player import views as modes
from autodiff_lab.widgets.player.payload import Payload
from autodiff_lab.widgets.player.views import reuse_or_compute_layout
from tests import javascript_types
from tests.javascript_types import describe, list_records, update_types, write_typedef

from .cases import CASES
from .test_js import GROUPED


class Point(NamedTuple):
    """A point in a plane."""

    x: float
    y: float | None


@dataclass(frozen=True)
class Curve:
    """A curve through points.

    More is said here.
    """

    points: tuple[Point, ...]
    middle: Point | None = None
    name: str = "c"


class Page(TypedDict):
    """A page with curves."""

    curves: dict[str, list[int]]
    note: NotRequired[str]


def test_the_committed_types_are_those_of_the_dataclasses():
    assert update_types(check=True) == [], "make them anew: python -m tests.generate types bundle"


def test_stale_types_are_noticed(monkeypatch, tmp_path):
    path = tmp_path / "trace_types.js"
    path.write_text(
        javascript_types.PATH.read_text(encoding="utf-8").replace("freed_lines", "released")
    )
    monkeypatch.setattr(javascript_types, "PATH", path)
    monkeypatch.setattr(javascript_types, "ROOT", tmp_path)
    assert update_types(check=True) == [
        "trace_types.js differs from the dataclasses of trace/model"
    ]
    assert "released" in path.read_text(), "a check writes nothing"
    update_types(check=False)
    assert update_types(check=True) == [] and "released" not in path.read_text()


def test_a_record_comes_after_those_inside_of_it():
    found = list_records(Trace)
    assert found[-1] is Trace and {Number, Operand, Line, Span} < set(found)
    assert found.index(Number) < found.index(Operand) < found.index(Line)


def test_each_kind_of_record():
    assert list_records(Curve) == [Point, Curve]
    assert describe(Point) == {"order": ["x", "y"], "defaults": {}, "inside": {}}
    assert describe(Curve) == {
        "defaults": {"middle": None, "name": "c"},
        "inside": {"points": ["Point"], "middle": "Point"},
    }
    assert write_typedef(Curve).splitlines() == [
        "/**",
        " * A curve through points.",
        " * @typedef {object} Curve",
        " * @property {Point[]} points",
        " * @property {Point | null} middle",
        " * @property {string} name",
        " */",
    ]
    assert " * @property {Record<string, number[]>} curves" in write_typedef(Page)
    assert " * @property {string} [note]" in write_typedef(Page)


def misfits(x: Any, hint: Any, where: str = "") -> list[str]:
    """Return the places where a value, or a value nested in it, doesn't have the declared type."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any or hint == Entries:
        return []
    if origin is NotRequired:
        return misfits(x, args[0], where)
    if origin is Literal:
        return [] if x in args else [f"{where}: {x!r}"]
    if origin in (types.UnionType, typing.Union):
        return min((misfits(x, arg, where) for arg in args), key=len)
    if typing.is_typeddict(hint):
        return misfits_of_keys(x, hint, where)
    found = []
    if dataclasses.is_dataclass(hint) or is_named_tuple(hint):
        if not isinstance(x, hint):
            return [f"{where}: {x!r}"]
        for name, kind in field_types(hint).items():
            found += misfits(getattr(x, name), kind, f"{where}.{name}")
        return found
    if origin is dict and isinstance(x, dict):
        for key, value in x.items():
            found += misfits(value, args[1], f"{where}.{key}")
        return found
    if origin in (list, tuple):
        is_sequence = isinstance(x, list | tuple)
        if not is_sequence or (origin is tuple and args[-1] is not ... and len(args) != len(x)):
            return [f"{where}: {x!r}"]
        kinds = [args[0]] * len(x) if origin is list or args[-1] is ... else args
        for k, (one, kind) in enumerate(zip(x, kinds, strict=True)):
            found += misfits(one, kind, f"{where}[{k}]")
        return found
    accepted = (int, float) if hint is float else origin or hint
    fits = isinstance(x, accepted) and (hint is bool or not isinstance(x, bool))
    return [] if fits else [f"{where}: {x!r}"]


def misfits_of_keys(x: Any, hint: Any, where: str) -> list[str]:
    """Where a dictionary differs from the one that is declared."""
    if not isinstance(x, dict):
        return [f"{where}: {x!r}"]
    hints = typing.get_type_hints(hint, include_extras=True)
    required = {name for name, kind in hints.items() if typing.get_origin(kind) is not NotRequired}
    found = [f"{where}.{key}: missing" for key in sorted(required - x.keys())]
    for key, value in x.items():
        found += (
            misfits(value, hints[key], f"{where}.{key}")
            if key in hints
            else [f"{where}.{key}: unknown"]
        )
    return found


RUNS = {**CASES, **GROUPED}


@pytest.mark.parametrize("name", RUNS)
def test_what_is_made_is_of_the_declared_types(name):
    views = modes.views(*RUNS[name])
    for trace in (views.trace, *views.forward.values()):
        assert misfits(trace, Trace) == []
    payload = views.payload(reuse_or_compute_layout(views))
    assert misfits(payload, Payload) == []


def test_a_faulty_run_is_of_the_declared_types():
    assert misfits(modes.views(*CASES["seed"], RunOptions(fault="overwrite")).trace, Trace) == []


def test_what_is_of_another_type_is_noticed():
    assert misfits(Curve((Point(1.0, None),), None), Curve) == []
    assert misfits(Curve((Point(1.0, "2"),), 3, "c"), Curve) == [".points[0].y: '2'", ".middle: 3"]
    assert misfits({"curves": {"a": [1]}, "title": ""}, Page) == [".title: unknown"]
    assert misfits({"note": ""}, Page) == [".curves: missing"]
    assert misfits({"curves": {"a": [1, 2.5]}}, Page) == [".curves.a[1]: 2.5"]


def test_a_field_that_no_script_could_read_is_refused():
    @dataclass(frozen=True)
    class Mixed:
        either: Point | Curve

    with pytest.raises(TypeError, match="A field may hold a record, none, or a list of records"):
        describe(Mixed)
