"""Every lab in JupyterLab: by mouse, by keyboard, in both themes, with nothing that jumps."""

import pytest

from autodiff_lab.widgets import labs
from autodiff_lab.widgets.labs import every_lab
from autodiff_lab.widgets.labs.lab import Button, Choice, Entry, Play, Slider, Toggle
from autodiff_lab.widgets.labs.view import fits_in_a_row

from .axe import serious
from .conftest import photograph
from .notebook import THEMES
from .server import REPOSITORY
from .test_themes import CONTRAST

LABS = every_lab()
each_lab = pytest.mark.parametrize("kind", LABS, ids=lambda kind: kind.__name__)
NAMES = ", ".join(kind.__name__ for kind in LABS)
ROLES = {Slider: "slider", Choice: "combobox", Toggle: "checkbox", Entry: "textbox"}
NOBODY_ANSWERS = "The kernel does not answer"


class LabOnPage:
    """One lab in the page, driven as a learner drives it."""

    def __init__(self, page, kind, number=0):
        self.page, self.kind = page, kind
        self.root = page.locator(f".adl-lab[aria-label='{kind.title}']").nth(number)
        self.root.wait_for()

    def open_more(self):
        """Unfold the controls that are not needed at first sight, if there are any."""
        if any(control.more for control in self.kind.controls):
            self.root.get_by_role("button", name="More", exact=True).press("Enter")

    def control(self, control):
        """Give what has the focus while a control is used; of several options in a row, the last one."""
        name, role = control.label, ROLES.get(type(control), "button")
        if isinstance(control, Choice) and fits_in_a_row(control):
            return self.root.get_by_role("group", name=name, exact=True).get_by_role("button").last
        return self.root.get_by_role(role, name=name, exact=True)

    def use(self, control):
        """Use a control by keyboard, and wait until that is to be seen. Gives the control, which has the focus."""
        place, keyboard = self.control(control), self.page.keyboard
        place.focus()
        key = "Enter"
        if isinstance(control, Slider):
            key = (
                "ArrowLeft"
                if float(place.get_attribute("aria-valuenow")) >= control.high
                else "ArrowRight"
            )
        elif isinstance(control, Toggle):
            key = "Space"
        elif isinstance(control, Entry):
            keyboard.type("0.125")
        elif isinstance(control, Choice) and not fits_in_a_row(control):
            key = "ArrowDown"
        if place.get_attribute("aria-disabled") != "true":
            self.changes(lambda: keyboard.press(key))
            if isinstance(control, Play):
                keyboard.press("Enter")
        return place

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


def used_in(name):
    """The labs of a notebook."""
    text = (REPOSITORY / "notebooks" / name).read_text(encoding="utf-8")
    return [kind for kind in LABS if f"{kind.__name__}(" in text]


def can_be_driven(notebook, kind):
    """One key at the first control of a lab, where the notebook has it."""
    lab = LabOnPage(notebook.page, kind)
    lab.root.scroll_into_view_if_needed()
    lab.use(next(control for control in kind.controls if not control.more))
    assert lab.error() == ""


def shown_by(kind):
    return f"from autodiff_lab.widgets.labs import {kind.__name__}\n\nlab = {kind.__name__}()\nlab"


@pytest.fixture(scope="module")
def notebook(server, shared_notebook):
    """One page and one kernel for all labs: the cell shows one after the other."""
    return shared_notebook(server.write("a_lab.ipynb", "'a lab'"))


@pytest.fixture
def open_lab(notebook, shared_watch, request):
    def opened(kind):
        notebook.write_cell(0, shown_by(kind))
        return lambda: LabOnPage(notebook.clear_outputs().run_all().page, kind)

    yield opened
    photograph(notebook.page, request)
    shared_watch.verdict()


@each_lab
def test_by_keyboard_and_by_pointer(kind, open_lab, request):
    """Each time the lab is a new one."""
    new_lab = open_lab(kind)
    lab = new_lab()
    photograph(lab.page, request, "new")
    every_control_by_keyboard(kind, lab)
    if "data-grip" in kind().picture():
        what_can_be_dragged_follows_mouse_and_keys(new_lab())
        what_can_be_dragged_follows_a_finger(new_lab())
    # a slider of a few stops asks for a few frames, however long it is dragged
    if stops(longest(kind)) > 20:
        a_drag_is_drawn_ten_times_a_second(kind, new_lab())


def every_control_by_keyboard(kind, lab):
    lab.open_more()
    frame = lab.root.locator(".adl-lab-picture").bounding_box()
    for control in kind.controls:
        place = lab.use(control)
        assert place.evaluate("e => e === document.activeElement"), (
            f"{control.label} lost the focus"
        )
        assert lab.error() == ""
        assert lab.root.locator(".adl-lab-picture").bounding_box() == frame, (
            f"{control.label} moves the picture"
        )
        if isinstance(control, Slider):
            words = place.get_attribute("aria-valuetext")
            assert lab.root.locator(".adl-lab-value", has_text=words).count(), (
                "what is read aloud stands there"
            )


HANDLES = "all => all.map((one) => one.dataset.grip)"


def handles(lab):
    """The handles in the picture of a lab, each with the sliders that it moves."""
    for name in lab.root.locator("[data-grip]").evaluate_all(HANDLES):
        yield Handle(lab, name)


class Handle:
    """A handle in the picture of a lab, driven as a learner drives it."""

    def __init__(self, lab, name):
        self.lab, self.page, self.name = lab, lab.page, name
        self.group = lab.root.get_by_role("slider", name=name, exact=True).and_(
            lab.root.locator("[data-grip]")
        )
        self.knob = self.group.locator(".knob")

    def state(self):
        """What is read aloud of it."""
        return self.group.get_attribute("aria-valuetext")

    def changes(self, do):
        """Do something, and wait until the handle has moved."""
        before = self.state()
        do()
        self.page.wait_for_function(
            "([root, name, before]) => root.querySelector(`[data-grip='${name}']`)"
            ".getAttribute('aria-valuetext') !== before",
            arg=[self.lab.root.element_handle(), self.name, before],
        )
        return self.state()

    def free_way(self):
        """A way that the handle can go: to the left where it is at the right end, else to the right, and down."""
        value, low, high = (
            float(self.group.get_attribute(f"aria-value{end}")) for end in ("now", "min", "max")
        )
        return -48 if value > (low + high) / 2 else 48


def what_can_be_dragged_follows_mouse_and_keys(lab):
    for handle in handles(lab):
        assert handle.group.get_attribute("role") == "slider" and handle.state()
        x, y = centre(handle.knob)
        across = handle.free_way()

        def drag(x=x, y=y, across=across):
            lab.page.mouse.move(x + 2, y + 2)  # where it is grasped, it stays under the pointer
            lab.page.mouse.down()
            for k in range(1, 9):
                lab.page.mouse.move(x + 2 + across * k / 8, y + 2 + 3 * k)
                lab.page.wait_for_timeout(30)
            lab.page.mouse.up()

        handle.changes(drag)
        there = rests(handle.knob, handle.name)
        assert abs(there[0] - x - across) < 16 or abs(there[1] - y) > 4, handle.name
        handle.group.focus()
        key = "ArrowRight" if handle.free_way() > 0 else "ArrowLeft"
        for _ in range(2):
            handle.changes(lambda key=key: lab.page.keyboard.press(key))
            assert handle.group.evaluate("e => e === document.activeElement"), (
                "the picture is new, the focus is not"
            )
    assert lab.error() == ""


def what_can_be_dragged_follows_a_finger(lab):
    """As a phone does it: the page does not scroll under the finger."""
    touch = lab.page.context.new_cdp_session(lab.page)
    handle = next(handles(lab))
    handle.group.scroll_into_view_if_needed()
    (x, y), across = centre(handle.knob), handle.free_way()

    def press(kind, *points):
        touch.send(
            "Input.dispatchTouchEvent",
            {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]},
        )

    def drag():
        press("touchStart", (x, y))
        for k in range(1, 9):
            press("touchMove", (x + across * k / 8, y + 3 * k))
            lab.page.wait_for_timeout(30)
        press("touchEnd")

    before = handle.group.evaluate("e => e.closest('.adl-lab').getBoundingClientRect().top")
    handle.changes(drag)
    assert handle.group.evaluate("e => e.closest('.adl-lab').getBoundingClientRect().top") == before
    assert lab.error() == ""
    touch.detach()


def rests(knob, name, milliseconds=300):
    """Where a handle comes to rest: the kernel answers all moves of a hand, the last of them some time after it."""
    knob.page.wait_for_function(
        """([name, milliseconds]) => {
            const { x, y } = document.querySelector(`[data-grip='${name}'] .knob`).getBoundingClientRect();
            const at = `${x} ${y}`, now = performance.now();
            if (window.restsAt?.at !== at) window.restsAt = { at, since: now };
            return now - window.restsAt.since > milliseconds;
        }""",
        arg=[name, milliseconds],
    )
    return centre(knob)


def centre(handle):
    box = handle.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def longest(kind):
    """The slider of a lab with the most stops."""
    sliders = [control for control in kind.controls if isinstance(control, Slider)]
    return max(sliders, key=stops, default=None)


def stops(slider):
    return 0 if slider is None else (slider.high - slider.low) / slider.step


def a_drag_is_drawn_ten_times_a_second(kind, lab):
    lab.open_more()
    handle = lab.control(longest(kind))
    track = handle.locator("xpath=ancestor::*[contains(@class, 'slider-container')]").bounding_box()
    lab.root.evaluate(
        """root => { window.drawn = window.asked = 0;
        const picture = root.querySelector('.adl-lab-picture');
        new MutationObserver(() => window.drawn++).observe(picture, {childList: true});
        const handle = {subtree: true, attributeFilter: ['aria-valuenow']};
        new MutationObserver(() => window.asked++).observe(root, handle); }"""
    )
    drags = []
    for _ in range(10):  # once is enough: others may need the machine
        drags.append(drag(handle, track))
        best = max(min(drawn, asked) / seconds for drawn, asked, seconds in drags)
        smooth = best >= 10 or any(drawn >= asked for drawn, asked, _ in drags)
        if smooth:
            break
    print(f"{kind.__name__}: {best:.0f} frames a second")
    assert smooth, drags
    assert all(drawn <= asked for drawn, asked, _ in drags), "one answer for one question"
    assert lab.error() == ""


def drag(handle, track, moves=30):
    """Drag a slider to its farther end: how many frames were drawn, how many asked for, and in which time."""
    page = handle.page
    page.evaluate("window.drawn = window.asked = 0")
    (x, y), far = centre(handle), track["x"] + track["width"]
    if far - x < x - track["x"]:
        far = track["x"]
    page.mouse.move(x, y)
    page.mouse.down()
    start = page.evaluate("performance.now()")
    for k in range(1, moves + 1):
        page.mouse.move(x + (far - x) * k / moves, y)
        page.wait_for_timeout(16)
    drawn, seconds = page.evaluate(f"[window.drawn, (performance.now() - {start}) / 1000]")
    page.mouse.up()
    page.wait_for_timeout(300)
    asked = page.evaluate("window.asked")
    assert asked > 10, "the slider follows the pointer"
    return drawn, asked, seconds


@pytest.fixture(scope="module")
def laptop(server, shared_notebook):
    """One page of 1366×768 with the file browser open: about 930×620 are left for a lab."""
    return shared_notebook(
        server.write("laptop.ipynb", "'a lab'"), view="lab/tree", width=1366, height=768
    )


# The texts of the picture: how large they are on the screen, which are cut, and which run into each other.
TEXTS = """svg => {
    const frame = svg.getBoundingClientRect(), scale = frame.width / svg.viewBox.baseVal.width;
    const texts = [...svg.querySelectorAll('text')].filter((e) => e.textContent.trim()).map((e) => {
        const { left, right, top, bottom } = e.getBoundingClientRect(), quarter = (bottom - top) / 4;
        const size = parseFloat(getComputedStyle(e).fontSize) * scale;
        return { text: e.textContent, size, left, right, top: top + quarter, bottom: bottom - quarter };
    });
    const cut = (a) => a.left < frame.left - 1 || a.right > frame.right + 1 || a.bottom > frame.bottom + 1;
    const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    return {
        smallest: Math.min(99, ...texts.map((a) => a.size)),
        cut: texts.filter(cut).map((a) => a.text),
        meet: texts.flatMap((a, k) => texts.slice(k + 1).filter((b) => meet(a, b)).map((b) => [a.text, b.text])),
    };
}"""


@each_lab
def test_fits_a_laptop(kind, laptop, shared_watch, request):
    """All of it is in view at once, in the width it is given and in type of 12 px or more; nothing is cut."""
    assert sum(not control.more for control in kind.controls) <= 6
    laptop.write_cell(0, shown_by(kind))
    lab = LabOnPage(laptop.clear_outputs().run_all().page, kind)
    lab.root.evaluate("lab => lab.scrollIntoView({block: 'start'})")
    photograph(laptop.page, request)
    frame, below = lab.root.bounding_box(), lab.root.locator(".adl-lab-sentence").bounding_box()
    assert below["y"] + below["height"] - frame["y"] <= 620
    if kind().picture():
        svg, side = (
            lab.root.locator(place).bounding_box()
            for place in (".adl-lab-picture svg", ".adl-lab-side")
        )
        beside = side["x"] >= svg["x"] + svg["width"]
        assert svg["width"] + beside * side["width"] >= 0.75 * frame["width"], (
            "a blank band beside the picture"
        )
        texts = lab.root.locator(".adl-lab-picture svg").evaluate(TEXTS)
        assert texts["smallest"] >= 11.9
        assert not texts["cut"] and not texts["meet"]
    shared_watch.verdict()


def first_with(*kinds):
    """A lab that has such a control at first sight, and the control; one view serves all labs."""
    return next(
        (lab, one) for lab in LABS for one in lab.controls if type(one) in kinds and not one.more
    )


@pytest.fixture
def open_mortal_lab(server, open_notebook):
    """Show a lab in a page of its own, since its kernel is going to be ended: gives the lab and the way to do that."""

    def opened(kind):
        path = server.write(f"{kind.__name__}.ipynb", shown_by(kind))
        lab = LabOnPage(open_notebook(path, height=1100).run_all().page, kind)
        return lab, lambda: server.api("DELETE", f"/api/kernels/{server.kernel_of(path)['id']}")

    return opened


@pytest.mark.parametrize(
    "kind, control", [first_with(Slider, Choice), first_with(Button), first_with(Play)]
)
def test_what_a_reader_without_a_kernel_is_told(kind, control, open_mortal_lab, request):
    lab, end_kernel = open_mortal_lab(kind)
    before = lab.picture()
    end_kernel()
    place = lab.control(control)
    place.focus()
    lab.page.keyboard.press("Enter" if isinstance(control, Button | Play) else "ArrowDown")
    lab.root.get_by_role("status").filter(has_text=NOBODY_ANSWERS).wait_for()
    assert lab.picture() == before
    place.wait_for()  # Play says Play again: nothing plays
    photograph(lab.page, request)


def test_a_kernel_that_goes_while_it_plays_is_missed(open_mortal_lab):
    kind, control = first_with(Play)
    lab, end_kernel = open_mortal_lab(kind)
    lab.control(control).focus()
    lab.changes(lambda: lab.page.keyboard.press("Enter"))
    end_kernel()
    lab.root.get_by_role("status").filter(has_text=NOBODY_ANSWERS).wait_for()
    lab.control(control).wait_for()  # it says Play again, not Pause: nothing plays


COUNTER = """
import threading, time
from autodiff_lab.widgets.labs.canvas import Sheet
from autodiff_lab.widgets.labs.lab import Button, Lab, Play, Slider

class Counter(Lab):
    title, about = "Counter", "Counts slowly."
    controls = Play("count", 100), Button("count", "Count"), Slider("x", "the number x", 0, 100, 1)
    n, threads = 0, frozenset()

    def count(self):
        time.sleep(0.3)
        self.n += 1
        self.threads |= {threading.get_ident()}

    def change(self, name):
        self.threads |= {threading.get_ident()}

    def sentence(self):
        return f"n is {self.n}, x is {self.x}, threads: {len(self.threads)}."

    def picture(self):
        return Sheet(20, 20, "nothing").svg()

lab = Counter()
lab
"""


def test_what_is_moved_while_it_plays_is_not_lost(server, open_notebook):
    """JupyterLab and ipykernel hand the messages of one lab's widgets to several threads."""
    page = open_notebook(server.write("counter.ipynb", COUNTER)).run_all().page
    lab = page.locator(".adl-lab")
    sentence, slider = lab.locator(".adl-lab-sentence"), lab.get_by_role("slider")
    lab.get_by_role("button", name="Play", exact=True).press("Enter")
    sentence.filter(has_text="threads: 2").wait_for()  # it counts nearly all of the time
    for x in range(1, 6):
        slider.press("ArrowRight")
        sentence.filter(has_text=f"x is {x},").wait_for()
    assert slider.get_attribute("aria-valuetext") == "5"
    assert slider.get_attribute("aria-valuenow") == "5.0"


def test_everything_can_be_read(server, open_notebook):
    """All labs stand in one page, which is light, then dark."""
    cells = [
        f"from autodiff_lab.widgets.labs import {NAMES}",
        *(f"{kind.__name__}()" for kind in LABS),
    ]
    path = server.write("labs.ipynb", *cells)
    notebook = open_notebook(path, view="lab/tree", width=1600, height=1400).run_all()
    labs = [LabOnPage(notebook.page, kind) for kind in LABS]
    for lab in labs:
        lab.open_more()
        press_every_button(lab)
    notebook.page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for()
    for theme in THEMES:
        with notebook.in_theme(theme):
            notebook.page.wait_for_timeout(300)  # colours fade
            for lab in labs:
                can_be_read(lab)
            assert not serious(notebook.page, ".adl-lab")


# How large the type of a picture is on the screen, and whether a lab is wider than its place.
IN_ITS_PLACE = """lab => {
    const size = (e) => parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a;
    const texts = [...lab.querySelectorAll('.adl-lab-picture text')].filter((e) => e.textContent.trim());
    const right = lab.getBoundingClientRect().right;
    const controls = [...lab.querySelectorAll('.adl-lab-side button, .adl-lab-side .adl-lab-value')];
    return {
        smallest: Math.min(99, ...texts.map(size)),
        sticksOut: controls.filter((e) => e.getBoundingClientRect().right > right).map((e) => e.textContent),
        strips: lab.querySelectorAll('.in-strips > svg').length,
        grips: [...lab.querySelectorAll('[data-grip]')].map((e) => e.dataset.grip),
        scrolls: lab.querySelector('.adl-lab-picture').scrollWidth - lab.querySelector('.adl-lab-picture').clientWidth,
    };
}"""


def test_labs_reflow(server, open_notebook):
    """Below 850 pixels a picture is cut into strips, and nothing of a lab is cut off; on a phone it can be read."""
    cells = [
        f"from autodiff_lab.widgets.labs import {NAMES}",
        *(f"{kind.__name__}()" for kind in LABS),
    ]
    notebook = open_notebook(server.write("narrow.ipynb", *cells), height=1000).run_all()
    all_labs = [LabOnPage(notebook.page, kind) for kind in LABS]
    for width in (800, 390):
        notebook.page.set_viewport_size({"width": width, "height": 1000})
        notebook.page.wait_for_timeout(500)
        for lab in all_labs:
            found, name = lab.root.evaluate(IN_ITS_PLACE), f"{lab.kind.__name__} at {width}"
            assert found["smallest"] >= 11.9, name
            assert not found["sticksOut"], name
            assert len(set(found["grips"])) == len(found["grips"]), name
            if "data-strips" in lab.kind().picture():
                assert found["strips"] >= 2, name
            if width == 800:
                assert found["scrolls"] <= 100, name


def test_a_handle_in_a_strip_can_be_dragged(server, open_notebook):
    """A strip has coordinates of its own, and the handle those of the picture."""
    page = (
        open_notebook(server.write("strip.ipynb", shown_by(labs.VCurve)), height=1000)
        .run_all()
        .page
    )
    lab = LabOnPage(page, labs.VCurve)
    page.set_viewport_size({"width": 700, "height": 1000})
    lab.root.locator(".in-strips > svg").first.wait_for()
    lab.root.evaluate("lab => lab.scrollIntoView({block: 'start'})")
    page.wait_for_timeout(300)
    handle = next(handles(lab))
    (x, y), way = centre(handle.knob), handle.free_way()

    def drag():
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 2 * way, y, steps=6)
        page.mouse.up()

    handle.changes(drag)
    assert rests(handle.knob, handle.name)[0] == pytest.approx(x + 2 * way, abs=10)


def test_the_value_of_a_slider_is_clear_of_its_knob(server, open_notebook, request):
    page = (
        open_notebook(server.write("slider.ipynb", shown_by(labs.SwellMeter)), height=1000)
        .run_all()
        .page
    )
    lab = LabOnPage(page, labs.SwellMeter)
    slider = lab.root.get_by_role("slider", name="n", exact=True)
    lab.changes(lambda: slider.press("End"))
    row = lab.root.locator(".adl-lab-slider").first
    knob, value = slider.bounding_box(), row.locator(".adl-lab-value").bounding_box()
    track = row.locator(".slider-container").bounding_box()
    assert knob["x"] + knob["width"] + 4 <= value["x"]
    assert track["width"] >= 200
    assert (
        row.locator(".widget-slider").evaluate("e => e.style.getPropertyValue('--done')")
        == "100.0%"
    )
    photograph(page, request)


def press_every_button(lab):
    for control in lab.kind.controls:
        if (
            isinstance(control, Button)
            and lab.control(control).get_attribute("aria-disabled") != "true"
        ):
            lab.control(control).press("Enter")


def can_be_read(lab):
    """Look at the contrast of every text."""
    # what is out of sight has no contrast
    lab.root.evaluate("lab => lab.scrollIntoView({block: 'center'})")
    texts = lab.root.evaluate(CONTRAST)
    faint = [text for text in texts if text["ratio"] < 4.5]
    assert not faint, (lab.kind.__name__, faint)
    assert texts, "the text was looked at"


# ipywidgets keeps every view of a model until it is removed.
VIEWS = """async () => {
    const { model } = [...autodiffLab.live.values()].at(-1);
    const all = await model.widget_manager.get_model(model.get('child').replace('IPY_MODEL_', ''));
    return Object.keys(all.views).length;
}"""


def test_a_lab_in_two_outputs_is_one_lab_and_leaves_with_them(server, open_notebook):
    kind, control = first_with(Slider)
    notebook = open_notebook(
        server.write("twice.ipynb", shown_by(kind), "lab"), height=1600
    ).run_all()
    one, other = (LabOnPage(notebook.page, kind, number) for number in (0, 1))
    one.use(control)
    notebook.page.wait_for_function(
        "() => new Set([...document.querySelectorAll('.adl-lab-sentence')].map((e) => e.innerText)).size === 1"
    )
    other.use(control)
    notebook.page.wait_for_function(f"async () => await ({VIEWS})() === 2")
    notebook.page.evaluate(
        "window.away = document.querySelectorAll('.jp-OutputArea-child')[1]; away.remove()"
    )
    notebook.page.wait_for_function(f"async () => await ({VIEWS})() === 1")
    # a cell that comes back
    notebook.page.evaluate("document.querySelectorAll('.jp-OutputArea')[1].append(away)")
    other.use(control)
    notebook.clear_outputs()
    notebook.page.wait_for_function(f"async () => await ({VIEWS})() === 0")
