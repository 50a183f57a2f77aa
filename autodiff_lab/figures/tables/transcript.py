"""Transcripts: a whole run in words, as one numbered sentence for each step, under the headings of the phases."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, groupby
from operator import itemgetter

from autodiff_lab.text.grid import markdown_text
from autodiff_lab.text.messages import message, plural_message
from autodiff_lab.text.notation import display_width
from autodiff_lab.trace.execution_counts import NOT_KNOWN
from autodiff_lab.trace.model import Source, Trace


@dataclass(frozen=True)
class Section:
    """A section of a transcript: a phase of the run, with the number of each step and its sentence."""

    heading: str
    steps: tuple[tuple[int, str], ...]


@dataclass(frozen=True, repr=False)
class Transcript:
    """The transcript of a run: all of its sentences. `print` shows plain text, and a notebook shows Markdown.

    Attributes
    ----------
    title : str
        The call that was recorded.
    remarks : tuple of str
        A warning if the run is unusual or its engine is faulty, and a note on the lines of the source that didn't run
        or ran several times.
    opening : str
        The sentence before the first step.
    sections : tuple of Section
    """

    title: str
    remarks: tuple[str, ...]
    opening: str
    sections: tuple[Section, ...]

    def text(self) -> str:
        """Return the transcript as plain text."""
        lines = [self.title, "═" * display_width(self.title), *self._remarks()]
        last = max((number for section in self.sections for number, _ in section.steps), default=0)
        width = len(str(last))
        for section in self.sections:
            lines += ["", section.heading, "─" * display_width(section.heading)]
            lines += [f"{number:>{width}}. {sentence}" for number, sentence in section.steps]
        return "\n".join(lines)

    def markdown(self) -> str:
        """Return the transcript as Markdown; the numbers continue from phase to phase."""
        lines = [f"## {markdown_text(self.title)}"]
        for remark in self._remarks():
            lines += ["", markdown_text(remark)]
        for section in self.sections:
            lines += ["", f"### {markdown_text(section.heading)}", ""]
            lines += [f"{number}. {markdown_text(sentence)}" for number, sentence in section.steps]
        return "\n".join(lines)

    def _remarks(self) -> tuple[str, ...]:
        """The remarks before the first step; for a run without steps, the opening as well."""
        return self.remarks if self.sections else (*self.remarks, self.opening)

    __str__ = __repr__ = text
    _repr_markdown_ = markdown


def transcript(trace: Trace) -> Transcript:
    """Write the transcript of a run: the sentence of every step, under its phase.

    >>> print(transcript(Trace.of(lambda x: x * x, 3.0)))
    lambda x
    ════════
    <BLANKLINE>
    Recording
    ─────────
    1. The input x is 3.
    2. y = x · x = 3 · 3 = 9.
    <BLANKLINE>
    Seed
    ────
    3. Start the sweep: y is the result, so its adjoint is 1.
    <BLANKLINE>
    Reverse sweep
    ─────────────
    4. y = x · x sends 1 · 3 = 3 to x; x now holds 3. x is also used in another place of y: one more contribution ...
    5. y = x · x sends 1 · 3 = 3 to x; x now holds 3 + 3 = 6.
    """
    sections = []
    for phase, steps in groupby(enumerate(trace.steps, 1), key=lambda numbered: numbered[1].phase):
        heading = message(f"phase.{phase}")
        heading = heading[:1].upper() + heading[1:]
        sentences = tuple((number, step.sentence) for number, step in steps)
        sections.append(Section(heading, sentences))
    remarks = (trace.warning, trace.note, *_describe_counts(trace.sources))
    shown = tuple(remark for remark in remarks if remark)
    return Transcript(trace.title, shown, trace.opening, tuple(sections))


def _describe_counts(sources: Sequence[Source]) -> list[str]:
    """For each source of the run, describe which lines didn't run and which ran several times."""
    notes = []
    for source in sources:
        parts = []
        rows_with_counts = zip(source.ran, count(source.first_line), strict=False)
        for n, neighbours in groupby(rows_with_counts, key=itemgetter(0)):
            if n in (NOT_KNOWN, 1):
                continue
            rows = [row for _, row in neighbours]
            key = "line ran" if n else "line missed"
            parts.append(plural_message(key, len(rows), line=rows[0], last=rows[-1], n=n))
        if parts:
            ways = message("semicolon").join(parts)
            notes.append(message("the way of", name=source.name, ways=ways))
    return notes
