"""BroadcastLens: what NumPy copied on the way forward is added on the way back, and what it added is copied."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_lab.text.notation import atom, number
from autodiff_lab.widgets.labs.broadcast_lens.flow import AXES, OVER_AXES, PROGRAMS, SHAPES, Flow, Refused, run_flow
from autodiff_lab.widgets.labs.broadcast_lens.picture import MOST_TERMS, draw
from autodiff_lab.widgets.labs.lab import Button, Choice, Play, SteppedLab, Toggle
from autodiff_lab.widgets.labs.phrases import count_times
from autodiff_lab.widgets.labs.table import Grid, grid


class BroadcastLens(SteppedLab):
    """A lab on broadcasting: one entry after the other, its copies, and what they send back to it.

    >>> lab = BroadcastLens()
    >>> lab.sentence()
    'B has shape (3,) and is read as (2, 3): each entry is used twice. Which shape has its gradient?'
    >>> for _ in range(2):
    ...     lab.press("next")
    >>> lab.sentence()
    'B[1] was used twice: 4.4 + 10.4 = 14.8.'
    >>> lab.set(wrong=True)
    >>> lab.snapshot()["gradient_shape"], lab.snapshot()["fits"]
    ([2, 3], False)
    """

    title = "BroadcastLens"
    about = "Say which shape comes back, and which numbers; then press Next entry."
    controls = (
        Button("next", "Next entry"),
        Choice("b", "shape of B", tuple(SHAPES), "(3,)"),
        Choice("a", "shape of A", tuple(SHAPES), "(2, 3)"),
        Choice("operand", "gradient of", ("B", "A")),
        Choice("program", "program", PROGRAMS),
        Toggle("wrong", "wrong rule: leave the shapes alone"),
        Choice("axes", "axes of the sum", tuple(AXES), more=True),
        Play("next", 1200, more=True),
        Button("back", "Back", more=True),
        Button("begin", "Begin again", more=True),
    )

    @property
    def flow(self) -> Flow | None:
        """The run and its sweep; None if NumPy cannot do it."""
        found = self._found()
        return None if isinstance(found, str) else found

    def _found(self) -> Flow | str:
        try:
            return run_flow(self.program, SHAPES[self.a], SHAPES[self.b], AXES[self.axes], self.operand, self.wrong)
        except Refused as refusal:
            return str(refusal)

    @property
    def length(self) -> int:
        """How many entries have a turn."""
        return self.flow.small.size if self.flow else 0

    def snapshot(self) -> dict[str, Any]:
        """The settings, and if NumPy can do it: values, what belongs where, what comes back, and what it adds up to."""
        settings = {**self.settings, "over_axes": self.program == OVER_AXES, "asked": self.operand}
        found = self._found()
        if isinstance(found, str):
            return {**settings, "refused": found, "step": 0}
        entry = max(self.done - 1, 0)
        return {
            **settings,
            "refused": "",
            "step": self.done,
            "entry": entry,
            "name": _entry_name(found, entry),
            "operand": found.operand,
            "copies": found.copies,
            "small": found.small.tolist(),
            "large": found.large.tolist(),
            "places": found.places(entry),
            "landed": found.places_back(entry),
            "terms": [float(x) for x in np.ravel(found.large_back)[found.places(entry)]],
            "sent": float(np.ravel(found.small_back)[entry]),
            "gradient": found.gradient.tolist(),
            "gradient_shape": list(found.gradient.shape),
            "operand_shape": list(found.truth.shape),
            "truth": found.truth.tolist(),
            "fits": found.fits,
            "is_right": found.right,
        }

    def sentence(self) -> str:
        """What this turn does, and after the last one what came out."""
        snap, found = self.snapshot(), self.flow
        if found is None:
            return snap["refused"]
        said = _describe_opening(found) if not snap["step"] else _describe_turn(snap, found)
        return f"{said} {_describe_verdict(snap, found)}" if snap["step"] == found.small.size else said

    def table(self) -> Grid | None:
        """Every entry of the small array, where it is used, and what it has to do on the way back."""
        found = self.flow
        if found is None:
            return None
        rows = []
        for entry, value in enumerate(np.ravel(found.small)):
            parts = np.ravel(found.large_back)[found.places(entry)]
            brought = np.ravel(found.small_back)[entry] if found.lands is not None else "nobody adds"
            back = _list_places(found, found.places_back(entry))
            over = (_list_terms(parts), brought) if found.copies else (number(brought), back)
            rows.append((_entry_name(found, entry), float(value), _list_places(found, found.places(entry)), *over))
        if found.copies:
            heads = ("entry", "value", "is used at", "its copies get back", "together")
        else:
            heads = ("entry", "value", "is the sum of", "gets back", "sends it to")
        shapes = f"{_small(found)} of shape {found.small.shape}, beside {found.large.shape}"
        return grid(f"{self.program}: {shapes}", heads, rows)

    def picture(self) -> str:
        """The two arrays twice: on the way forward, and below it on the way back."""
        return draw(self.snapshot(), self.flow)


def _small(found: Flow) -> str:
    return found.operand if found.copies else "S"


def _entry_name(found: Flow, entry: int) -> str:
    return _write_entry(_small(found), entry, found.small.shape)


def _write_entry(name: str, entry: int, shape: tuple[int, ...]) -> str:
    """An entry as Python writes it: ``B[0, 2]``; the only entry of a number has no index."""
    index = ", ".join(str(int(i)) for i in np.unravel_index(entry, shape)) if shape else ""
    return f"{name}[{index}]" if index else name


def _list_places(found: Flow, places: list[int]) -> str:
    """Places of the large array, as indices."""
    shown = [_write_entry("", i, found.large.shape) or "the only place" for i in places[:MOST_TERMS]]
    return ", ".join([*shown, *(["…"] if len(places) > MOST_TERMS else [])])


def _list_terms(parts: Any) -> str:
    shown = [number(x) for x in parts[:MOST_TERMS]]
    return ", ".join([*shown, *(["…"] if len(parts) > MOST_TERMS else [])])


def _describe_opening(found: Flow) -> str:
    uses = len(found.places(0))
    if found.copies:
        small, large = found.small.shape, found.large.shape
        each = "its number" if found.small.size == 1 else "each entry"
        if uses == 1:
            return f"{found.operand} has shape {small} and nothing is copied: {each} is used once."
        return (
            f"{found.operand} has shape {small} and is read as {large}: {each} is used {count_times(uses)}. Which "
            "shape has its gradient?"
        )
    return (
        f"A has shape {found.large.shape}. Each entry of the sum S, of shape {found.small.shape}, is made of {uses} "
        "of its numbers. Which numbers of A get what S gets?"
    )


def _describe_turn(snap: dict[str, Any], found: Flow) -> str:
    name, used = snap["name"], f"was used {count_times(len(snap['terms']))}"
    if not found.copies:
        there = f"{name} holds {number(snap['sent'])} and sends it to {_list_places(found, snap['landed'])}"
        if snap["landed"] == snap["places"]:
            return f"{there}, the places that it was added up from."
        return f"{there}. But it was added up from {_list_places(found, snap['places'])}."
    if found.lands is None:
        return f"{name} {used}. Its copies get {_list_terms(snap['terms'])}, and nobody adds."
    if len(snap["terms"]) == 1:
        return f"{name} {used}, and gets {number(snap['sent'])} from there."
    total = " + ".join(atom(number(x)) for x in snap["terms"][:MOST_TERMS])
    more = " + …" if len(snap["terms"]) > MOST_TERMS else ""
    return f"{name} {used}: {total}{more} = {number(snap['sent'])}."


def _describe_verdict(snap: dict[str, Any], found: Flow) -> str:
    shapes = f"The gradient has shape {found.gradient.shape}"
    same = f"{shapes}, as {found.operand} has"
    if not snap["fits"]:
        return (
            f"{shapes}, and {found.operand} has {found.truth.shape}. {found.operand} − 0.1 · gradient would turn it "
            f"into a {found.gradient.shape} array, and NumPy would say nothing."
        )
    if not snap["is_right"]:
        return f"{same}, and the numbers are wrong. A look at the shape does not find that."
    if snap["wrong"]:
        return f"{same}, and the numbers are right: with these shapes the fault does not show."
    return f"{same}."
