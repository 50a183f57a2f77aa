"""Slides without a network: they turn, a clicker steps the players, everything fits; and type for the last row."""

import re

import numpy as np
import pytest

from autodiff_lab import play
from autodiff_lab.classroom.lecture.kit import write_lesson, write_plan
from autodiff_lab.lessons.checks.course import lessons as list_lessons

from .axe import serious
from .conftest import photograph
from .notebook import THEMES
from .player_page import LAST, PlayerOnPage, f
from .test_themes import readable

HALLS = [(1024, 768), (1280, 720), (1920, 1080)]
TYPE = 24  # pixels, for what is current


@pytest.fixture(scope="module")
def kit(browser, tmp_path_factory):
    """The kit of the lecture of 40 minutes; the browser is asked for first."""
    folder = tmp_path_factory.mktemp("lecture")
    return {path.name.partition(".")[2]: path for path in write_plan("40", folder)}


class Deck:
    """The slides on a page."""

    def __init__(self, page, path):
        self.page = page
        page.goto(path.as_uri())
        page.wait_for_function("typeof deck !== 'undefined' && deck.isReady()")
        page.wait_for_function("document.querySelector('figure[data-adl-player]') === null")

    @property
    def at(self):
        return self.page.evaluate("deck.getSlidePastCount()")

    @property
    def count(self):
        return self.page.evaluate("deck.getTotalSlides()")

    def key(self, *keys):
        for one in keys:
            self.page.keyboard.press(one)

    def show(self, selector):
        """Turn to the first slide that has this."""
        self.page.evaluate(
            """selector => {
                const slide = deck.getSlides().find((slide) => slide.matches(selector));
                const { h, v } = deck.getIndices(slide);
                deck.slide(h, v);
            }""",
            selector,
        )
        return PlayerOnPage(self.page) if selector == ".player" else None


def test_keys_inside_a_player_step_it_and_outside_turn_slides(kit, new_page):
    deck = Deck(new_page(offline=True), kit["slides.html"])
    deck.key("ArrowRight", "ArrowRight", "ArrowRight")
    assert deck.at == 2, "on the second slide a key shows the answer first"
    deck.key("ArrowLeft")
    assert deck.at == 1
    player = deck.show(".player")
    here = deck.at
    player.focus()
    deck.key("ArrowRight", "ArrowRight", "ArrowLeft")
    assert (player.step, deck.at) == (1, here)
    deck.key("End", "ArrowRight")
    assert (player.step, deck.at) == (LAST, here), "an arrow never leaves the player"
    deck.key("Escape", "ArrowRight")
    assert deck.at == here + 1, "its answer was shown before"
    deck.key("ArrowLeft")
    assert (player.step, deck.at) == (LAST, here)


def test_an_address_says_where_to_begin_and_changes_no_option(kit, new_page):
    page = new_page(offline=True)
    options = "postMessage=true&parallaxBackgroundImage=https://elsewhere.example/a.png&view=scroll&showNotes=true"
    page.goto(f"{kit['slides.html'].as_uri()}?{options}#/2")
    page.wait_for_function("typeof deck !== 'undefined' && deck.isReady()")
    shown = page.evaluate("(({ postMessage, view, showNotes }) => [postMessage, view, showNotes])(deck.getConfig())")
    assert shown == [False, None, False]
    assert page.evaluate("deck.getConfig().parallaxBackgroundImage") == ""
    assert page.evaluate("deck.getSlidePastCount()") == 2
    message = {"method": "setState", "args": [{"indexh": 0, "previewIframe": "https://elsewhere.example/"}]}
    page.evaluate("(message) => postMessage(JSON.stringify(message), '*')", message)
    page.wait_for_timeout(500)
    assert page.locator("iframe").count() == 0


def test_a_clicker_steps_the_player_and_then_turns_the_slide(kit, new_page):
    deck = Deck(new_page(offline=True), kit["slides.html"])
    player = deck.show(".player")
    here = deck.at
    deck.key("PageDown", "PageDown", "PageUp")
    assert (player.step, deck.at) == (1, here)
    deck.key(*["PageDown"] * (LAST - 1))
    assert (player.step, deck.at) == (LAST, here)
    player.shows_the_gradient()
    answer = deck.page.locator(".present .answer")
    assert not answer.is_visible()
    deck.key("PageDown")
    answer.wait_for(state="visible")
    assert deck.at == here
    deck.key("PageDown")
    assert deck.at == here + 1
    deck.key("PageUp", "PageUp")
    assert (player.step, deck.at) == (LAST - 1, here)
    player.root.get_by_role("slider", name="Step", exact=True).focus()
    deck.key("PageDown", "PageDown")
    assert deck.at == here + 1, "also from inside a control"


def test_slides_know_nothing_of_what_is_inside_a_player(kit, new_page):
    deck = Deck(new_page(offline=True), kit["slides.html"])
    deck.show(".player")
    assert deck.page.locator(".adl-player section").count() == 0, "reveal.js takes every <section> for a slide"
    assert deck.page.locator(".slides > section.slide").count() == deck.count


def test_an_answer_comes_with_a_key_and_stays(kit, new_page):
    deck = Deck(new_page(offline=True), kit["slides.html"])
    deck.show(".picture:has(.fragment)")
    here, picture, result = deck.at, deck.page.locator(".present .shown"), deck.page.locator(".present .answer")
    assert not picture.is_visible() and not result.is_visible()
    deck.key(" ")
    picture.wait_for(state="visible")
    assert deck.at == here and not result.is_visible()
    deck.key(" ")
    result.wait_for(state="visible")
    assert deck.at == here
    deck.key(" ", "ArrowLeft")
    assert deck.at == here and result.is_visible(), "who comes back finds it"
    deck.key("p")
    result.wait_for(state="hidden")
    assert deck.at == here and picture.is_visible()
    deck.key("p", "p")
    assert deck.at == here - 1


def test_a_slide_is_found_by_its_number(kit, new_page):
    deck = Deck(new_page(offline=True), kit["slides.html"])
    page = deck.page
    deck.key("g", "1")
    page.wait_for_function("deck.getSlidePastCount() === 0")  # slides follow the typing, and leave it the keys
    deck.key("Backspace", "3")
    page.wait_for_function("deck.getSlidePastCount() === 2")
    deck.key("Enter")
    page.locator(".jump-to-slide").wait_for(state="detached")
    deck.page.evaluate("deck.slide(3)")
    deck.key("ArrowLeft")
    assert deck.at in (2, 3), "the keys are the slides' again"
    page.evaluate("deck.slide(3)")
    assert page.locator(".slide-number").inner_text().split()[:3] == ["4", "/", str(deck.count)]
    assert "min" in page.locator(".slide-number").inner_text()
    page.wait_for_function("location.hash === '#' + deck.getSlidePath()")
    page.reload()
    page.wait_for_function("deck.isReady()")
    assert deck.at == 3
    page.evaluate("location.hash = '#/5'")
    page.wait_for_function("deck.getIndices().h === 5")
    deck.key("End")
    assert deck.at == deck.count - 1
    deck.key("Home")
    assert deck.at == 0
    page.get_by_role("button", name="next slide").click()
    page.get_by_role("button", name="previous slide").click()
    assert deck.at == 0


def test_all_slides_at_once(kit, new_page, request):
    deck = Deck(new_page(offline=True), kit["slides.html"])
    page = deck.page

    deck.key("o")
    near = page.locator(".slides > section:nth-child(-n + 3)")
    boxes = [slide.bounding_box() for slide in near.all()]
    assert len(boxes) == 3 and all(box["width"] < 400 for box in boxes)
    assert len({(round(box["x"]), round(box["y"])) for box in boxes}) == len(boxes), "two slides in one place"
    deck.key("ArrowRight", "ArrowRight")
    left, top, wide, tall = page.locator(".slides > section.present").bounding_box().values()
    assert abs(left + wide / 2 - 640) < 20 and abs(top + tall / 2 - 450) < 20, "the current one is in the middle"
    assert not serious(page, "body")
    photograph(page, request)
    page.locator(".slides > section:nth-child(2)").first.click()
    assert not page.evaluate("deck.isOverview()") and deck.at == 1
    assert not serious(page, "body")
    here = deck.at
    deck.key("b")
    page.locator(".pause-overlay").wait_for(state="visible")
    deck.key("PageDown")
    page.locator(".pause-overlay").wait_for(state="hidden")
    assert deck.at == here, "a key makes the screen light again, and does nothing else"


def test_slides_are_printed_with_answers_and_last_steps(kit, new_page):
    deck = Deck(new_page(offline=True, width=1280, height=720), kit["slides.html"])
    pages = len(re.findall(rb"/Type\s*/Page\b", deck.page.pdf(prefer_css_page_size=True)))
    assert pages == deck.count
    for player in deck.page.locator(".adl-player").all():
        status = player.locator(".adl-counter").text_content().split("/")
        assert status[0].strip() == status[1].strip(), "a player is printed before its last step"
    deck.page.emulate_media(media="print")
    seen = "all => all.every((part) => part.checkVisibility({ opacityProperty: true, visibilityProperty: true }))"
    for part in (".on-slide", ".fragment"):
        assert deck.page.locator(part).count() and deck.page.locator(part).evaluate_all(seen)


SMALLEST = 18  # pixels, of anything that is read on a slide at 720p


@pytest.mark.parametrize("width, height", HALLS)
def test_nothing_is_cut_off(width, height, kit, new_page, request):
    """Every slide fits as it is, with its answer; nothing is scrolled, and type stays large."""
    deck = Deck(new_page(offline=True, width=width, height=height), kit["slides.html"])
    for number in range(deck.count):
        deck.page.evaluate("number => deck.slide(number)", number)
        deck.page.evaluate(
            "deck.getCurrentSlide().querySelectorAll('.fragment').forEach((f) => f.classList.add('visible'))"
        )
        seen = deck.page.evaluate(
            """() => {
                const slide = deck.getCurrentSlide(), sheet = slide.querySelector(".on-slide");
                const texts = [...slide.querySelectorAll("h1, h2, p, .answer, td, th, pre, .live, .slide-number")]
                    .filter((e) => e.checkVisibility() && !e.closest(".adl-player, aside") && e.textContent.trim());
                const parts = [sheet, ...slide.querySelectorAll(".shown, .shown pre, .answer, .adl-player")];
                const beyond = parts.flatMap((e) => [e.scrollHeight - e.clientHeight, e.scrollWidth - e.clientWidth]);
                const shown = [...slide.querySelectorAll(".shown img")].filter((e) => e.checkVisibility());
                return { beyond: Math.max(...beyond), text: sheet.innerText.slice(0, 60),
                         type: Math.min(99, ...texts.map((e) => parseFloat(getComputedStyle(e).fontSize))),
                         pictures: shown.map((e) => Math.min(e.width / e.naturalWidth, e.height / e.naturalHeight)) };
            }"""
        )
        assert seen["beyond"] <= 1, seen
        assert seen["type"] >= SMALLEST, seen
        # Plots and drawings have type of 14.6 px and more.
        assert all(larger >= SMALLEST / 14.6 for larger in seen["pictures"]), seen
        photograph(deck.page, request, f"slide {number + 1}")


def test_a_sheet_is_one_sheet_of_paper(new_page, tmp_path):
    """A4 and Letter, for every lesson; and nothing on it is smaller than 9 points."""
    page = new_page(offline=True)
    for number in range(len(list_lessons())):
        sheet = next(path for path in write_lesson(f"{number:02}", tmp_path / f"{number}") if "handout" in path.name)
        page.goto(sheet.as_uri())
        for paper in ("A4", "Letter"):
            pages = len(re.findall(rb"/Type\s*/Page\b", page.pdf(format=paper)))
            assert pages == 1, f"{sheet.name} on {paper}"
        page.emulate_media(media="print")
        sizes = page.locator("main :is(p, li, td, th, h1, h2)").evaluate_all(SIZES)
        assert min(sizes) >= 12, sheet.name  # 9 points


SIZES = "all => all.map((each) => parseFloat(getComputedStyle(each).fontSize))"
SEEN = f"""(root) => {{
    const box = (element) => element.getBoundingClientRect();
    const between = (name) => [box(root.querySelector(name)).top, box(root.querySelector(name)).bottom];
    const {{ x, y, width, height }} = box(root);
    const cells = [...root.querySelectorAll(".adl-tape .is-current :is(th, td)")];
    const shown = cells.filter((cell) => cell.checkVisibility({{ visibilityProperty: true }}));
    return {{
        sizes: ({SIZES})([...root.querySelectorAll(".adl-sentence, .adl-code.is-current code"), ...shown]),
        phase: root.dataset.phase,
        box: [x, y, width, height],
        words: between(".adl-words"),
        sentence: between(".adl-sentence"),
    }};
}}"""


def many(x, y):
    a = x * y + np.sin(x)
    b = a * a - y / x
    c = np.exp(-0.01 * b) * a
    return c + np.log(x * x + y * y) * b


@pytest.mark.parametrize("width, height", HALLS)
@pytest.mark.parametrize("options", [{}, {"mode": "forward"}, {"mode": "both"}, {"fault": "overwrite"}], ids=str)
def test_lecture_scale(width, height, options, new_page, tmp_path, request):
    """What is current has type of 24 px at least, all of the player is on the screen, and it keeps its shape."""
    function = f if not options else many
    play(function, 2.0, 5.0, scale="lecture", **options).save_html(tmp_path / "large.html")
    page = new_page(offline=True, width=width, height=height)
    page.goto((tmp_path / "large.html").as_uri())
    player = PlayerOnPage(page)
    player.focus()
    shapes = set()
    for _ in range(40):
        before = player.step
        player.key("PageDown")
        if player.step == before:
            break
        seen = player.root.evaluate(SEEN)
        assert len(seen["sizes"]) > 3 or "seed" in seen["phase"], "a pane shows nothing current"
        assert min(seen["sizes"]) >= TYPE
        shapes.add(tuple(round(value) for value in seen["box"]))
        (top, bottom), (above, below) = seen["sentence"], seen["words"]
        assert top >= above and bottom <= below + 1
    assert len(shapes) == 1, "the player changes its shape"
    x, y, wide, tall = shapes.pop()
    assert x >= 0 and y >= 0 and x + wide <= width and y + tall <= height
    for pane in player.root.locator(".adl-pane").all():
        box = pane.bounding_box()
        assert box["width"] > 150 and box["height"] > 90
    readable(player)
    player.key(*["PageUp"] * 3)
    photograph(page, request, "sweep")


IN_WINDOW = """e => { const { left, top, right, bottom } = e.getBoundingClientRect();
    return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight; }"""


@pytest.mark.parametrize("width, height", HALLS[1:])
def test_a_player_fits_its_slide_with_all_that_can_be_opened(width, height, kit, new_page, request):
    deck = Deck(new_page(offline=True, width=width, height=height), kit["slides.html"])
    player = deck.show(".player")
    photograph(deck.page, request, "the player")
    fits = "e => e.scrollHeight <= e.clientHeight && e.scrollWidth <= e.clientWidth"
    for pane in (".adl-graph-body", ".adl-tape-body", ".adl-source"):
        assert player.root.locator(pane).evaluate(fits), pane
    sheet = deck.page.locator(".present.player .on-slide")
    number = deck.page.locator(".slide-number").bounding_box()

    def whole():
        deck.page.wait_for_function(f"e => ({fits})(e)", arg=sheet.element_handle())
        assert player.root.evaluate(IN_WINDOW)
        box = player.root.bounding_box()
        assert box["y"] + box["height"] <= number["y"] + 1, "the number of the slide stands below"

    whole()
    player.open_details()
    whole()
    photograph(deck.page, request, "the fold")
    player.mode("forward")
    assert player.root.get_attribute("data-mode") == "forward"
    player.mode("reverse")
    player.predict()
    player.root.locator(".adl-more-button").click()
    player.focus()
    player.key("ArrowRight")
    assert player.root.locator(".adl-question").evaluate(IN_WINDOW)
    whole()
    photograph(deck.page, request, "a question")


def repeated(x):
    for k in range(4):
        x = x * x * 0.5 + k if x > 1 else x + 1.0
    return x


def test_the_row_of_each_step_stands_below_the_head_of_the_tape(new_page, tmp_path):
    page = new_page(offline=True, width=1280, height=720)
    page.goto(play(repeated, 1.5, scale="lecture").save_html(tmp_path / "large.html").as_uri())
    player = PlayerOnPage(page)
    player.focus()
    covered = """e => { const row = e.querySelector('tr.is-current').getBoundingClientRect();
        const view = e.getBoundingClientRect();
        return [row.top - e.querySelector('thead').getBoundingClientRect().bottom, view.bottom - row.bottom]; }"""
    body = player.root.locator(".adl-tape-body")
    player.key("End")
    assert body.evaluate("e => e.scrollHeight > e.clientHeight"), "this tape is long enough for the test"
    for _ in range(player.step):
        page.wait_for_timeout(50)
        page.wait_for_function(f"e => ({covered})(e).every((room) => room >= -1)", arg=body.element_handle())
        player.key("ArrowLeft")


@pytest.mark.parametrize("theme", THEMES)
def test_the_style_of_a_notebook(theme, server, open_notebook, request):
    code = "def f(x, y):\n    return x * y + x\n\nprint(f(2.0, 3.0))"
    cells = ("import autodiff_lab as ad\n\nad.lecture_style()", code, "ad.play(f, 2.0, 3.0)", "ad.table(f, 2.0, 3.0)")
    notebook = open_notebook(server.write("hall.ipynb", *cells))
    with notebook.in_theme(theme):
        page = notebook.run_all().page
        for place in (
            ".cm-line",
            ".jp-OutputArea-output pre",
            "table:not(.adl-player table) td",
            ".adl-tape td",
            ".adl-sentence",
        ):
            size = page.locator(f".jp-Notebook {place}").evaluate_all(SIZES)[0]
            assert size >= 20, place
        player = PlayerOnPage(page)
        assert "adl-lecture" in player.root.get_attribute("class")
        player.focus()
        player.key("PageDown", "PageDown")
        assert player.step == 2
        readable(player)
        photograph(page, request)
