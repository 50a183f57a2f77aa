"""`ways_to_remember`: other good answers pass too, and what the learner has on the two lists is left as it is."""

import pytest

from autodiff_lab.lessons import ways_to_remember as check

from ..notebooks.reading import listing


def after(written):
    names = {"__name__": "__main__"}
    exec(listing("ways_to_remember"), names)
    exec(written, names)
    return names


def handed(exercise, written):
    names = after(written)
    return exercise(*(names[name] for name in exercise.takes))


@pytest.mark.parametrize(
    ("exercise", "written"),
    [
        (
            check.ex_2,
            "def by_hand(a, b):\n    x, y = Var(a), Var(b)\n    return x, y, sine(x) + times(x, y)",
        ),
        (
            check.ex_3,
            "def exponential(x):\n    y = np.exp(x.value)\n    return Un(y, x, y)\n"
            "def quotient(x, y):\n    return times(x, Un(1 / y.value, y, -1 / y.value**2))",
        ),
        (
            check.ex_1,
            "def sin_again(a):\n    return remember(np.sin(a.value), [a], lambda: [cos_again(a)])\n"
            "def cos_again(a):\n    return remember(np.cos(a.value), [a], lambda: [sin_again(a) * minus_one])\n"
            "def reciprocal(a):\n    r = remember(1 / a.value, [a], lambda: [minus_one * r * r])\n    return r\n"
            "def log_again(a):\n    return remember(np.log(a.value), [a], lambda: [reciprocal(a)])",
        ),
        (check.ex_5, "answer = ('Survives', 'CHANGES', ' changes ', 'survives', 'raises')"),
        (check.ex_4, "import numpy\nanswer = numpy.array([5, 6, 3])"),
    ],
    ids=lambda thing: getattr(thing, "name", ""),
)
def test_another_good_answer_passes(exercise, written):
    assert handed(exercise, written).passed


@pytest.mark.parametrize(
    ("exercise", "name"),
    [(check.ex_2, "tape"), (check.ex_3, "tape"), (check.ex_1, "gradient_tape")],
)
def test_the_lists_are_given_back(exercise, name):
    names = after(f"{exercise.reference}\nmine = {name}\nmine.append('mine')")
    assert exercise(*(names[each] for each in exercise.takes)).passed
    assert names[name] is names["mine"] and names[name][-1] == "mine"
    after_a_crash = after(
        f"{name}.append('mine')\ndef broken(*args):\n    global {name}\n    {name} = []\n    return 1 / 0"
    )
    reply = exercise(*[after_a_crash["broken"]] * len(exercise.takes))
    assert "ZeroDivisionError" in reply.text and after_a_crash[name][-1] == "mine"


def test_cells_of_before_do_not_disturb_a_check():
    names = after(check.ex_2.reference + "\nfor _ in range(5):\n    sine(Var(1.0))")
    assert check.ex_2(names["by_hand"]).passed


def test_a_function_from_elsewhere_is_told_what_is_missing():
    scope = {}
    exec(check.ex_2.reference, scope)
    assert "cannot find tape there" in check.ex_2(scope["by_hand"]).text


def test_rules_that_call_each_other_are_tried_as_given():
    names = after(check.ex_1.reference)
    given = [names[name] for name in check.ex_1.takes]
    unfinished = names["cos_again"] = lambda a: None
    assert check.ex_1(*given).passed
    assert names["cos_again"] is unfinished and not names["gradient_tape"]
