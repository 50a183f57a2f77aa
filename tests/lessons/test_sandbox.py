"""The sandbox: the names that exercises borrow from a notebook are restored, even if the learner's code fails."""

import pytest

from autodiff_lab.lessons.checks import Crashed, Refused, borrow_names, run_cases, vet_code

CELL = """
tape, table, count = ["mine"], {"add": 1}, 0

def spoil():
    global tape, count, extra
    tape.append("yours")
    tape, count, extra = [], 5, "new"
    table["add"] = 2
    return helper()

def helper():
    return "own"

def loop():
    while True:
        pass
"""


@pytest.fixture
def names():
    names = {"__name__": "__main__"}
    exec(CELL, names)
    return names


@pytest.mark.parametrize("fails", [False, True])
def test_borrowed_names_are_given_back(names, fails):
    before, tape = dict(names), names["tape"]
    try:
        with borrow_names(
            names["spoil"], ("table",), ("tape",), helper=lambda: "lent", other=1
        ) as lent:
            assert lent["tape"] == [] and lent["other"] == 1
            assert names["spoil"]() == "lent"
            del names["count"]
            if fails:
                raise ValueError
    except ValueError:
        assert fails
    assert {**names} == before and names["tape"] is tape
    assert tape == ["mine"] and names["table"] == {"add": 1}


def test_each_case_begins_anew(names):
    def run(names, case):
        return [*names["tape"], names["count"], names["spoil"]() and case]

    seen = run_cases(run, {"one": ("a",), "two": ("b",)}, names["spoil"], listing=("tape",))
    assert seen == {"one": ("mine", 0.0, "a"), "two": ("mine", 0.0, "b")}


def test_a_case_that_never_ends_is_the_last(names):
    seen = run_cases(
        lambda names, call: names[call](), {"loop": ("loop",), "helper": ("helper",)}, names["loop"]
    )
    assert list(seen) == ["loop"] and isinstance(seen["loop"], Crashed) and seen["loop"].never_ends


@pytest.mark.parametrize(
    ("given", "said"), [(3, "without brackets"), (print, "of your own"), (lambda: 1, "find Cell")]
)
def test_code_that_cannot_be_run_is_refused(given, said):
    with pytest.raises(Refused) as refused:
        vet_code(given, listing=("Cell",), machine="tape")
    assert said in refused.value.reason
