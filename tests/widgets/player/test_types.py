"""The types of a run in JavaScript: made of the dataclasses in Python, and as they would be made now."""

from dataclasses import dataclass
from typing import NamedTuple, NotRequired, TypedDict

import pytest

from autodiff_lab.trace.model import Line, Number, Operand, Span, Trace
from tests import javascript_types
from tests.javascript_types import describe, list_records, update_types, write_typedef


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
    path.write_text(javascript_types.PATH.read_text(encoding="utf-8").replace("freed_lines", "released"))
    monkeypatch.setattr(javascript_types, "PATH", path)
    monkeypatch.setattr(javascript_types, "ROOT", tmp_path)
    assert update_types(check=True) == ["trace_types.js differs from the dataclasses of trace/model"]
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


def test_a_field_that_no_script_could_read_is_refused():
    @dataclass(frozen=True)
    class Mixed:
        either: Point | Curve

    with pytest.raises(TypeError, match="A field may hold a record, none, or a list of records"):
        describe(Mixed)
