"""BroadcastLens: what NumPy copied on the way forward is added on the way back, and what it added is copied."""

from __future__ import annotations

from typing import Any

from autodiff_lab.text.notation import atom, number
from autodiff_lab.widgets.labs.broadcast_lens.flow import AXES, PROGRAMS, SHAPES, Flow, Refused, list_some, run_flow
from autodiff_lab.widgets.labs.broadcast_lens.picture import draw
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
    def flow(self) -> Flow | str:
        """The run and its sweep; or why NumPy cannot do it."""
        try:
            return run_flow(self.program, SHAPES[self.a], SHAPES[self.b], AXES[self.axes], self.operand, self.wrong)
        except Refused as refusal:
            return str(refusal)

    @property
    def length(self) -> int:
        """How many entries have a turn."""
        found = self.flow
        return 0 if isinstance(found, str) else found.small.size

    def snapshot(self) -> dict[str, Any]:
        """The settings, how many entries had their turn, and if NumPy can do it, the gradient."""
        found = self.flow
        if isinstance(found, str):
            return {**self.settings, "step": self.done, "refused": found}
        return {
            **self.settings,
            "step": self.done,
            "refused": "",
            "operand": found.operand,
            "gradient": found.gradient.tolist(),
            "gradient_shape": list(found.gradient.shape),
            "operand_shape": list(found.truth.shape),
            "truth": found.truth.tolist(),
            "fits": found.fits,
            "is_right": found.right,
        }

    def sentence(self) -> str:
        """What this turn does, and after the last one what came out."""
        found = self.flow
        if isinstance(found, str):
            return found
        said = _describe_turn(found, self.done - 1) if self.done else _describe_opening(found)
        return f"{said} {_describe_verdict(found, self.wrong)}" if self.done == self.length else said

    def table(self) -> Grid | None:
        """Every entry of the small array, where it is used, and what it has to do on the way back."""
        found = self.flow
        if isinstance(found, str):
            return None
        rows = []
        for entry, value in enumerate(found.small.flat):
            if found.copies:
                together = "nobody adds" if found.lands is None else found.sent(entry)
                back = (_write_numbers(found.list_terms(entry)), together)
            else:
                back = (number(found.sent(entry)), found.write_places(found.places_back(entry)))
            rows.append((found.name_entry(entry), value, found.write_places(found.places(entry)), *back))
        if found.copies:
            heads = ("entry", "value", "is used at", "its copies get back", "together")
        else:
            heads = ("entry", "value", "is the sum of", "gets back", "sends it to")
        shapes = f"{found.small_name} of shape {found.small.shape}, beside {found.large.shape}"
        return grid(f"{self.program}: {shapes}", heads, rows)

    def picture(self) -> str:
        """The two arrays twice: on the way forward, and below it on the way back."""
        return draw(self.settings, self.flow, self.done)


def _write_numbers(numbers: list[float]) -> str:
    return list_some([number(x) for x in numbers])


def _describe_opening(found: Flow) -> str:
    uses = len(found.list_terms(0))
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


def _describe_turn(found: Flow, entry: int) -> str:
    name, sent, terms = found.name_entry(entry), number(found.sent(entry)), found.list_terms(entry)
    if not found.copies:
        places, landed = found.places(entry), found.places_back(entry)
        there = f"{name} holds {sent} and sends it to {found.write_places(landed)}"
        if landed == places:
            return f"{there}, the places that it was added up from."
        return f"{there}. But it was added up from {found.write_places(places)}."
    used = f"{name} was used {count_times(len(terms))}"
    if found.lands is None:
        return f"{used}. Its copies get {_write_numbers(terms)}, and nobody adds."
    if len(terms) == 1:
        return f"{used}, and gets {sent} from there."
    return f"{used}: {list_some([atom(number(x)) for x in terms], ' + ')} = {sent}."


def _describe_verdict(found: Flow, wrong: bool) -> str:
    shapes = f"The gradient has shape {found.gradient.shape}"
    same = f"{shapes}, as {found.operand} has"
    if not found.fits:
        return (
            f"{shapes}, and {found.operand} has {found.truth.shape}. {found.operand} − 0.1 · gradient would turn it "
            f"into a {found.gradient.shape} array, and NumPy would say nothing."
        )
    if not found.right:
        return f"{same}, and the numbers are wrong. A look at the shape does not find that."
    if wrong:
        return f"{same}, and the numbers are right: with these shapes the fault does not show."
    return f"{same}."
