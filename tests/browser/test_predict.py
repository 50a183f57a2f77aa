"""Predict, then reveal: by keyboard, judged in the browser, mistakes by their names, the score in a trait."""

import numpy as np
import pytest

from autodiff_lab import play

from .player_page import AT_HALF_WAY, LAST, PlayerOnPage, cell, f
from .test_themes import readable


@pytest.fixture
def player(new_page, tmp_path):
    play(f, 2.0, 5.0).save_html(tmp_path / "predict.html")
    page = new_page(offline=True, height=1100)
    page.goto((tmp_path / "predict.html").as_uri())
    player = PlayerOnPage(page)
    player.predict()
    return player


def question(player):
    return player.root.locator(".adl-question").inner_text().strip()


def said(player):
    return player.root.get_by_role("status").locator("visible=true").inner_text()


def answer(player, text):
    player.page.keyboard.type(text)
    player.key("Enter")


def asked_about(player, step):
    player.scrub(step - 1)
    player.focus()
    player.key("ArrowRight")
    assert player.step == step - 1, "the step is not shown before the answer"


def test_a_step_is_shown_when_its_questions_are_answered(player):
    asked_about(player, AT_HALF_WAY)
    assert question(player) == "c = sin x2: ∂c/∂x2 ="
    assert "0.2837" not in player.root.inner_text(), "the graph must not give it away"
    answer(player, "0.2837")
    assert question(player) == "x2: (−1) × ∂c/∂x2 ="
    answer(player, "-0.28366218546322625")
    player.arrives_at(AT_HALF_WAY)
    player.shows_half_way()
    assert said(player) == "Right: x2: (−1) × ∂c/∂x2 = −0.2837."
    assert player.root.locator(".adl-score").inner_text() == "2 of 2 right at the first try"
    labels = player.root.locator(".adl-label").all_text_contents()
    assert labels == ["cos x2 = 0.2837"], "the local partial stands on its edge"


def test_an_answer_can_be_picked_on_the_graph(player):
    asked_about(player, 12)
    assert question(player) == "b = x1 · x2: ∂b/∂x1 ="
    typed = player.root.locator(".adl-answer input")
    player.root.locator("[data-node=n1]").click()
    assert typed.input_value() == "5"
    player.root.locator("[data-node=n1]").click()
    assert typed.input_value() == "−0.2837", "picked again, its adjoint"
    player.root.locator("[data-node=n1]").click()
    assert player.step == 11, "the question stays"
    player.key("Enter")
    assert question(player) == "x1: 1 × ∂b/∂x1 ="
    assert typed.input_value() == ""
    player.root.locator("[data-node=n1]").focus()
    player.key("Enter")
    assert typed.input_value() == "5", "by key as well"
    player.key("Enter")
    player.arrives_at(12)
    assert player.root.locator(".adl-score").inner_text() == "2 of 2 right at the first try"


def test_what_is_not_there_yet_cannot_be_picked(player):
    asked_about(player, 2)
    for line in (3, 6):
        player.root.locator(f"[data-node=n{line}]").click()
        assert player.root.locator(".adl-answer input").input_value() == ""
    assert player.step == 1


def test_mistakes_have_names(player):
    asked_about(player, AT_HALF_WAY)
    for typed, hint in (
        ("0.5744", "That is the derivative evaluated at the output."),
        ("-0.2837", "The size is right, the sign is not."),
        ("-0.4161", "That is evaluated at the wrong point"),
        ("7", "Not quite."),
        ("0.284", "Correct so far."),
        ("1/0", "Type a number"),
        ("cosine", "Type a number"),
    ):
        answer(player, typed)
        assert said(player).startswith(hint)
        assert player.step == AT_HALF_WAY - 1
    answer(player, "0.2837")
    answer(player, "0.2837")
    assert said(player).startswith("That leaves out the incoming adjoint")
    answer(player, "-0.2837")
    player.arrives_at(AT_HALF_WAY)
    assert player.root.locator(".adl-score").inner_text() == "0 of 2 right at the first try"
    player.root.get_by_role("combobox", name="Ask for").select_option("adjoint")
    asked_about(player, 12)
    answer(player, "5")
    player.arrives_at(12)
    player.key("ArrowRight")
    assert question(player) == "x2: −0.2837 + 1 × ∂b/∂x2 ="
    answer(player, "2")
    assert said(player).startswith("That is the new contribution alone. Add it to what is there")


def test_reveal_and_leaving(player):
    asked_about(player, AT_HALF_WAY)
    player.press("reveal")
    assert said(player).startswith("It is 0.2837")
    player.press("reveal")
    player.arrives_at(AT_HALF_WAY)
    player.focus()
    player.key("ArrowLeft")
    player.arrives_at(AT_HALF_WAY - 1)
    player.key("ArrowRight")
    player.arrives_at(AT_HALF_WAY)
    player.key("End")
    player.shows_the_gradient()
    player.predict()
    player.scrub(3)
    player.focus()
    player.key("ArrowRight")
    player.arrives_at(4)


def test_keys_in_the_answer_belong_to_the_answer(player):
    asked_about(player, AT_HALF_WAY)
    player.page.keyboard.type("1 2")
    player.key("Home", "ArrowRight", "ArrowLeft", "End")
    assert player.step == AT_HALF_WAY - 1
    assert player.page.evaluate("document.activeElement.value") == "1 2"
    assert player.page.evaluate("document.activeElement.getAttribute('aria-label')").startswith(
        "c = sin x2: ∂c/∂x2"
    )


def test_play_stops_at_a_question_and_tangents_are_asked_too(player):
    player.mode("forward")
    player.direction("x2")
    player.scrub(0)
    player.focus()
    player.key(" ")
    player.root.get_by_role("button", name="Play", exact=True).wait_for()
    assert question(player) == "a = log x1 ="
    answer(player, "0.6931")
    answer(player, "0.5")
    assert said(player).startswith("That is the local partial alone.")
    answer(player, "0")
    player.arrives_at(1)


@pytest.mark.parametrize("width", [1280, 380])
def test_it_keeps_its_height_and_the_answer_is_in_sight(width, new_page, tmp_path):
    play(f, 2.0, 5.0, predict=True).save_html(tmp_path / "predict.html")
    page = new_page(offline=True, width=width, height=800)
    page.goto((tmp_path / "predict.html").as_uri())
    player = PlayerOnPage(page)
    heights = set()
    for step in (4, AT_HALF_WAY, LAST):
        asked_about(player, step)
        heights.add(player.root.bounding_box()["height"])
        box = page.locator(".adl-answer input").bounding_box()
        transport = page.locator(".adl-transport").bounding_box()
        assert box["y"] >= transport["y"] + transport["height"], (
            "the answer is hidden by what stays at the top"
        )
        assert box["y"] + box["height"] <= 800, "the answer is hidden"
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert len(heights) == 1 or width < 700


def test_where_there_is_nothing_to_ask_for_it_is_said(new_page, tmp_path):
    path = play(lambda x: np.sum(x * x), np.ones(3), predict=True).save_html(
        tmp_path / "arrays.html"
    )
    page = new_page(offline=True, height=1100)
    page.goto(path.as_uri())
    player = PlayerOnPage(page)
    assert said(player).startswith("There are no questions about this run")
    assert not player.root.locator(".adl-answer, .adl-ask-side").locator("visible=true").count()
    readable(player)
    player.focus()
    player.key("ArrowRight", "ArrowRight")
    player.arrives_at(2)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read(scheme, new_page, tmp_path):
    play(f, 2.0, 5.0, predict=True).save_html(tmp_path / "predict.html")
    page = new_page(offline=True, height=1400, color_scheme=scheme)
    page.goto((tmp_path / "predict.html").as_uri())
    player = PlayerOnPage(page)
    readable(player)
    asked_about(player, AT_HALF_WAY)
    answer(player, "3")
    readable(player)


def test_the_score_is_a_trait(server, open_notebook):
    cells = (
        cell(f, "player = play(f, 2.0, 5.0, predict=True)\nplayer.step = 12\nplayer"),
        "'a cell below'",
    )
    notebook = open_notebook(server.write("predict.ipynb", *cells), height=1400).run_all()
    player = PlayerOnPage(notebook.page)
    player.root.get_by_role("combobox", name="Ask for").select_option("adjoint")
    player.focus()
    player.key("ArrowRight")
    answer(player, "5")
    player.arrives_at(12)
    player.key("ArrowRight")
    for text in ("2", "1.7163"):
        answer(player, text)
    player.arrives_at(13)
    notebook.add_cell("print(player.predict, player.score)")
    output = notebook.page.locator(".jp-Cell").last.inner_text()
    assert "True {'right': 1, 'asked': 2, 'mistakes': {'overwrote': 1}}" in output
