"""Optional controls are folded away, and a value has the name that the learner's code gives it."""

import pytest

from autodiff_lab import play

from .player_page import AT_HALF_WAY, PlayerOnPage, f
from .test_themes import readable


@pytest.fixture
def opened(new_page, tmp_path):
    def opened(page=None, width=1280, **options):
        page = page or new_page(offline=True, width=width)
        page.goto(play(f, 2.0, 5.0, **options).save_html(tmp_path / "details.html").as_uri())
        return PlayerOnPage(page)

    return opened


WITHOUT = (".adl-modes", ".adl-options > label select", ".adl-options > label input", ".adl-meter")


def is_open(player):
    fold = player.root.locator(".adl-details")
    button = player.root.get_by_role("button", name="Details", exact=True)
    assert (button.get_attribute("aria-expanded") == "true") == fold.is_visible()
    return fold.is_visible()


def test_the_fold_is_closed_first_and_stays_as_it_was_left(opened):
    player = opened()
    assert not is_open(player)
    assert player.root.get_by_role("button", name="predict", exact=True).is_visible(), (
        "it teaches most: it is at hand"
    )
    for inside in WITHOUT:
        assert not player.root.locator(inside).first.is_visible()
    player.open_details()
    assert is_open(player)
    for inside in WITHOUT:
        assert player.root.locator(inside).first.is_visible()
    assert is_open(opened(player.page)), "the next page is as this one was left"
    player.press("Details")
    assert not is_open(player)
    assert not is_open(opened(player.page))
    assert is_open(opened(player.page, details=True)), "who writes the notebook may open it"


@pytest.mark.parametrize("width", [1280, 390])
def test_opening_it_hides_nothing_and_steps_nothing(width, opened):
    player = opened(width=width)
    player.scrub(AT_HALF_WAY)
    player.open_details()
    player.shows_half_way()
    readable(player)
    assert player.page.evaluate("document.documentElement.scrollWidth") <= width
    fold = player.root.locator(".adl-details").bounding_box()
    for part in (".adl-bar", ".adl-pane-graph", ".adl-words"):
        box = player.root.locator(part).bounding_box()
        assert (
            box["y"] + box["height"] <= fold["y"] + 1 or box["y"] >= fold["y"] + fold["height"] - 1
        ), part
    player.speed(2)
    player.key("ArrowUp")
    assert player.step == AT_HALF_WAY, "a list keeps its own arrows"


def test_the_source_folds_away_and_the_tape_takes_its_room(opened):
    player = opened()
    source, tape = (player.root.locator(f".adl-pane-{name}") for name in ("source", "tape"))
    before = tape.bounding_box()["y"]
    player.open_details()
    player.root.get_by_role("checkbox", name="your function").uncheck()
    player.press("Details")
    assert not source.is_visible() and tape.bounding_box()["y"] < before - 50
    assert not opened(player.page).root.locator(".adl-pane-source").is_visible(), (
        "the next page is as this one was left"
    )


def test_values_are_called_what_the_learner_has_called_them(opened):
    player = opened()
    player.scrub(AT_HALF_WAY)
    names = player.root.locator(".adl-tape tbody th[scope=row]")
    assert [name.strip() for name in names.all_inner_texts()][:6] == [
        "x1",
        "x2",
        "a",
        "b",
        "s",
        "c",
    ]
    headings = [player.node(line).split(" | ")[0] for line in range(6)]
    assert headings == ["x1", "x2", "alog", "b×", "s+", "csin"], "the name, then the operation"
    for tape_name in ("v₀", "v₁", "v₄"):
        assert tape_name not in player.root.inner_text(), (
            "a name of the tape is shown to who asks for it"
        )


def test_names_on_the_tape_and_symbols_for_those_who_ask(opened):
    player = opened()
    player.scrub(AT_HALF_WAY)
    symbols = player.root.locator(".adl-symbols")
    assert not symbols.is_visible()
    player.show_names()
    assert "v̄₀" in symbols.inner_text() and "v̄₄" in symbols.inner_text()
    on_tape = player.root.locator(".adl-tape .adl-on-tape")
    assert [name.strip() for name in on_tape.all_inner_texts()][:6] == [
        "v₋₁",
        "v₀",
        "v₁",
        "v₂",
        "v₃",
        "v₄",
    ]
    assert player.root.locator("[data-node=n5] .adl-on-tape").is_visible()
    readable(player)
    again = opened(player.page)
    again.scrub(AT_HALF_WAY)
    assert symbols.is_visible(), "it is remembered"
    again.show_names(False)
    assert not symbols.is_visible() and not on_tape.first.is_visible()
