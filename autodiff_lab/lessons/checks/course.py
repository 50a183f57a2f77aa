"""The lessons of the course, a learner's progress through them, and the seed for their own numbers."""

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autodiff_lab import lessons as lessons_package
from autodiff_lab.lessons.checks import progress_file
from autodiff_lab.lessons.checks.exercise import Exercise
from autodiff_lab.lessons.checks.exercise_file import read_exercises
from autodiff_lab.lessons.checks.variants import Seed
from autodiff_lab.lessons.order import SLUGS, number_of
from autodiff_lab.text.grid import Grid, grid
from autodiff_lab.text.notation import escape

WORDS = {"passed": "✓ done", "tried": "… tried", "": "open"}


@dataclass(frozen=True)
class Report:
    """A report on a learner's progress in the course: sentences and tables, as HTML or as text."""

    sentences: tuple[str, ...]
    grids: tuple[Grid, ...] = ()

    def __repr__(self) -> str:
        return "\n\n".join(["\n".join(self.sentences), *(each.text() for each in self.grids)])

    def _repr_html_(self) -> str:
        said = "".join(f"<p>{escape(sentence)}</p>" for sentence in self.sentences)
        return said + "".join(each.html() for each in self.grids)


@dataclass
class Lesson:
    """A lesson of the course: its exercises, and ``check.progress``, which shows what is done in it and in the course.

    Attributes
    ----------
    slug : str
        The name of the notebook and of this lesson's package: ``"dual_numbers"``.
    title : str
        As in the notebook's first line: ``"Dual numbers: arithmetic that carries a slope"``.
    """

    slug: str
    title: str

    @property
    def number(self) -> str:
        """The number of the lesson's notebook in the course: ``"02"``."""
        return number_of(self.slug)

    def exercises(self) -> dict[str, Exercise]:
        """Return the exercises of this lesson by name, in the order of the exercise file."""
        module = importlib.import_module(f"{lessons_package.__name__}.{self.slug}")
        return {name: thing for name, thing in vars(module).items() if isinstance(thing, Exercise)}

    def __call__(self) -> Report:
        """Report what is done in this lesson and in the whole course: ``check.progress()``."""
        try:
            return self._report()
        except Exception as problem:  # progress is a courtesy: it must never stop the notebook
            return Report((f"Progress cannot be shown ({type(problem).__name__}).",))

    def _report(self) -> Report:
        states = progress_file.states()

        def done(exercises: Sequence[Exercise]) -> str:
            passed = sum(states.get(each.key) == "passed" for each in exercises)
            return f"{passed} of {len(exercises)}"

        mine = list(self.exercises().values())
        course = [(each.number, each.title, list(each.exercises().values())) for each in lessons()]
        everything = [exercise for _, _, exercises in course for exercise in exercises]
        said = f"Notebook {self.number}: {done(mine)} exercises done. The whole course: {done(everything)}."
        here = [(each.title, WORDS.get(states.get(each.key, ""), "open")) for each in mine]
        everywhere = [(number, title, done(exercises)) for number, title, exercises in course]
        grids = (
            grid(f"Notebook {self.number} · {self.title}", ("exercise", "state"), here),
            grid("The course", ("notebook", "title", "exercises done"), everywhere),
        )
        sentences = [said, _about_the_seed(), progress_file.trouble()]
        return Report(tuple(filter(None, sentences)), grids)

    def reset(self) -> Report:
        """Forget all progress in the course, the seed and the hints given: ``check.progress.reset()``."""
        progress_file.forget()
        for each in lessons():
            for exercise in each.exercises().values():
                exercise.begin_again()
        return self()

    def seed(self, seed: Seed) -> Report:
        """Get your own numbers in every lesson of the course: ``check.seed("Ada")``.

        ``check.seed(None)`` returns to the numbers in the text.

        Parameters
        ----------
        seed : str, int or None
            Your name will do.
        """
        progress_file.set_seed(seed)
        varied = [each for each in self.exercises().values() if each.is_varied]
        said = _about_the_seed() or "The exercises have the numbers of the text again."
        if not varied:
            return Report((f"{said} In notebook {self.number} there are none.",))
        rows = [(each.title, repr(each.given())) for each in varied]
        return Report((said,), (grid("What the exercises give you", ("exercise", "given"), rows),))


def _about_the_seed() -> str:
    seed = progress_file.current_seed()
    return f"Exercises with numbers of their own take them from the seed “{seed}”." if seed else ""


def lesson(slug: str, **checks: Mapping[str, Any]) -> tuple[Lesson, Callable[[Seed], Report]]:
    """Define a lesson: put the exercises of its ``exercises.toml`` into its package.

    Returns the lesson's ``progress`` and ``seed``.

    Parameters
    ----------
    slug : str
        The name of the notebook and of the lesson's package: ``"tape"``.
    **checks : mapping
        The checks of each exercise, as for `read_exercises`: ``ex_1={"observe": exercises.multiply}``.
    """
    package = sys.modules[f"{lessons_package.__name__}.{slug}"]
    folder = Path(str(package.__file__)).parent
    title, exercises = read_exercises(folder / "exercises.toml", checks)
    for name, exercise in exercises.items():
        setattr(package, name, exercise)
    this = Lesson(slug, title)
    return this, this.seed


def lessons() -> list[Lesson]:
    """Return all lessons of the course, in order."""
    return [
        importlib.import_module(f"{lessons_package.__name__}.{slug}").progress for slug in SLUGS
    ]
