"""Slides without a network: they turn, a clicker steps the players, everything fits; and type for the last row."""

import re

import numpy as np
import pytest

from autodiff_lab import play
from autodiff_lab.classroom.lecture.kit import list_lectures, write_lecture

from .axe import serious
from .conftest import photograph
from .notebook import THEMES
from .player_page import LAST, PlayerOnPage, f
from .test_themes import readable

HALLS = [(1024, 768), (1280, 720), (1920, 1080)]
TYPE = 24  # pixels, for what is current


LECTURES = list(list_lectures())
CODE = 24  # pixels at 1080p: what the last row reads


@pytest.fixture(scope="module")
def kit(browser, tmp_path_factory):
    """The files of both lectures, by name; the browser is asked for first."""
    folder = tmp_path_factory.mktemp("lecture")
    return {path.name: path for name in LECTURES for path in write_lecture(name, folder)}


class Deck:
    """The slides on a page."""

    def __init__(self, page, path):
        self.page = page
        page.goto(path.as_uri())
        page.wait_for_function("typeof deck !== 'undefined' && deck.isReady()")
        page.wait_for_function("document.querySelector('figure[data-adl-player]') === null")

    @property
    def at(self):
        return self.page.evaluate("deck.getSlides().indexOf(deck.getCurrentSlide())")

    @property
    def count(self):
        return self.page.evaluate("deck.getTotalSlides()")

    @property
    def place(self):
        """Where the lecture is: the slide, its fragments, and the step of its player."""
        return self.page.evaluate(
            """() => {
                const slide = deck.getCurrentSlide();
                const counter = slide.querySelector(".adl-counter")?.textContent ?? "";
                return [deck.getSlides().indexOf(slide), slide.querySelectorAll(".fragment.visible").length, counter];
            }"""
        )

    def key(self, *keys):
        for one in keys:
            self.page.keyboard.press(one)

    def show(self, selector):
        """Turn to the first slide that has this, and give its player, if it has one."""
        self.page.evaluate(
            """selector => {
                const slide = deck.getSlides().find((slide) => slide.matches(selector));
                const { h, v } = deck.getIndices(slide);
                deck.slide(h, v);
            }""",
            selector,
        )
        number = self.page.evaluate(
            "[...document.querySelectorAll('.adl-player')].indexOf(deck.getCurrentSlide().querySelector('.adl-player'))"
        )
        return PlayerOnPage(self.page, number) if number >= 0 else None


@pytest.fixture
def deck(kit, new_page):
    return Deck(new_page(offline=True, width=1280, height=720), kit["40_minutes.html"])


WITH_PLAYER = ".with-player:not(:has(.celltag_stop-at-seed))"


def test_keys_inside_a_player_step_it_and_outside_turn_slides(deck):
    deck.key("ArrowRight", "ArrowRight")
    assert deck.at == 2
    deck.key("ArrowLeft")
    assert deck.at == 1
    player = deck.show(WITH_PLAYER)
    here, step = deck.at, player.step
    player.focus()
    deck.key("ArrowRight", "ArrowRight", "ArrowLeft")
    assert (player.step, deck.at) == (step + 1, here)
    deck.key("End", "ArrowRight")
    assert (player.step, deck.at) == (LAST, here), "an arrow never leaves the player"
    deck.key("Escape", "ArrowRight")
    assert deck.at == here + 1


def test_an_address_says_where_to_begin_and_changes_no_option(kit, new_page):
    page = new_page(offline=True)
    options = "postMessage=true&parallaxBackgroundImage=https://elsewhere.example/a.png&view=scroll&showNotes=true"
    page.goto(f"{kit['40_minutes.html'].as_uri()}?{options}#/2")
    page.wait_for_function("typeof deck !== 'undefined' && deck.isReady()")
    shown = page.evaluate(
        "(({ postMessage, view, showNotes }) => [postMessage, view, showNotes])(deck.getConfig())"
    )
    assert shown == [False, None, False]
    assert page.evaluate("deck.getConfig().parallaxBackgroundImage") == ""
    assert page.evaluate("deck.getSlidePastCount()") == 2
    message = {
        "method": "setState",
        "args": [{"indexh": 0, "previewIframe": "https://elsewhere.example/"}],
    }
    page.evaluate("(message) => postMessage(JSON.stringify(message), '*')", message)
    page.wait_for_timeout(500)
    assert page.locator("iframe").count() == 0


def test_a_clicker_steps_the_player_and_then_turns_the_slide(deck):
    player = deck.show(WITH_PLAYER)
    here, step = deck.at, player.step
    deck.key("PageDown", "PageDown", "PageUp")
    assert (player.step, deck.at) == (step + 1, here)
    deck.key(*["PageDown"] * (LAST - step - 1))
    assert (player.step, deck.at) == (LAST, here)
    player.shows_the_gradient()
    deck.key("PageDown")
    assert deck.at == here + 1
    deck.key("PageUp", "PageUp")
    assert (player.step, deck.at) == (LAST - 1, here)
    player.root.get_by_role("slider", name="Step", exact=True).focus()
    deck.key("PageDown", "PageDown")
    assert deck.at == here + 1, "also from inside a control"


def test_a_slide_may_end_at_the_first_adjoint(deck):
    player = deck.show(":has(.celltag_stop-at-seed)")
    here = deck.at
    for _ in range(LAST):
        if player.root.get_attribute("data-phase") == "seed":
            break
        deck.key("PageDown")
        assert deck.at == here
    assert player.step < LAST
    deck.key("PageDown")
    assert deck.at == here + 1


def test_slides_know_nothing_of_what_is_inside_a_player(deck):
    deck.show(WITH_PLAYER)
    assert deck.page.locator(".adl-player section").count() == 0, (
        "reveal.js takes every <section> for a slide"
    )
    assert deck.page.locator(".slides > section > section").count() == deck.count


def test_an_answer_comes_with_a_key_and_stays(deck):
    deck.show(":has(.fragment:nth-child(4))")
    here, said = deck.at, deck.page.locator("section.lecture-slide.present .fragment")
    assert said.count() == 2 and not said.first.is_visible() and not said.last.is_visible()
    deck.key(" ")
    said.first.wait_for(state="visible")
    assert deck.at == here and not said.last.is_visible()
    deck.key(" ")
    said.last.wait_for(state="visible")
    assert deck.at == here
    deck.key(" ", "ArrowLeft")
    assert deck.at == here and said.last.is_visible(), "who comes back finds it"


def test_a_slide_is_found_by_its_number(deck):
    page = deck.page
    deck.key("g", "1")
    # slides follow the typing, and leave it the keys
    page.wait_for_function("deck.getSlidePastCount() === 0")
    deck.key("Backspace", "3")
    page.wait_for_function("deck.getSlidePastCount() === 2")
    deck.key("Enter")
    page.locator(".jump-to-slide").wait_for(state="detached")
    deck.show(":has(#whatever), *:nth-child(1)")
    assert page.locator(".slide-number").inner_text().split() == ["1", "/", str(deck.count)]
    deck.key("End")
    assert deck.at == deck.count - 1
    page.wait_for_function("location.hash === '#' + deck.getSlidePath()")
    page.reload()
    page.wait_for_function("deck.isReady()")
    assert deck.at == deck.count - 1
    deck.key("Home")
    assert deck.at == 0


def test_all_slides_at_once_and_a_black_screen(deck, request):
    page = deck.page
    deck.key("o")
    assert page.evaluate("deck.isOverview()")
    assert not serious(page, "body")
    photograph(page, request)
    deck.key("Escape")
    assert not page.evaluate("deck.isOverview()")
    assert not serious(page, "body")
    here = deck.at
    deck.key("b")
    page.locator(".pause-overlay").wait_for(state="visible")
    deck.key("PageDown")
    page.locator(".pause-overlay").wait_for(state="hidden")
    assert deck.at == here, "a key makes the screen light again, and does nothing else"


def test_slides_are_printed_with_answers_and_last_steps(deck):
    pages = len(re.findall(rb"/Type\s*/Page\b", deck.page.pdf(prefer_css_page_size=True)))
    assert pages == deck.count
    for player in deck.page.locator(".adl-player").all():
        status = player.locator(".adl-counter").text_content().split("/")
        assert status[0].strip() == status[1].strip(), "a player is printed before its last step"
    deck.page.emulate_media(media="print")
    seen = "all => all.every((part) => part.checkVisibility({ opacityProperty: true, visibilityProperty: true }))"
    for part in ("section.lecture-slide", "section .fragment"):
        assert deck.page.locator(part).count() and deck.page.locator(part).evaluate_all(seen)


def has_the_plan(speaker):
    """The speaker's window has clock, plan and notes, at the first question of `40_minutes`."""
    assert re.fullmatch(r"\d+:\d\d", speaker.locator(".speaker-clock").inner_text())
    assert "4:00 to 7:00 of 40:00" in speaker.locator(".speaker-plan").inner_text()
    assert "Many say" in speaker.locator(".speaker-notes").inner_text()


def test_the_speakers_window_has_clock_notes_and_next_slide_and_takes_the_keys(deck, request):
    deck.key("PageDown", "PageDown")
    with deck.page.expect_popup() as opened:
        deck.key("s")
    speaker = opened.value
    speaker.locator(".speaker-next .lecture-slide").wait_for()
    has_the_plan(speaker)
    shown = deck.page.locator("section.lecture-slide.present h2").inner_text()
    assert speaker.locator(".speaker-now h2").inner_text() == shown
    assert speaker.locator(".speaker-slide aside").count() == 0, (
        "notes are beside the small slides, not in them"
    )
    assert speaker.locator(".speaker-now img").bounding_box()["height"] > 50
    following = speaker.locator(".speaker-next h2").inner_text()
    photograph(speaker, request, "the speaker's window")
    speaker.keyboard.press("PageDown")
    speaker.keyboard.press("PageDown")
    assert deck.page.locator("section.lecture-slide.present h2").inner_text() == following
    assert speaker.locator(".speaker-now h2").inner_text() == following
    speaker.close()


# What is wrong with the slide that is shown: beyond the screen, cut off, or too small.
WRONG = """([slide, code]) => {
    const wrong = [];
    const fits = (box) => box.left >= 0 && box.top >= 0 && box.right <= innerWidth + 1 && box.bottom <= innerHeight;
    const parts = "h1, h2, h3, p, li, pre, img, blockquote, table, .cm-content, .adl-player, .adl-lab";
    for (const part of slide.querySelectorAll(parts)) {
        if (!part.checkVisibility({ visibilityProperty: true }) || part.closest("aside, .adl-lab-spoken")) continue;
        const box = part.getBoundingClientRect();
        if (!box.width || !box.height) continue;
        const html = part.outerHTML.slice(0, 80);
        if (!part.parentElement.closest(".adl-player") && !fits(box)) wrong.push(["beyond", html]);
        // Whatever lies around it may cut it off: its right edge, below, is where it would be missing.
        const seen = document.elementFromPoint(box.right - 2, box.bottom - 2);
        if (!part.closest(".adl-player") && !slide.contains(seen)) wrong.push(["covered", html]);
        if (part.closest(".adl-player")) continue;
        if (part.clientWidth && part.scrollWidth > part.clientWidth + 1)
            wrong.push(["cut", html, part.scrollWidth, part.clientWidth]);
    }
    for (const part of slide.querySelectorAll(".adl-tape .adl-operation, .adl-predict"))
        if (part.scrollWidth > part.clientWidth + 1 || part.scrollHeight > part.clientHeight + 1)
            wrong.push(["shortened", part.outerHTML.slice(0, 80)]);
    if (slide.scrollHeight > slide.clientHeight + 1) wrong.push(["taller", slide.scrollHeight]);
    if (slide.scrollWidth > slide.clientWidth + 1) wrong.push(["wider", slide.scrollWidth]);
    const large = (code * Math.min(innerWidth / 1920, innerHeight / 1080)) - 0.1;
    for (const line of slide.querySelectorAll(".jp-InputArea-editor pre, .cm-line, .jp-RenderedHTMLCommon p"))
        if (line.checkVisibility() && parseFloat(getComputedStyle(line).fontSize) < large)
            wrong.push(["small", line.outerHTML.slice(0, 80)]);
    return wrong;
}"""


def fits_in_every_hall(page, slide, request, moment):
    """Nothing is cut off or too small in any of the three sizes."""
    for width, height in HALLS:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(100)
        current = page.locator(slide).element_handle()
        assert page.evaluate(WRONG, [current, CODE]) == [], (moment, width)
        photograph(page, request, f"{moment} {width}")


@pytest.mark.parametrize("name", LECTURES)
def test_a_clicker_goes_through_the_lecture_and_nothing_is_cut_off(name, kit, new_page, request):
    """In each of the three sizes, at every slide as it is when the clicker is about to turn it."""
    deck = Deck(new_page(offline=True, width=1920, height=1080), kit[f"{name}.html"])
    seen, place = set(), None
    while place != deck.place:
        place = deck.place
        slide = place[:2]
        if tuple(slide) not in seen:
            seen.add(tuple(slide))
            fits_in_every_hall(deck.page, "section.lecture-slide.present", request, str(slide))
        deck.key("PageDown")
    assert len({slide for slide, _ in seen}) == deck.count


@pytest.mark.parametrize("name", LECTURES)
def test_a_handout_is_two_sheets_of_paper(name, kit, new_page):
    """A4 and Letter, and nothing on it is smaller than 9 points."""
    page = new_page(offline=True)
    page.goto(kit[f"{name}.handout.html"].as_uri())
    for paper in ("A4", "Letter"):
        pages = len(re.findall(rb"/Type\s*/Page\b", page.pdf(format=paper)))
        assert pages == 2, paper
    page.emulate_media(media="print")
    sizes = page.locator("main :is(p, li, td, th, h1, h2)").evaluate_all(SIZES)
    assert min(sizes) >= 12  # 9 points


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
@pytest.mark.parametrize(
    "options", [{}, {"mode": "forward"}, {"mode": "both"}, {"fault": "overwrite"}], ids=str
)
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
    deck = Deck(new_page(offline=True, width=width, height=height), kit["40_minutes.html"])
    player = deck.show(WITH_PLAYER)
    photograph(deck.page, request, "the player")
    fits = "e => e.scrollHeight <= e.clientHeight && e.scrollWidth <= e.clientWidth"
    for pane in (".adl-graph-body", ".adl-tape-body", ".adl-source"):
        assert player.root.locator(pane).evaluate(fits), pane
    number = deck.page.locator(".slide-number").bounding_box()

    def whole():
        deck.page.wait_for_timeout(100)
        assert player.root.evaluate(IN_WINDOW)
        box = player.root.bounding_box()
        assert box["y"] + 1 >= number["y"] + number["height"], (
            "the number of the slide stands above"
        )

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


@pytest.mark.parametrize("width, height", HALLS)
def test_a_faulty_engine_has_its_source_and_its_whole_tape_on_the_slide(
    width, height, kit, new_page, request
):
    """Nothing scrolls; and but for the smallest hall each line has its operation, with the true adjoint beside it."""
    deck = Deck(new_page(offline=True, width=width, height=height), kit["90_minutes.html"])
    player = deck.show(".with-player:has(.adl-truth)")
    deck.page.wait_for_timeout(300)
    fits = "e => e.scrollHeight <= e.clientHeight + 1 && e.scrollWidth <= e.clientWidth + 1"
    for pane in (".adl-graph-body", ".adl-tape-body", ".adl-source"):
        assert player.root.locator(pane).evaluate(fits), pane
    operations = player.root.locator(".adl-tape tbody .adl-operation span")
    assert operations.last.is_visible() or width < 1280
    photograph(deck.page, request)


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
    assert body.evaluate("e => e.scrollHeight > e.clientHeight"), (
        "this tape is long enough for the test"
    )
    for _ in range(player.step):
        page.wait_for_timeout(50)
        page.wait_for_function(
            f"e => ({covered})(e).every((room) => room >= -1)", arg=body.element_handle()
        )
        player.key("ArrowLeft")


@pytest.mark.parametrize("theme", THEMES)
def test_the_style_of_a_notebook(theme, server, open_notebook, request):
    code = "def f(x, y):\n    return x * y + x\n\nprint(f(2.0, 3.0))"
    cells = (
        "import autodiff_lab as ad\n\nad.lecture_style()",
        code,
        "ad.play(f, 2.0, 3.0)",
        "ad.table(f, 2.0, 3.0)",
    )
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
