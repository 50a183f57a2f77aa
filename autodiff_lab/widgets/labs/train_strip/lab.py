"""The picture TrainStrip, which has no controls: four frames of the lab TrainFilm side by side, for paper."""

from autodiff_lab.figures.style import themes
from autodiff_lab.figures.style.svg import image_tag
from autodiff_lab.text.numbers import number
from autodiff_lab.widgets.labs.canvas import Sheet
from autodiff_lab.widgets.labs.train_film.lab import CASES, count_right, draw_plane, train

WIDTH, HEIGHT, GAP = 212, 159, 12


class TrainStrip:
    """A strip of four frames of the train film: four moments of one training, side by side.

    Parameters
    ----------
    task, method : str
        Names of a task and a method of `TrainFilm`.
    steps : four whole numbers, up to 300

    Examples
    --------
    >>> strip = TrainStrip("XOR", "momentum", (0, 20, 50, 100))
    >>> strip.description.split(". ")[-1]
    'Step 100: loss 9.86e−5, 4 of 4 right.'
    """

    def __init__(
        self,
        task: str = "two moons",
        method: str = "Adam",
        steps: tuple[int, int, int, int] = (0, 30, 80, 300),
    ) -> None:
        self.task = task
        self.method = method
        self.steps = steps

    def _describe(self, step: int) -> tuple[str, str]:
        at = train(self.task, self.method)[step]
        points = len(CASES[self.task].task.t)
        return f"loss {number(float(at.loss))}", f"{count_right(self.task, at)} of {points} right"

    @property
    def description(self) -> str:
        """The four frames in words: the loss and the correct answers at each step."""
        said = (f"Step {step}: {', '.join(self._describe(step))}." for step in self.steps)
        return f"{self.task}, {self.method}. {' '.join(said)}"

    def svg(self) -> str:
        """Draw the four frames as SVG, in the colours of `themes.LIGHT`."""
        title = f"{self.task}, {self.method}, four steps of the training"
        sheet = Sheet(len(self.steps) * (WIDTH + GAP) + 2, HEIGHT + 72, title)
        for k, step in enumerate(self.steps):
            left = 2 + k * (WIDTH + GAP)
            params = train(self.task, self.method)[step].params
            draw_plane(sheet, CASES[self.task], params, (left, 24, WIDTH, HEIGHT), 3)
            sheet.text(left, 16, f"step {step}", bold=True, size=14)
            for row, words in enumerate(self._describe(step)):
                sheet.text(left, HEIGHT + 44 + 20 * row, words, size=14)
        return sheet.svg()

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        picture = themes.follow_page_theme(self.svg())
        return {"text/html": image_tag(picture, self.description), "text/plain": repr(self)}

    def __repr__(self) -> str:
        return f"{type(self).__name__} of {self.description}"
