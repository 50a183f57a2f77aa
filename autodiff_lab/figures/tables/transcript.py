"""Transcripts: the whole run in words, every sentence, numbered, under the phase that it belongs to."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, groupby
from operator import itemgetter

from autodiff_lab.text.grid import markdown_text
from autodiff_lab.text.messages import message, plural_message
from autodiff_lab.text.notation import display_width
from autodiff_lab.trace.model import Source, Trace


@dataclass(frozen=True)
class Section:
    """A section of a transcript: a phase of the run, with the number of each step and its sentence."""

    heading: str
    steps: tuple[tuple[int, str], ...]


@dataclass(frozen=True, repr=False)
class Transcript:
    """The transcript of a run: all of its sentences. `print` shows it as text, a notebook as Markdown.

    Attributes
    ----------
    title : str
        What is run.
    remarks : tuple of str
        What is unusual about this run; of a faulty engine, that it is one. Which lines did not run, or several times.
    opening : str
        What is said before the first step.
    sections : tuple of Section
    """

    title: str
    remarks: tuple[str, ...]
    opening: str
    sections: tuple[Section, ...]

    def text(self) -> str:
        """Give the transcript as plain text."""
        lines = [self.title, "═" * display_width(self.title), *self._remarks()]
        last = max((number for section in self.sections for number, _ in section.steps), default=0)
        for section in self.sections:
            lines += ["", section.heading, "─" * display_width(section.heading)]
            lines += [
                f"{number:>{len(str(last))}}. {sentence}" for number, sentence in section.steps
            ]
        return "\n".join(lines)

    def markdown(self) -> str:
        """Give the transcript as Markdown; the numbers go on from phase to phase."""
        lines = [f"## {markdown_text(self.title)}"]
        for remark in self._remarks():
            lines += ["", markdown_text(remark)]
        for section in self.sections:
            lines += ["", f"### {markdown_text(section.heading)}", ""]
            lines += [f"{number}. {markdown_text(sentence)}" for number, sentence in section.steps]
        return "\n".join(lines)

    def _remarks(self) -> tuple[str, ...]:
        """What is said before the first step; a run without steps has nothing but its opening."""
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
        sections.append(
            Section(
                heading[:1].upper() + heading[1:], tuple((n, step.sentence) for n, step in steps)
            )
        )
    remarks = tuple(
        remark for remark in (trace.warning, trace.note, *_way_notes(trace.sources)) if remark
    )
    return Transcript(trace.title, remarks, trace.opening, tuple(sections))


def _way_notes(sources: Sequence[Source]) -> list[str]:
    """Explain in a remark on each source which of its lines did not run, and which ran several times."""
    notes = []
    for source in sources:
        said = []
        for n, stretch in groupby(
            zip(source.ran, count(source.first_line), strict=False), key=itemgetter(0)
        ):
            rows = [row for _, row in stretch]
            if n not in (-1, 1):
                key = "line ran" if n else "line missed"
                said.append(plural_message(key, len(rows), line=rows[0], last=rows[-1], n=n))
        notes += (
            [message("the way of", name=source.name, ways=message("semicolon").join(said))]
            if said
            else []
        )
    return notes
