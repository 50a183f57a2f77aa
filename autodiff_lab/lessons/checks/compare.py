"""Compare a learner's answer with the right one: as plain data, to six digits, spaces ignored."""

import functools
import math
import numbers
import reprlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff_lab.lessons.checks.run_code import Crashed

# Relative errors: of a correct answer, and of one that is given with too few digits.
SIX_DIGITS = 1e-6
ROUNDED = 1e-2
# Arrays with more elements aren't turned into tuples.
_MAX_ELEMENTS = 1000
# Characters of a description that a learner reads.
_LONGEST = 120


class Finding(str):
    """A sentence that a check returns as its result; compared and quoted unchanged, unlike a learner's own text."""


@dataclass
class Refused(Exception):
    """An answer that cannot be compared with the right one, for a `reason` that is a full sentence."""

    reason: str


def plain(answer: Any) -> Any:
    """Turn an answer into plain data to compare: Variables and NumPy scalars to floats, lists and arrays to tuples.

    >>> plain([np.float64(5.5), 2])
    (5.5, 2.0)
    >>> plain(True)
    True
    """
    if answer is None or isinstance(answer, bool | str | Crashed | Refused):
        return answer
    if isinstance(answer, np.bool_):
        return bool(answer)
    if isinstance(answer, numbers.Real):
        return float(answer)
    if isinstance(answer, list | tuple):
        return tuple(plain(part) for part in answer)
    if isinstance(answer, dict):
        return {key: plain(part) for key, part in answer.items()}
    if isinstance(answer, np.ndarray):
        return plain(answer.tolist()) if answer.size <= _MAX_ELEMENTS else answer
    # A Variable, of the learner's class or of ours.
    if isinstance(getattr(answer, "value", None), numbers.Real):
        return float(answer.value)
    return answer


def in_small_letters(answer: Any, *options: str) -> Any:
    """Turn the words of an answer into bare lower case, so that they can be compared.

    With `options`, any other word is refused.

    >>> in_small_letters([1, "(B) "]), in_small_letters(["Forward", "either"], "forward", "reverse", "either")
    ((1.0, 'b'), ('forward', 'either'))
    >>> in_small_letters(["both"], "forward", "reverse", "either")
    Refused(reason="'both' is none of forward, reverse, either.")
    """
    seen = plain(answer)
    if not isinstance(seen, tuple):
        return seen
    small: list[Any] = []
    for part in seen:
        if not isinstance(part, str):
            small.append(part)
            continue
        word = part.strip(" .()").lower()
        if options and word not in options:
            return Refused(f"{reprlib.repr(word)} is none of {', '.join(options)}.")
        small.append(word)
    return tuple(small)


def choose_from(*options: str) -> Callable[[Any], Any]:
    """Return the `observe` of a multiple-choice exercise: it refuses all words but these.

    >>> choose_from("forward", "reverse")(["Forward", "(reverse)"])
    ('forward', 'reverse')
    """
    return lambda answer: in_small_letters(answer, *options)


def agrees(seen: Any, wanted: Any, tolerance: float = SIX_DIGITS) -> bool:
    """Whether an answer agrees with the right one.

    If the right one is a dictionary, the answer may have more keys.

    >>> agrees((5.5, 1.7163378), (5.5, 1.7163378145367738)), agrees((5.5, 1.7), (5.5, 1.7163378145367738))
    (True, False)
    >>> agrees("v1 = log( v-1 )", "v1 = log(v-1)")
    True
    """
    if isinstance(wanted, Crashed):
        return isinstance(seen, Crashed) and _is_same_crash(seen, wanted)
    if wanted is None or isinstance(wanted, bool):
        return seen is wanted
    if isinstance(wanted, str):
        return isinstance(seen, str) and "".join(seen.split()) == "".join(wanted.split())
    if isinstance(wanted, dict):
        return isinstance(seen, dict) and all(
            key in seen and agrees(seen[key], part, tolerance) for key, part in wanted.items()
        )
    if isinstance(wanted, list | tuple):
        return _holds_throughout(functools.partial(agrees, tolerance=tolerance), seen, wanted)
    if isinstance(seen, bool) or not isinstance(seen, numbers.Real):
        return False
    return math.isclose(seen, wanted, rel_tol=tolerance, abs_tol=1e-12)


def _is_same_crash(seen: Crashed, wanted: Crashed) -> bool:
    """Whether a learner's code raised the wanted error, and in the notebook's own line if it must."""
    if seen.kind != wanted.kind or wanted.message not in seen.message:
        return False
    return wanted.is_theirs or not seen.is_theirs


def _holds_throughout(alike: Callable[[Any, Any], bool], seen: Any, wanted: Sequence[Any]) -> bool:
    """Whether this is a sequence of the same length, each part of which is like the wanted one."""
    return (
        isinstance(seen, list | tuple)
        and len(seen) == len(wanted)
        and all(map(alike, seen, wanted))
    )


def is_rounded(seen: Any, wanted: Any) -> bool:
    """Whether a number in an answer agrees with the right one, but is given with too few digits."""
    close = agrees(seen, wanted, ROUNDED) or is_shortened(seen, wanted)
    return close and any(isinstance(part, float) for part in _leaves(wanted))


def digits_within(tolerance: float) -> int:
    """Return how many digits a number needs to be right within this relative error.

    >>> digits_within(1e-6), digits_within(5e-4)
    (7, 4)
    """
    return math.ceil(math.log10(5 / tolerance) - 1e-9)


def is_shortened(seen: Any, wanted: Any) -> bool:
    """Whether an answer is the wanted one, written with fewer digits.

    >>> is_shortened((31.55, "a"), (31.547867, "a")), is_shortened((31.55, 2.0), (31.547867, 3.0))
    (True, False)
    >>> is_shortened(3.0, 3.1)
    False
    """
    if isinstance(wanted, list | tuple):
        return _holds_throughout(is_shortened, seen, wanted)
    if agrees(seen, wanted):
        return True
    if (
        not isinstance(seen, float)
        or isinstance(wanted, bool)
        or not isinstance(wanted, numbers.Real)
    ):
        return False
    digits = len(repr(seen).partition(".")[2])
    return digits > 1 and round(float(wanted), digits) == seen


def has_form_of(seen: Any, wanted: Any) -> bool:
    """Return whether an answer has the same structure as the correct one, with any values.

    A number may replace None, and None a number.

    >>> has_form_of((1.0, "no"), (2.0, "yes")), has_form_of((None, 1.0), (6.0, None))
    (True, True)
    >>> has_form_of(1.0, (1.0, 2.0)), has_form_of("5", 5.0)
    (False, False)
    """
    if isinstance(wanted, list | tuple):
        return _holds_throughout(has_form_of, seen, wanted)
    for kind in (bool, str, numbers.Real | None):
        if isinstance(wanted, kind):
            return isinstance(seen, kind)
    return False


_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")


def first_difference(seen: Any, wanted: Any, tolerance: float = SIX_DIGITS) -> str:
    """Describe in a sentence where an answer of the right form first differs from the right one.

    >>> first_difference((1.0, 2.0, 4.0), (1.0, 2.0, 3.0)), first_difference(2.0, 3.0)
    ('Of the 3, only the third is not right.', 'That is not it.')
    >>> first_difference((1.0, 5.0, 4.0), (1.0, 2.0, 3.0))
    'Of the 3, the second is the first that is not right.'
    >>> first_difference((2.0, 3.0), (1.0, 2.0)), first_difference((5.0, 2.0, 4.0), (1.0, 2.0, 3.0))
    ('Of the 2, neither is right.', 'Of the 3, the first is not right, and it is not the only one.')
    >>> first_difference((2.0, 1.0), (1.0, 2.0))
    'The numbers are right, but their order is not.'
    """
    if not isinstance(wanted, list | tuple):
        return "That is not it."
    wrong = [
        k for k, (s, w) in enumerate(zip(seen, wanted, strict=True)) if not agrees(s, w, tolerance)
    ]
    if not wrong or wrong[0] >= len(_PLACES):
        return "That is not it."
    of, place = f"Of the {len(wanted)}", _PLACES[wrong[0]]
    if len(wrong) == 1:
        return f"{of}, only the {place} is not right."
    only_numbers = all(
        isinstance(x, numbers.Real) and not isinstance(x, bool) for x in (*seen, *wanted)
    )
    if only_numbers and agrees(sorted(seen), sorted(wanted), tolerance):
        return "The numbers are right, but their order is not."
    if len(wrong) == len(wanted):
        return f"{of}, {'neither' if len(wanted) == 2 else 'none'} is right."
    if wrong[0] == 0:
        return f"{of}, the first is not right, and it is not the only one."
    return f"{of}, the {place} is the first that is not right."


def disagreement(
    seen: Any, wanted: dict[str, Any], cases: str = "", tolerance: float = SIX_DIGITS
) -> str:
    """Describe in a sentence the first of several cases whose result is wrong, and where it differs.

    >>> rows = tuple((x, 0.0, 0.0, 0.0, 0.0) for x in range(9))
    >>> disagreement({"of f": (rows, rows)}, {"of f": (rows, rows[::-1])})
    'In the case of f at [1][0] I expect (8, 0, 0, 0, 0), and you get (0, 0, 0, 0, 0).'
    >>> disagreement({"√4": 2.00000001}, {"√4": 2.0}, tolerance=1e-9)
    'In the case √4 I expect 2.0, and you get 2.00000001.'
    """
    for case, value in wanted.items():
        found = seen.get(case) if isinstance(seen, dict) else seen
        if isinstance(found, Crashed) and not agrees(found, value, tolerance):
            return f"In the case {case}: {found.sentence()}"
        if not agrees(found, value, tolerance):
            found, value, place = _find_visible_difference(found, value, tolerance)
            case += place
            if isinstance(value, str) and isinstance(found, str):
                return f"In the case {case} I expect “{value}”, and I see “{found[:_LONGEST]}”. {cases}".rstrip()
            is_described = isinstance(found, str)  # by `summarize`
            came_out = found[:_LONGEST] if is_described else describe(found)
            wanted_one = f"“{value}”" if isinstance(value, str) else describe(value)
            # They differ beyond the sixth digit, so six digits don't show it.
            if came_out == wanted_one and isinstance(found, float):
                wanted_one, came_out = repr(float(value)), repr(found)
            return f"In the case {case} I expect {wanted_one}, and you get {came_out}. {cases}".rstrip()
    return "Something is different, but I cannot say what."


def _find_visible_difference(seen: Any, wanted: Any, tolerance: float) -> tuple[Any, Any, str]:
    """Descend into two things whose descriptions are the same until the difference shows.

    Returns the two differing parts and where they are: `` at [1][0]``.
    """
    place = ""
    while (
        has_form_of(seen, wanted)
        and isinstance(wanted, list | tuple)
        and describe(seen) == describe(wanted)
    ):
        differs = [not agrees(s, w, tolerance) for s, w in zip(seen, wanted, strict=True)]
        k = differs.index(True)
        seen, wanted, place = seen[k], wanted[k], f"{place}[{k}]"
    return seen, wanted, place and f" at {place}"


def split_parts(found: Mapping[str, Any], label: str, parts: Sequence[str]) -> dict[str, Any]:
    """Split the result of each case into parts, so that they are compared one by one.

    A result that doesn't have these parts, such as an error, is repeated for each of them.

    >>> split_parts({"x * y": (2.0, 3.0), "x / 0": None}, "{}, the slope in {}", "xy")  # doctest: +ELLIPSIS
    {'x * y, the slope in x': 2.0, 'x * y, the slope in y': 3.0, 'x / 0, the slope in x': None, ...}
    """
    split: dict[str, Any] = {}
    for case, result in found.items():
        has_parts = isinstance(result, tuple) and len(result) == len(parts)
        each = result if has_parts else [result for _ in parts]
        split |= {label.format(case, part): x for part, x in zip(parts, each, strict=True)}
    return split


def describe(thing: Any) -> str:
    """Describe any object in a few words, without its address in memory.

    >>> describe((5.0, 1.7163378145367738)), describe("x"), describe(None), describe(print), describe([])
    ('(5, 1.71634)', "the text 'x'", 'None', 'the function print', 'an empty list')
    >>> describe(np.zeros((30, 40))), describe({"x": 1}), describe(1j)
    ('an array of shape (30, 40)', "a dictionary with the keys 'x'", 'the complex number 1j')
    """
    if thing is None or isinstance(thing, bool | Finding):
        return str(thing)
    if isinstance(thing, str):
        return f"the text {reprlib.repr(thing)}"
    if isinstance(thing, numbers.Real):
        return _real(thing)
    if isinstance(thing, complex | np.complexfloating):
        return f"the complex number {complex(thing)}"
    if isinstance(thing, list | tuple | dict):
        if not thing:
            return f"an empty {_kind(thing)}"
        text = _parts(thing)
        return text if len(text) <= _LONGEST else f"a {_kind(thing)} of {len(thing)} things"
    if isinstance(thing, np.ndarray):
        return f"an array of shape {thing.shape}"
    if isinstance(thing, type):
        return f"the class {_short(thing.__name__)}"
    name = getattr(thing, "__name__", None)
    if callable(thing) and isinstance(name, str):
        return f"the function {_short(name)}"
    if isinstance(thing, Crashed):
        return thing.kind
    return f"an object of type {_short(type(thing).__name__)}"


def summarize(found: Any) -> Any:
    """Turn the result of a learner's code into plain data, or into a description of anything else.

    >>> summarize(np.float64(2.0)), summarize(None), summarize(object())
    (2.0, None, 'an object of type object')
    """
    data = plain(found)
    if data is None or isinstance(data, bool | float | tuple | Crashed | Finding):
        return data
    return describe(data)


def _kind(thing: Any) -> str:
    if isinstance(thing, dict):
        return "dictionary"
    return "list" if isinstance(thing, list) else "tuple"


def _short(name: str) -> str:
    return name if len(name) <= 40 else f"{name[:39]}…"


def _real(x: Any) -> str:
    try:
        return f"{float(x):.6g}"
    except OverflowError:
        return "a number too large for a float"


def _parts(thing: list | tuple | dict) -> str:
    shown = ", ".join(map(_part, list(thing)[:8]))
    more = ", …" if len(thing) > 8 else ""
    if isinstance(thing, dict):
        return f"a dictionary with the keys {shown}{more}"
    if len(thing) == 1:
        return f"({shown},)"
    return f"({shown}{more})"


def _part(part: Any) -> str:
    is_their_text = isinstance(part, str) and not isinstance(part, Finding)
    return reprlib.repr(part) if is_their_text else describe(part)


def _leaves(thing: Any) -> Iterator[Any]:
    if isinstance(thing, list | tuple):
        for part in thing:
            yield from _leaves(part)
    else:
        yield thing
