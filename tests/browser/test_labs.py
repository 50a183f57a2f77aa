"""Every lab in JupyterLab: by mouse, by keyboard, in both themes, with nothing that jumps."""

import pytest

from autodiff_lab.widgets.labs import every_lab
from autodiff_lab.widgets.labs.lab import Button, Choice, Entry, Play, Slider, Toggle

from .test_themes import CONTRAST

LABS = every_lab()
each_lab = pytest.mark.parametrize("kind", LABS, ids=lambda kind: kind.__name__)
NAMES = ", ".join(kind.__name__ for kind in LABS)
NOBODY_ANSWERS = "The kernel does not answer"


class LabOnPage:
    """One lab in the page, driven as a learner drives it."""

    def __init__(self, page, kind):
        self.page, self.kind = page, kind
        self.root = page.locator(f".adl-lab[aria-label='{kind.title}']").first
        self.root.wait_for()

    def control(self, control):
        role = {Slider: "slider", Choice: "combobox", Toggle: "checkbox", Entry: "textbox"}.get(type(control), "button")
        return self.root.get_by_role(role, name=control.label, exact=True)

    def sentence(self):
        return self.root.locator(".adl-lab-sentence").inner_text()

    def picture(self):
        return self.root.locator(".adl-lab-picture").inner_html()

    def changes(self, do):
        """Do something and wait until the picture or the sentence is another one."""
        before = [self.sentence(), self.picture()]
        do()
        self.page.wait_for_function(
            """([root, sentence, picture]) => root.querySelector('.adl-lab-sentence').innerText !== sentence
                || root.querySelector('.adl-lab-picture').innerHTML !== picture""",
            arg=[self.root.element_handle(), *before],
        )

    def error(self):
        return self.root.locator(".adl-lab-error").inner_text()


@pytest.fixture
def open_lab(server, open_notebook):
    def opened(kind, **options):
        source = f"from autodiff_lab.widgets.labs import {kind.__name__}\n\nlab = {kind.__name__}()\nlab"
        notebook = open_notebook(server.write(f"{kind.__name__}.ipynb", source), height=1100, **options).run_all()
        return LabOnPage(notebook.page, kind)

    return opened


@each_lab
def test_every_control_by_keyboard(kind, open_lab):
    lab = open_lab(kind)
    frame = lab.root.locator(".adl-lab-picture").bounding_box()
    for control in kind.controls:
        place = lab.control(control)
        place.focus()
        if isinstance(control, Slider):
            key = "ArrowLeft" if float(place.input_value()) >= control.high else "ArrowRight"
            lab.changes(lambda key=key: lab.page.keyboard.press(key))
        elif isinstance(control, Choice):
            lab.changes(lambda: lab.page.keyboard.press("ArrowDown"))
        elif isinstance(control, Toggle):
            lab.changes(lambda: lab.page.keyboard.press("Space"))
        elif isinstance(control, Entry):
            lab.page.keyboard.type("0.125")
            lab.changes(lambda: lab.page.keyboard.press("Enter"))
        elif place.get_attribute("aria-disabled") != "true":
            lab.changes(lambda: lab.page.keyboard.press("Enter"))
            if isinstance(control, Play):
                lab.page.keyboard.press("Enter")
        assert place.evaluate("e => e === document.activeElement"), f"{control.label} lost the focus"
        assert lab.error() == ""
        assert lab.root.locator(".adl-lab-picture").bounding_box() == frame, f"{control.label} moves the picture"


@each_lab
def test_a_drag_is_drawn_ten_times_a_second(kind, open_lab):
    sliders = [control for control in kind.controls if isinstance(control, Slider)]
    if not sliders:
        pytest.skip("no slider")
    lab = open_lab(kind)
    slider = max(sliders, key=lambda slider: (slider.high - slider.low) / slider.step)
    place = lab.control(slider)
    lab.root.evaluate(
        """root => { window.frames_drawn = 0;
        new MutationObserver(() => window.frames_drawn++)
            .observe(root.querySelector('.adl-lab-picture'), {childList: true}); }"""
    )
    box = place.bounding_box()
    lab.page.mouse.move(box["x"] + 8, box["y"] + box["height"] / 2)
    lab.page.mouse.down()
    start = lab.page.evaluate("performance.now()")
    for k in range(50):
        lab.page.mouse.move(box["x"] + 8 + (box["width"] - 16) * k / 50, box["y"] + box["height"] / 2)
        lab.page.wait_for_timeout(16)
    seconds = (lab.page.evaluate("performance.now()") - start) / 1000
    lab.page.mouse.up()
    drawn = lab.page.evaluate("window.frames_drawn")
    print(f"{kind.__name__}: {drawn / seconds:.0f} frames a second")
    assert drawn / seconds >= 10
    lab.page.wait_for_timeout(300)
    shown = lab.page.evaluate("window.frames_drawn")
    assert shown <= 56, "one answer for one question"
    assert lab.error() == ""


@each_lab
def test_what_a_reader_without_a_kernel_is_told(kind, server, open_lab):
    lab = open_lab(kind)
    control = next(c for c in kind.controls if isinstance(c, Slider | Choice | Button))
    before = lab.picture()
    server.api("DELETE", f"/api/kernels/{server.kernels()[0]}")
    place = lab.control(control)
    place.focus()
    lab.page.keyboard.press("Enter" if isinstance(control, Button) else "ArrowDown")
    lab.page.wait_for_timeout(2600)
    assert NOBODY_ANSWERS in lab.error()
    assert lab.picture() == before


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_everything_can_be_read(theme, server, open_notebook):
    cells = [f"from autodiff_lab.widgets.labs import {NAMES}", *(f"{kind.__name__}()" for kind in LABS)]
    server.theme(theme)
    try:
        notebook = open_notebook(server.write("labs.ipynb", *cells), height=900 * len(LABS)).run_all()
    finally:
        server.theme("JupyterLab Light")
    for kind in LABS:
        lab = LabOnPage(notebook.page, kind)
        for control in kind.controls:
            if isinstance(control, Button) and lab.control(control).get_attribute("aria-disabled") != "true":
                lab.control(control).press("Enter")
        notebook.page.wait_for_timeout(200)
        faint = [text for text in lab.root.evaluate(CONTRAST) if text["ratio"] < 4.5]
        assert not faint, (kind.__name__, faint)
        assert lab.root.evaluate(CONTRAST), "the text was looked at"
