"""Observations: a check's record of an answer, encoded as JSON that leaves the sandbox and is judged outside."""

import json
import numbers
from dataclasses import astuple
from typing import Any

from autodiff_lab.lessons.checks.compare import Refused, describe
from autodiff_lab.lessons.checks.run_code import Crashed

# The most characters of JSON; correct answers have far fewer.
MAX_CHARACTERS = 50_000
KINDS = {"Crashed": Crashed, "Refused": Refused}


def encode_observation(observed: tuple[Any, ...]) -> str:
    """Encode an observation of an answer as JSON; an object that isn't plain data becomes its description.

    >>> encode_observation(((5.5, None, Crashed("ValueError", "no")), {"a": print}))
    '[[5.5, null, {"Crashed": ["ValueError", "no", "", true]}], {"a": "the function print"}]'
    """
    try:
        written = json.dumps(observed, default=_encode)
    except Exception as problem:  # nested too deeply, or an object with methods that raise
        written = json.dumps([type(problem).__name__])
    return written if len(written) <= MAX_CHARACTERS else '["longer than a correct answer"]'


def _encode(thing: Any) -> Any:
    if isinstance(thing, Crashed | Refused):
        return {type(thing).__name__: astuple(thing)}
    return float(thing) if isinstance(thing, numbers.Real) else describe(thing)


def decode_observation(written: str) -> list[Any]:
    """Decode an observation from JSON that `encode_observation` wrote; other text may raise anything.

    >>> decode_observation('[[5.5, {"Refused": ["It is no function."]}]]')
    [[5.5, Refused(reason='It is no function.')]]
    """
    return json.loads(written[:MAX_CHARACTERS], object_hook=_decode)


def _decode(data: dict[str, Any]) -> Any:
    if len(data) != 1:
        return data
    [(name, fields)] = data.items()
    kind = KINDS.get(name)
    return kind(*fields) if kind else data
