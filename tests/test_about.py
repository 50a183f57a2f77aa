"""`for_each`: one test for many cases is as strict as a test for each."""

import inspect

import pytest

from .about import for_each


def test_every_case_runs_and_each_that_fails_is_named():
    seen = []

    @for_each("x, y", [(1, 1), (2, 3), pytest.param(4, 4, id="four"), pytest.param(5, 6, id="five")])
    def check(x, y):
        seen.append(x)
        assert x == y

    with pytest.raises(ExceptionGroup, match="2 of 4 cases fail") as caught:
        check()
    assert seen == [1, 2, 4, 5]
    assert [error.__notes__ for error in caught.value.exceptions] == [["This was about 2, 3"], ["This was about five"]]


def test_cases_multiply_and_fixtures_are_left_to_pytest():
    seen = []

    @for_each("x", [1, 2])
    @for_each(("y",), [{"values": 1}], ids=lambda case: "a dict")
    def check(x, y, tmp_path):
        seen.append((x, y, tmp_path))

    assert list(inspect.signature(check).parameters) == ["tmp_path"]
    check(tmp_path="here")
    assert seen == [(1, {"values": 1}, "here"), (2, {"values": 1}, "here")]


def test_without_a_case_it_is_no_test():
    with pytest.raises(AssertionError, match="there is no case"):
        for_each("x", [])
