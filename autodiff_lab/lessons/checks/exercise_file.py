"""The exercise file of a lesson, ``exercises.toml``: the texts of its exercises, and the wrong answers they recognise.

The file begins with the lesson's `title`. Each table is one exercise. Its keys are parameters of `Exercise`,
and `choices`: the words that an answer may contain. Whatever needs code (`expected`, `observe`, `make`) is
in ``exercises.py`` in the same folder. Each ``[[ex_K.wrong]]`` is a wrong answer that has its own hint:

``answer``
    The answer, as data; or ``code``, the source text of the cell; or ``change``, its differences from
    the reference: a table of old text and new text.
``name``
    If the exercise's numbers differ between learners: the name of one of the instance's `mistakes`. Then
    the reference and the hint may contain the data, ``{x1}``; the code and the hint may contain the
    wrong answer, ``{answer}``. Data are never drawn if a mistake that is written as code would give the
    same answer as another mistake.
``seen``
    What the check then observes, if that isn't the answer itself. Of several cases, name only those that
    reveal the mistake. ``{ crashed = "ValueError", saying = "broadcast" }`` is an error in the learner's
    code (with ``theirs = false``, in the notebook's), and ``{ none = true }`` is None.
``hint``
    Where this answer comes from, without giving the right one away.
"""

import functools
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from autodiff_lab.lessons.checks.compare import choose_from, plain
from autodiff_lab.lessons.checks.exercise import Exercise
from autodiff_lab.lessons.checks.run_code import Crashed
from autodiff_lab.lessons.checks.variants import Instance, Make, Misconception, default_data


def read_exercises(
    path: Path, checks: Mapping[str, Mapping[str, Any]]
) -> tuple[str, dict[str, Exercise]]:
    """Read the exercise file of a lesson: its title, and its exercises, joined with the code of their checks.

    Parameters
    ----------
    path : Path
        The file ``exercises.toml``.
    checks : mapping
        For each exercise's name, the parameters of `Exercise` that need code: `expected`, `observe`, `make`.

    Raises
    ------
    KeyError
        If a check belongs to no exercise of the file.
    ValueError
        If an exercise cannot be built: for example, a wrong answer changes text that isn't in the
        reference exactly once, or a hint names data that don't exist. The message names the exercise.
    """
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    title = content.pop("title")
    unknown = checks.keys() - content.keys()
    if unknown:
        raise KeyError(
            f"{path.parent.name} has checks for {sorted(unknown)}, which are not in {path.name}"
        )
    exercises = {}
    for name, words in content.items():
        try:
            exercises[name] = _make_exercise(name, path.parent.name, words, checks.get(name, {}))
        except (LookupError, TypeError, ValueError) as problem:
            raise ValueError(
                f"{name} in {path.parent.name}/{path.name}: {type(problem).__name__}, {problem}"
            ) from problem
    return title, exercises


def _make_exercise(
    name: str, lesson: str, words: dict[str, Any], check: Mapping[str, Any]
) -> Exercise:
    wrong = words.pop("wrong", [])
    choices = words.pop("choices", ())
    values = {key: _to_plain(value) for key, value in words.items()} | dict(check)
    if choices:
        values["observe"] = choose_from(*choices)
    reference = values.get("reference", "")
    observe = values.get("observe", plain)
    if "make" in values:
        values["make"] = _explain_mistakes(values["make"], wrong, reference, observe)
    else:
        values["misconceptions"] = tuple(
            _read_misconception(entry, reference, observe) for entry in wrong
        )
    return Exercise(name, lesson=lesson, **values)


def _read_misconception(
    entry: dict[str, Any], reference: str, observe: Callable[..., Any]
) -> Misconception:
    if "answer" in entry:
        answer = _to_plain(entry["answer"])
        return Misconception(f"answer = {plain(answer)!r}", observe(answer), entry["hint"])
    return Misconception(_write_code(entry, reference), _to_plain(entry.get("seen")), entry["hint"])


def _write_code(entry: dict[str, Any], reference: str) -> str:
    """Return the source text of a wrong answer."""
    code = entry.get("code", reference)
    for old, new in entry.get("change", {}).items():
        if code.count(old) != 1:
            raise ValueError(
                f"{old!r} must be in the reference exactly once, and is there {code.count(old)} times"
            )
        code = code.replace(old, new)
    return code


def _explain_mistakes(
    make: Make, wrong: list[dict[str, Any]], reference: str, observe: Callable[..., Any]
) -> Make:
    """Wrap `make`, so that each mistake of an instance gets its hint from the file."""
    entries = {entry["name"]: entry for entry in wrong}

    @functools.wraps(make)
    def make_explained(**data: Any) -> Instance:
        instance = make(**data)
        given = {**default_data(make), **data, **instance.words}
        worked = reference.format(**given) or instance.reference
        explained = {}
        for name, answer in instance.mistakes.items():
            entry = entries[name]
            hint = entry["hint"].format(answer=answer, **given)
            if "code" in entry or "change" in entry:
                written = _write_code(entry, worked).replace("{answer}", str(answer))
                explained[written] = Misconception(written, answer, hint)
                continue
            seen = observe(answer)
            if seen != instance.expected:
                explained[seen] = Misconception(f"answer = {plain(answer)!r}", seen, hint)
        return replace(instance, reference=worked, misconceptions=tuple(explained.values()))

    return make_explained


def _to_plain(value: Any) -> Any:
    """Turn a TOML value into plain data: arrays become tuples, and two special tables None and a `Crashed`."""
    if isinstance(value, list):
        return tuple(_to_plain(x) for x in value)
    if not isinstance(value, dict):
        return value
    if value == {"none": True}:
        return None
    if "crashed" in value:
        return Crashed(
            value["crashed"], value.get("saying", ""), is_theirs=value.get("theirs", True)
        )
    return {key: _to_plain(x) for key, x in value.items()}
