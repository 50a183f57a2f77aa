"""The player in Chromium, Firefox and WebKit: it plays, steps, fits and is painted alike."""

from __future__ import annotations

import time

import numpy as np
import pytest

from autodiff_lab import play

from .conftest import CHROMIUM_FLAGS, SCREENSHOTS, SCREENSHOTS_WANTED, _begin_screenshots, _missing
from .engines import ENGINES, Engine, Missing, started
from .player_page import GRADIENT, cell, f

# What Selenium says of its own driver for WebKit.
pytestmark = pytest.mark.filterwarnings(
    "ignore:setting remote_server_addr in RemoteConnection:DeprecationWarning"
)

LAPTOP, PHONE = (930, 620), (390, 780)
TEXTS = ["5.5", "1.7163"]
assert [round(slope, 4) for slope in GRADIENT] == [float(text) for text in TEXTS]

ROOT = "document.querySelector('.adl-player')"
THERE = f"() => {ROOT}"
STEPS = f"() => {ROOT}.querySelector('.adl-counter').textContent.split(' / ').map(Number)"
AT_REST = f"(n) => !{ROOT}.dataset.moving && !{ROOT}.dataset.playing && ({STEPS})()[0] === n"
GRADIENT_SHOWN = (
    f"() => [...{ROOT}.querySelectorAll('.adl-gradient .adl-t-result')].map((e) => e.textContent)"
)
SHOW = f"(step, u) => {ROOT}.adlRender(step, u)"
# What is seen of a motion: each place in which a number was, and at how many steps.
WATCH = f"""() => {{
    const root = {ROOT};
    window.seen = {{ places: new Set(), steps: new Set() }};
    (function look() {{
        const token = root.querySelector(".adl-token");
        if (root.dataset.moving && token) seen.places.add(token.getAttribute("transform"));
        if (root.dataset.moving) seen.steps.add(root.dataset.step);
        requestAnimationFrame(look);
    }})();
}}"""
SEEN = "() => [seen.places.size, seen.steps.size]"


@pytest.fixture(scope="module", params=ENGINES)
def engine(request, tmp_path_factory):
    try:
        with started(request.param, CHROMIUM_FLAGS) as engine:
            _begin_screenshots(tmp_path_factory.getbasetemp())
            SCREENSHOTS.mkdir(exist_ok=True)
            yield engine
    except Missing as missing:
        _missing(str(missing))


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return play(f, 2.0, 5.0).save_html(tmp_path_factory.mktemp("engines") / "flow.html")


@pytest.fixture
def opened(engine: Engine, saved):
    def open_at(size, page=saved):
        engine.open_in_frame(page, *size)
        engine.wait_until(THERE)
        return engine.evaluate(STEPS)[1]

    yield open_at
    engine.verdict()


def photograph(engine, moment):
    if SCREENSHOTS_WANTED:
        time.sleep(0.3)  # colours fade
        engine.look().save(SCREENSHOTS / f"{engine.name} {moment}.png")


def set_speed(engine, times):
    """Choose a speed in the fold, and close it."""
    engine.click(".adl-more-button")
    engine.click(f".adl-details option[value='{times}']")
    engine.click(".adl-more-button")


def play_the_picture(engine, last):
    """Press ▶ on the picture, and look on until the end."""
    set_speed(engine, 4)
    engine.evaluate(WATCH)
    engine.click(".adl-begin")
    engine.wait_until(AT_REST, last, seconds=60)
    places, steps = engine.evaluate(SEEN)
    assert steps == last, "each step is seen to move"
    assert places > 5, "the numbers are seen on their way"
    assert engine.evaluate(GRADIENT_SHOWN) == TEXTS
    engine.press("ARROW_LEFT")
    assert engine.evaluate(AT_REST, last - 1), (
        "the keys reach the player, now that the button is gone"
    )
    engine.press("END")


def test_the_picture_plays_to_the_end(engine, opened):
    last = opened(LAPTOP)
    photograph(engine, "start")
    play_the_picture(engine, last)
    photograph(engine, "end")


def test_keys_and_slider(engine, opened):
    last = opened(LAPTOP)
    engine.click(".adl-buttons [data-action=forward]")
    engine.wait_until(AT_REST, 1)
    engine.evaluate(WATCH)
    engine.press("ARROW_RIGHT")
    engine.wait_until(AT_REST, 2)
    places, steps = engine.evaluate(SEEN)
    assert steps == 1
    assert places > 1
    engine.press("END")
    assert engine.evaluate(AT_REST, last), "the end is there at once"
    assert engine.evaluate(GRADIENT_SHOWN) == TEXTS
    engine.press("ARROW_LEFT")
    assert engine.evaluate(AT_REST, last - 1), "a step back does not move"
    engine.press("HOME")
    assert engine.evaluate(AT_REST, 0)
    assert engine.evaluate(GRADIENT_SHOWN) == []
    engine.press("ARROW_RIGHT", "ARROW_RIGHT", "ARROW_RIGHT")
    engine.wait_until(AT_REST, 3)
    engine.click(".adl-scrubber input")
    middle = engine.evaluate(STEPS)[0]
    assert abs(middle - last / 2) <= 1
    assert engine.evaluate(AT_REST, middle), "the slider shows end states only"
    engine.press("ARROW_RIGHT")
    engine.wait_until(AT_REST, middle + 1)
    assert engine.evaluate("() => document.activeElement.type") == "range"


# What is needed to play, and by how many pixels it is outside of what it has to be in.
OUTSIDE = f"""() => {{
    const root = {ROOT}, faults = [], box = (element) => element.getBoundingClientRect();
    const within = (element, outer, slack, name) => {{
        const {{ left, top, right, bottom }} = box(element);
        const by = Math.max(outer.left - left, outer.top - top, right - outer.right, bottom - outer.bottom);
        if (by > slack) faults.push(`${{name}}: ${{by.toFixed(1)}} px`);
    }};
    const screen = {{ left: 0, top: 0, right: innerWidth, bottom: innerHeight }};
    within(root, screen, 0, "the player");
    for (const one of root.querySelectorAll(".adl-bar :is(button, input)")) within(one, screen, 0, one.ariaLabel);
    within(root.querySelector(".adl-graph"), box(root.querySelector(".adl-graph-body")), 0.5, "the graph");
    for (const one of root.querySelectorAll(".adl-words > *"))
        if (box(one).height) within(one, box(root.querySelector(".adl-words")), 0.5, one.className);
    for (const node of root.querySelectorAll(".adl-node")) {{
        const frame = box(node.querySelector(".adl-frame"));
        const texts = [...node.querySelectorAll("text:not(.adl-on-tape)")].filter((text) => text.textContent);
        for (const text of texts) within(text, frame, 0.5, `${{text.textContent}} in its box`);
        const [first, second, third] = texts.map((text) => (box(text).top + box(text).bottom) / 2);
        if (Math.abs(second - first - (third - second)) > 2) faults.push(`uneven rows: ${{[first, second, third]}}`);
    }}
    for (const token of root.querySelectorAll(".adl-token > g"))
        within(token.querySelector("text"), box(token.querySelector("rect")), 0.5, "a number on its way");
    return faults;
}}"""


def test_everything_fits_at_every_step(engine, opened):
    last = opened(LAPTOP)
    assert engine.evaluate(OUTSIDE) == []
    for _ in range(last):
        engine.click(".adl-buttons [data-action=forward]")
        step = int(engine.evaluate(f"() => {ROOT}.dataset.step"))
        for u in (0.3, 0.5, 0.75, 1):
            engine.evaluate(SHOW, step, u)
            assert engine.evaluate(OUTSIDE) == [], (step, u)
    engine.evaluate(SHOW, step - 6, 0.5)
    photograph(engine, "middle")


# The coloured edges, each with its tip, a point before it, and its colour.
TIPS = f"""() => [...{ROOT}.querySelectorAll(".adl-edge:is(.is-value, .is-adjoint) .adl-line")].map((path) => {{
    const length = path.getTotalLength(), at = path.getScreenCTM(), back = path.matches(".is-adjoint *");
    const screen = (far) => {{
        const {{ x, y }} = path.getPointAtLength(back ? far : length - far);
        return [at.a * x + at.e, at.d * y + at.f];
    }};
    return [screen(0), screen(11), at.a, getComputedStyle(path).stroke.match(/\\d+/g).slice(0, 3).map(Number)];
}})"""


def painted_across(picture, tip, before, scale, colour):
    """How many pixels of the colour lie across an edge, 11 units before its tip."""
    (x, y), (bx, by) = tip, before
    length = ((x - bx) ** 2 + (y - by) ** 2) ** 0.5
    across = ((y - by) / length, (bx - x) / length)
    near = range(round(-8 * scale), round(8 * scale) + 1)
    pixels = [
        picture.getpixel((round(bx + k * across[0]), round(by + k * across[1]))) for k in near
    ]
    return sum(max(abs(a - b) for a, b in zip(pixel, colour, strict=True)) < 60 for pixel in pixels)


def test_tips_are_painted_while_stepping(engine, opened):
    last = opened(LAPTOP)
    set_speed(engine, 4)
    count = 0
    for step in range(1, last + 1):
        engine.click(".adl-buttons [data-action=forward]")
        engine.wait_until(AT_REST, step)
        picture = engine.look()
        for tip, before, scale, colour in engine.evaluate(TIPS):
            count += 1
            assert painted_across(picture, tip, before, scale, colour) >= 6 * scale, (
                f"step {step}: no tip at {tip}"
            )
    assert count > last


UNDERLINED = f"""() => [...{ROOT}.querySelectorAll('.has-entries')].map((element) => {{
    const {{ textDecorationLine, textDecorationStyle }} = getComputedStyle(element);
    return `${{textDecorationLine}} ${{textDecorationStyle}}`;
}})"""


def test_an_array_is_underlined_and_opens(engine, opened, tmp_path):
    page = play(lambda x: np.sum(x * x), np.array([1.0, 2.0, 3.0])).save_html(
        tmp_path / "arrays.html"
    )
    last = opened(LAPTOP, page)
    engine.click(".adl-buttons [data-action=forward]")
    engine.press("END")
    engine.wait_until(AT_REST, last)
    assert set(engine.evaluate(UNDERLINED)) == {"underline dotted"}
    engine.click(".adl-tape .has-entries")
    engine.wait_until(f"() => {ROOT}.querySelector('.adl-arrays:not([hidden]) td')")


WIDE = f"""() => [...{ROOT}.querySelectorAll("*")].filter((element) => {{
    const {{ left, right, width }} = element.getBoundingClientRect();
    return width && (left < 0 || right > innerWidth) && !element.parentElement.closest(".adl-scroll, .adl-unseen");
}}).map((element) => element.outerHTML.slice(0, 80))"""


def test_a_phone_shows_one_column(engine, opened):
    last = opened(PHONE)
    photograph(engine, "phone")
    for step in range(last + 1):
        if step:
            engine.click(".adl-buttons [data-action=forward]")
        assert engine.evaluate("() => document.documentElement.scrollWidth") <= PHONE[0]
        assert engine.evaluate(WIDE) == []
    engine.wait_until(AT_REST, last)
    engine.evaluate("() => scrollTo(0, 1e6)")
    bar = engine.evaluate(
        f"() => {ROOT}.querySelector('.adl-transport').getBoundingClientRect().toJSON()"
    )
    assert bar["top"] >= 0
    assert bar["bottom"] <= PHONE[1], "the transport stays in reach"


def open_notebook(engine, server, path):
    """Open a notebook in JupyterLab, and wait until its page has a kernel."""
    engine.open(f"{server.url}/doc/tree/{path}?token={server.token}&reset")
    engine.wait_until(
        "() => document.querySelector('.jp-Notebook .jp-Cell .cm-content')", seconds=60
    )
    for _ in range(600):
        kernel = server.kernel_of(path)
        if kernel and kernel["connections"] and kernel["execution_state"] == "idle":
            break
        # which kernel to use
        engine.evaluate("() => document.querySelector('.jp-Dialog .jp-mod-accept')?.click()")
        time.sleep(0.1)
    engine.wait_until(
        "() => document.querySelector('.jp-Notebook-ExecutionIndicator[data-status=idle]')"
    )


@pytest.mark.parametrize("engine", ["chromium", "firefox"], indirect=True)
def test_in_jupyterlab(engine, tidy_server):
    open_notebook(
        engine,
        tidy_server,
        tidy_server.write(f"in_{engine.name}.ipynb", cell(f, "play(f, 2.0, 5.0)")),
    )
    engine.click(".jp-Cell .cm-content")
    engine.hold("SHIFT", "ENTER")
    engine.wait_until(THERE, seconds=60)
    last = engine.evaluate(STEPS)[1]
    play_the_picture(engine, last)
    photograph(engine, "JupyterLab")
    engine.press("HOME", "ARROW_RIGHT", "ARROW_RIGHT")
    engine.wait_until(AT_REST, 2)
    engine.press("END")
    assert engine.evaluate(AT_REST, last)
    engine.evaluate(f"() => {ROOT}.querySelector('.adl-input input').focus()")
    engine.press("ARROW_RIGHT")
    changed = (
        f"(before) => ({GRADIENT_SHOWN})().length === 2 && String(({GRADIENT_SHOWN})()) !== before"
    )
    engine.wait_until(changed, ",".join(TEXTS))
    engine.verdict()
