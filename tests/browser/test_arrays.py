"""The entries of arrays: a node or a line of the tape opens its table, with what broadcasting copies and sums."""

import numpy as np
import pytest

from autodiff_lab import grad, play

from .conftest import photograph
from .player_page import PlayerOnPage


def layer(X, w, b):
    h = np.tanh(X * w + b)
    return np.sum(h * h)


X, W, B = np.arange(6.0).reshape(3, 2) / 4, np.array([0.5, -1.0]), np.array(0.25)


def stacked(A, b):
    return np.sum(np.tanh(A @ b))


def opened(play_args, scheme, new_page, tmp_path, **options):
    path = play(*play_args, **options).save_html(tmp_path / "arrays.html")
    page = new_page(offline=True, width=1300, color_scheme=scheme)
    page.goto(path.as_uri())
    return PlayerOnPage(page)


def entries(table):
    return [
        row.locator("td").evaluate_all("all => all.map((e) => e.firstChild.data)")
        for row in table.locator("tbody tr").all()
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_node_opens_its_table(scheme, new_page, tmp_path, request):
    player = opened((layer, X, W, B), scheme, new_page, tmp_path)
    panel = player.root.locator(".adl-arrays")
    assert not panel.is_visible()
    product = player.root.locator("[data-node=n3]")
    player.focus()
    player.key("End")
    product.focus()
    player.key("Enter", "End")
    assert panel.is_visible() and "entries of v₁ = X · w, shape (3, 2)" in panel.inner_text()
    tables = panel.locator("table")
    captions = tables.locator("caption").all_inner_texts()
    assert captions[:2] == ["value v₁", "adjoint v̄₁"]
    assert entries(tables.nth(0)) == [["0", "−0.25"], ["0.25", "−0.75"], ["0.5", "−1.25"]]
    adjoint = grad(lambda Z: np.sum(np.tanh(Z + B) ** 2))(X * W)
    shown = [[float(text.replace("−", "-")) for text in row] for row in entries(tables.nth(1))]
    np.testing.assert_allclose(shown, adjoint, atol=6e-5)
    copied = tables.nth(captions.index("w, copied to fit (dashed)"))
    assert entries(copied) == [["0.5", "−1"]] * 3
    assert copied.locator("td.is-copy").count() == 4
    assert copied.locator("td.is-copy").first.locator(".adl-unseen").text_content().strip() == "(a copy)"
    summed = tables.nth(captions.index("summed: what w gets"))
    total = grad(layer, 1)(X, W, B)
    assert [float(text.replace("−", "-")) for text in entries(summed)[0]] == pytest.approx(total, abs=6e-5)
    negative = tables.nth(0).locator("td.is-negative")
    assert negative.count() == 3
    photograph(player.page, request, f"a table {scheme}")
    player.key("Home")
    assert not panel.is_visible(), "what is not recorded yet is not told"
    player.key("ArrowRight")
    assert [text.split("  ")[0] for text in tables.locator("caption").all_inner_texts()][:2] == [
        "value v₁",
        "operand w",
    ], "there is no adjoint yet"
    panel.get_by_role("button", name="Close the entries").click()
    assert not panel.is_visible()


def test_a_line_of_the_tape_opens_it_and_escape_closes_it(new_page, tmp_path):
    player = opened((layer, X, W, B), "light", new_page, tmp_path)
    player.focus()
    player.key("End")
    panel = player.root.locator(".adl-arrays")
    player.root.locator("tr[data-line='1']").click()
    assert "w" in panel.inner_text() and "shape (2,)" in panel.inner_text()
    player.root.locator(f"tr[data-line='{6}']").click()
    assert panel.is_visible()
    panel.get_by_role("group").first.focus()
    player.key("Escape")
    assert not panel.is_visible()
    player.root.locator("tr[data-line='2']").click()
    assert not panel.is_visible(), "a number has no table"


def test_stacked_and_large(new_page, tmp_path, request):
    A, b = np.arange(90.0).reshape(2, 15, 3) / 40, np.ones((3, 14)) / 3
    player = opened((stacked, A, b), "light", new_page, tmp_path)
    player.focus()
    player.key("End")
    player.root.locator("tr[data-line='2']").click()
    panel = player.root.locator(".adl-arrays")
    value = panel.locator("table").first
    assert "slice 1 of 2, 12 of 15 rows, 12 of 14 columns" in value.locator("caption").inner_text()
    assert entries(value)[0][0] == "0.0250"[:5] and len(entries(value)) == 12
    panel.get_by_role("button", name="Next slice").click()
    assert "slice 2 of 2" in value.locator("caption").inner_text()
    assert float(entries(value)[11][0]) == pytest.approx(A[1, 11].sum() / 3, abs=6e-5)
    player.key("Enter")
    assert "slice 2 of 2" in value.locator("caption").inner_text(), "there are no more"
    box, root = panel.bounding_box(), player.root.bounding_box()
    assert box["x"] + box["width"] <= root["x"] + root["width"] + 1
    photograph(player.page, request, "a slice")


@pytest.mark.parametrize("width", [1300, 380])
def test_a_broadcast_edge_says_copied_and_its_adjoint_summed(width, new_page, tmp_path, request):
    page = new_page(offline=True, width=width)
    page.goto(play(layer, X, W, B).save_html(tmp_path / "arrays.html").as_uri())
    player = PlayerOnPage(page)
    player.focus()
    copies = [
        ("(2,) → (3, 2)", "w, of shape (2,), is copied to (3, 2)."),
        ("() → (3, 2)", "The number b is copied to (3, 2)."),
    ]
    for on_edge, said in copies:
        player.key("ArrowRight")
        [label] = player.root.locator(".adl-label").all_text_contents()
        assert label in (on_edge, "→ (3, 2)"), "the short form, where a high box leaves little room"
        assert said in player.sentence()
        # Neither the labels nor the boxes stand over each other.
        drawn = player.root.evaluate(
            """root => [".adl-label", ".adl-node .adl-frame"].map((which) => [...root.querySelectorAll(which)]
                .map((one) => one.getBoundingClientRect()).map(({ x, y, right, bottom }) => [x, y, right, bottom]))"""
        )
        for left, top, right, bottom in drawn[0]:
            for x, y, far, low in drawn[1]:
                assert right <= x + 1 or far <= left + 1 or bottom <= y + 1 or low <= top + 1
    for receiver, keys in (("b", ["End", "ArrowLeft", "ArrowLeft"]), ("w", ["End"])):
        player.key(*keys)
        assert player.arithmetic().startswith(f"{receiver}: ") and ", summed = " in player.arithmetic()
        assert "sends the sum of" in player.sentence() and "over its copies" in player.sentence()
        photograph(page, request, f"summed for {receiver} {width}")


def test_the_tape_shows_the_numbers_of_an_array(new_page, tmp_path):
    wide = np.array([[0.0476, 1.234], [5.678, 0.9876], [1.111, 2.222]])
    player = opened((lambda X, b: np.mean(np.tanh(X / 3 + b)), wide, B), "light", new_page, tmp_path)
    player.focus()
    player.key("End")
    rows = player.root.locator(".adl-tape tbody tr[data-line]")
    value = rows.nth(0).locator("td.adl-value")
    assert value.locator(".adl-unseen").text_content() == "(3, 2) array, min 0.0476, max 5.678"
    assert "(3, 2)" in value.get_attribute("title")
    named = value.locator(".adl-tape-cell").evaluate_all("all => all.map((cell) => cell.title)")
    assert named == ["[0, 0]: 0.0476", "[0, 1]: 1.23", "[1, 0]: 5.68", "[1, 1]: 0.988", "[2, 0]: 1.11", "[2, 1]: 2.22"]
    assert rows.nth(0).locator("td.adl-adjoint .adl-tape-cell").count() == 6
    assert not [text for text in rows.locator("td:not(.adl-operation)").all_inner_texts() if text.endswith("…")]
    tape = player.root.locator(".adl-tape-body")
    assert tape.evaluate("e => e.scrollWidth <= e.clientWidth"), "and there is room for them"
