"""The elements of arrays: a node or a tape line opens a table, which shows how broadcasting copies and sums."""

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
    assert (
        copied.locator("td.is-copy").first.locator(".adl-unseen").text_content().strip()
        == "(a copy)"
    )
    summed = tables.nth(captions.index("summed: what w gets"))
    total = grad(layer, 1)(X, W, B)
    assert [float(text.replace("−", "-")) for text in entries(summed)[0]] == pytest.approx(
        total, abs=6e-5
    )
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
        ("(2,) → (3, 2)", "w, of shape (2,), is broadcast to (3, 2)."),
        ("() → (3, 2)", "The number b is broadcast to (3, 2)."),
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
        assert (
            player.arithmetic().startswith(f"{receiver}: ") and ", summed = " in player.arithmetic()
        )
        assert "sends the sum of" in player.sentence() and "over its copies" in player.sentence()
        photograph(page, request, f"summed for {receiver} {width}")


def softmax_loss(z):
    e = np.exp(z - np.max(z))
    p = e / np.sum(e)
    return -np.log(p[0])


def attention(q, K, V):
    e = np.exp(K @ q / np.sqrt(2.0))
    o = e / np.sum(e) @ V
    return np.sum(o * o)


def network(x, params):
    h = np.tanh(params["W1"] @ x + params["b1"])
    y = params["W2"] @ h + params["b2"]
    return np.sum(y * y)


def product(A, B):
    C = A @ B
    return np.sum(C * C)


def picked(x, c):
    return x[1] * x[-1] * c * c


def stretched(x, M):
    h = np.tanh(M @ x)
    return np.sum(h * h) - h[3]


KEYS = np.array([[0.2, 0.4], [1.0, -0.5], [-0.3, 0.9]])
PARAMS = {
    "W1": KEYS,
    "b1": np.array([0.1, 0.0, -0.1]),
    "W2": np.array([[0.7, -0.5, 0.2]]),
    "b2": np.array([0.05]),
}
MOVING = {
    "softmax": (softmax_loss, np.array([2.0, 1.0, 0.1])),
    "attention": (attention, np.array([1.0, 0.5]), KEYS, 2 * KEYS),
    "network": (network, np.array([1.0, -0.5]), PARAMS),
    "broadcasting": (layer, X, W, B),
    "product": (product, KEYS.T, KEYS),
    "large": (stretched, np.arange(-20.0, 20.0) / 20, np.arange(1200.0).reshape(30, 40) / 1200),
    "index": (picked, np.array([3.0, -1.0, 0.5, 2.0]), 2.0),
}

# What travels, or is written on an edge, over a text in a box; a sum may stand over the number that it repeats.
# And what is hidden itself half way, but for the seed, which then is in its box.
HIDDEN = """(steps) => {
    const player = document.querySelector(".adl-player");
    const common = (a, b) =>
        Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) *
        Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
    const isAbove = (a, b) => Boolean(b.compareDocumentPosition(a) & Node.DOCUMENT_POSITION_FOLLOWING);
    const hidden = [], unseen = [];
    let travelled = 0;
    for (const step of steps)
        for (const progress of [0.1, 0.3, 0.5, 0.7, 0.9]) {
            player.adlRender(step, progress);
            const texts = [...player.querySelectorAll(".adl-node text, .adl-group text")].filter((text) =>
                text.textContent && getComputedStyle(text).display !== "none");
            const frames = [...player.querySelectorAll(".adl-frame")].map((frame) => frame.getBoundingClientRect());
            for (const one of player.querySelectorAll(".adl-token, .adl-label")) {
                const own = one.getBoundingClientRect();
                for (const text of texts) {
                    const area = common(own, text.getBoundingClientRect());
                    const repeats = one.textContent.includes(text.textContent);
                    if (area > 4 && isAbove(one, text) && !repeats)
                        hidden.push([step, progress, one.textContent, text.textContent]);
                }
                if (!one.matches(".adl-token")) continue;
                travelled += 1;
                const covered = frames.reduce((sum, frame) => sum + common(own, frame), 0);
                if (progress === 0.5 && covered > 0.75 * own.width * own.height && player.dataset.phase !== "seed")
                    unseen.push([step, one.textContent]);
            }
        }
    return [hidden, unseen, travelled];
}"""


@pytest.mark.parametrize("width", [1366, 390])
@pytest.mark.parametrize("name", MOVING)
def test_nothing_that_travels_hides_a_text_in_a_box(name, width, new_page, tmp_path):
    player = play(*MOVING[name])
    page = new_page(offline=True, width=width, height=800)
    page.goto(player.save_html(tmp_path / "moving.html").as_uri())
    PlayerOnPage(page)
    hidden, unseen, travelled = page.evaluate(HIDDEN, [*range(len(player.trace.steps))])
    assert travelled > 20, "and it was looked at"
    assert hidden == []
    assert unseen == []


def test_an_array_travels_as_cells_that_fan_out_and_fold_in(new_page, tmp_path):
    trace = play(layer, X, W, B).trace
    page = new_page(offline=True, width=1366)
    page.goto(play(layer, X, W, B).save_html(tmp_path / "moving.html").as_uri())
    PlayerOnPage(page)

    def cells(step, progress):
        """How many cells travel, and in how many places they are, for each array or number on its way."""
        return page.evaluate(
            """([step, progress]) => {
                document.querySelector(".adl-player").adlRender(step, progress);
                const tokens = [...document.querySelectorAll(".adl-token")];
                const place = (one) => one.getAttribute("transform");
                return tokens.map((token) => [...token.querySelectorAll(":scope > g:has(.adl-cell)")].map(place))
                    .map((places) => [places.length, new Set(places).size]);
            }""",
            [step, progress],
        )

    first = next(s for s, step in enumerate(trace.steps) if trace.lines[step.line].op == "multiply")
    assert sorted(cells(first, 0.1)) == [[6, 2], [6, 6]], "w has not fanned out yet"
    assert sorted(cells(first, 0.6)) == [[6, 6], [6, 6]]
    last = next(
        s for s, step in enumerate(trace.steps) if step.phase == "sweep" and step.sends[0].copies
    )
    assert cells(last, 0.1) == [[6, 6]]
    assert cells(last, 0.79) == [[6, 1]], "the copies of b are summed"


def test_a_large_array_is_a_strip_with_its_range(new_page, tmp_path):
    path = play(*MOVING["large"]).save_html(tmp_path / "strip.html")
    page = new_page(offline=True, width=1366)
    page.goto(path.as_uri())
    player = PlayerOnPage(page)
    player.last_step()
    matrix = player.root.locator("[data-node=n1] .adl-cells.is-value")
    assert matrix.locator(".adl-cell").count() == 6 * 16
    assert matrix.locator("title").first.text_content() == "[0:5, 0:2], the largest: 0.1342"
    assert player.node(0).startswith("x(40,) | min −1, max 0.95 | min ")
    tape = player.root.locator(".adl-tape tbody tr[data-line='0'] td.adl-value")
    assert tape.locator(".adl-tape-cell").count() == 16
    assert tape.locator(".adl-unseen").text_content() == "(40,) array, min −1, max 0.95"
    overlaps = page.evaluate(
        """() => {
            const box = (one) => one.getBoundingClientRect();
            const hit = (a, b) => a.top < b.bottom - 1 && b.top < a.bottom - 1;
            return [...document.querySelectorAll(".adl-node")].flatMap((node) => {
                const texts = [...node.querySelectorAll(":scope > text")].filter((text) => text.textContent);
                const strips = [...node.querySelectorAll(".adl-cells.is-strip:not(.is-empty)")];
                const hidden = texts.filter((text) => strips.some((strip) => hit(box(text), box(strip))));
                return hidden.map((text) => text.textContent);
            });
        }"""
    )
    assert overlaps == [], "a range stands below its strip"


def test_the_tape_shows_the_numbers_of_an_array(new_page, tmp_path):
    wide = np.array([[0.0476, 1.234], [5.678, 0.9876], [1.111, 2.222]])
    player = opened(
        (lambda X, b: np.mean(np.tanh(X / 3 + b)), wide, B), "light", new_page, tmp_path
    )
    player.focus()
    player.key("End")
    rows = player.root.locator(".adl-tape tbody tr[data-line]")
    value = rows.nth(0).locator("td.adl-value")
    assert value.locator(".adl-unseen").text_content() == "(3, 2) array, min 0.0476, max 5.678"
    assert "(3, 2)" in value.get_attribute("title")
    named = value.locator(".adl-tape-cell").evaluate_all("all => all.map((cell) => cell.title)")
    assert named == [
        "[0, 0]: 0.0476",
        "[0, 1]: 1.234",
        "[1, 0]: 5.678",
        "[1, 1]: 0.9876",
        "[2, 0]: 1.111",
        "[2, 1]: 2.222",
    ]
    assert rows.nth(0).locator("td.adl-adjoint .adl-tape-cell").count() == 6
    assert not [
        text
        for text in rows.locator("td:not(.adl-operation)").all_inner_texts()
        if text.endswith("…")
    ]
    tape = player.root.locator(".adl-tape-body")
    assert tape.evaluate("e => e.scrollWidth <= e.clientWidth"), "and there is room for them"
