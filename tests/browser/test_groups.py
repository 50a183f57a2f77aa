"""A large graph is shown in groups: they open by a click, by a key, and by themselves where the step is."""

import statistics

import numpy as np
import pytest

from autodiff_lab import play

from .axe import serious
from .conftest import photograph
from .player_page import PlayerOnPage, cell
from .test_long_runs import MEASURED


def layer(x, a, b):
    h = np.tanh(a * x + b)
    return h * h - a


def network(x, w):
    for _ in range(20):
        for _ in range(3):
            x = x + 0.01 * np.sin(w * x)
        x = layer(x, w, x) * 0.5 + layer(w, x, w)
    return x * w


def wave(x, w):
    for _ in range(400):
        x = x + 0.01 * np.sin(w * x)
    return x


def few(x, w):
    for _ in range(30):
        x = x + 0.01 * np.sin(w * x)
    return x


LAYER = "x = layer(x, w, x) * 0.5 + la…"


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("groups")
    paths = {}

    def saved(f, **options):
        key = (f.__name__, *options.items())
        if key not in paths:
            paths[key] = play(f, 0.5, 1.3, **options).save_html(folder / f"{len(paths)}.html")
        return paths[key].as_uri()

    return saved


class Graph(PlayerOnPage):
    """A player whose graph has groups."""

    def open(self):
        """The titles of the groups that are open, the outermost first."""
        return [
            text.strip("▾ ")
            for text in self.root.locator(".is-open > .adl-group-title").all_text_contents()
        ]

    def group(self, title, number=0):
        return self.root.locator(".adl-group").filter(has_text=title).nth(number)

    def settles(self):
        """Wait until nothing moves any more."""
        self.page.evaluate(
            """async () => {
            const size = () => document.querySelector("svg.adl-graph").getAttribute("viewBox");
            for (let before; before !== size(); ) {
                before = size();
                await new Promise((done) => setTimeout(done, 60));
                await new Promise(requestAnimationFrame);
            } }"""
        )

    def focused(self):
        """What is said of the group that has the focus."""
        return self.page.evaluate("document.activeElement.querySelector('title').textContent")

    def head(self, title, number=0):
        """Where an open group closes."""
        title = self.group(title, number).locator(".adl-group-title")
        title.evaluate(
            "(text) => text.scrollIntoView({ block: 'nearest', inline: 'center', behavior: 'instant' })"
        )
        box = title.bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def scene(self):
        """Every box on screen: its id, whether it is an open group, and its sides."""
        return self.page.evaluate(
            """() => [...document.querySelectorAll(".adl-graph [data-node], .adl-graph [data-group]")].map((part) => {
            const { left, right, top, bottom } = part.querySelector(".adl-frame").getBoundingClientRect();
            return [part.dataset.node ?? part.dataset.group, part.matches(".is-open"), left, right, top, bottom]; })"""
        )


@pytest.fixture
def graph(new_page, saved):
    def graph(f=network, group="auto", **options):
        page = new_page(offline=True, **{"width": 1400, **options})
        page.goto(saved(f, group=group))
        return Graph(page)

    return graph


def inside(one, other):
    return (
        one[2] >= other[2] - 1
        and one[3] <= other[3] + 1
        and one[4] >= other[4] - 1
        and one[5] <= other[5] + 1
    )


def apart(one, other):
    return (
        one[3] <= other[2] + 1
        or other[3] <= one[2] + 1
        or one[5] <= other[4] + 1
        or other[5] <= one[4] + 1
    )


def tidy(player):
    """No box lies over another, unless that one is an open group, and then inside of it."""
    boxes = player.scene()
    for k, one in enumerate(boxes):
        for other in boxes[k + 1 :]:
            nested = (other[1] and inside(one, other)) or (one[1] and inside(other, one))
            assert nested or apart(one, other), (one, other)
    return len(boxes)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_group_of_the_step_opens_and_closes_behind_it(scheme, graph, request):
    player = graph(color_scheme=scheme)
    assert player.open() == []
    assert player.root.locator("[data-node^=n]").count() == 3, (
        "the inputs, and what follows the loop"
    )
    photograph(player.page, request, f"start {scheme}")
    player.focus()
    player.key("ArrowRight")
    assert player.open() == ["for _ in range(20):", "iteration 1", "for _ in range(3):"]
    player.key(*["ArrowRight"] * 12)
    assert player.open() == ["for _ in range(20):", "iteration 1", LAYER]
    closed = player.group("for _ in range(3):")
    assert closed.get_attribute("aria-expanded") == "false"
    assert (
        closed.locator("title")
        .text_content()
        .startswith("for _ in range(3):: 3 times, 12 operations, uses x, w, v₁₂ = ")
    )
    photograph(player.page, request, f"inside {scheme}")
    tidy(player)
    player.key("ArrowLeft", "ArrowLeft")
    assert player.open() == ["for _ in range(20):", "iteration 1", "for _ in range(3):"]
    player.key("Home")
    assert player.open() == []
    player.key("End")
    assert player.open() == ["for _ in range(20):", "iteration 1", "for _ in range(3):"]
    photograph(player.page, request, f"end {scheme}")
    player.scrub(470)
    assert len(player.open()) == 3 and "iteration 1" not in player.open()
    assert player.root.locator("[data-node].is-current").count() == 1
    photograph(player.page, request, f"middle {scheme}")
    tidy(player)


def test_a_click_opens_a_group_and_its_head_closes_it(graph, request):
    player = graph()
    player.focus()
    player.key("End")
    player.scrub(0)
    step = player.step
    player.group("for _ in range(20):").click()
    player.settles()
    assert tidy(player) > 20
    player.group("iteration 2").click()
    player.settles()
    player.group(LAYER).click()
    player.settles()
    assert player.open() == ["for _ in range(20):", "iteration 2", LAYER]
    assert player.step == step, "to open a group is no step"
    tidy(player)
    photograph(player.page, request, "by hand")
    player.focus()
    player.key(*["ArrowRight"] * 5)
    assert LAYER in player.open() and "iteration 2" in player.open(), (
        "what was opened by hand stays"
    )
    player.page.mouse.click(*player.head("iteration 2"))
    player.settles()
    assert LAYER not in player.open()
    player.page.mouse.click(*player.head("for _ in range(20):"))
    player.settles()
    assert player.open() == []
    player.key("ArrowRight")
    assert player.open() == [], "closed by hand, it stays closed while the step is in it"


def test_keys_open_groups_and_walk_through_them(graph):
    player = graph()
    page = player.page
    loop = player.group("for _ in range(20):")
    loop.focus()
    player.key("Enter")
    assert loop.get_attribute("aria-expanded") == "true"
    player.settles()
    assert page.evaluate("document.activeElement.dataset.group") == loop.get_attribute("data-group")
    player.key("ArrowDown")
    assert player.focused().startswith("iteration 1: 24 operations")
    player.key(" ")
    player.settles()
    player.key("ArrowDown")
    assert player.focused().startswith("for _ in range(3):")
    player.key("ArrowUp", "ArrowUp", "Enter")
    player.settles()
    assert player.open() == [] and player.step == 0
    assert page.evaluate("document.querySelectorAll('.adl-graph [tabindex=\"0\"]').length") == 1, (
        "one tab stop"
    )


def test_the_focus_goes_to_the_group_when_its_operation_goes(graph):
    player = graph()
    player.focus()
    player.key(*["ArrowRight"] * 5)
    player.root.locator("[data-node=n4]").focus()
    player.key(*["ArrowRight"] * 12)
    assert player.focused().startswith("for _ in range(3):: 3 times, 12")


def test_all_open_and_all_closed(graph, request):
    player = graph()
    player.focus()
    player.key(*["ArrowRight"] * 5)
    player.press("open all")
    player.settles()
    lines = player.root.locator("tr[data-line]").count()
    assert player.root.locator(".adl-graph [data-node^=n]").count() == lines
    tidy(player)
    photograph(player.page, request, "all open")
    player.press("close all")
    assert player.open() == []


def test_pointing_at_a_line_lights_the_group_that_holds_it(graph):
    player = graph()
    player.root.locator("tr[data-line='40']").hover()
    lit = player.root.locator(".adl-group.is-linked")
    assert lit.count() == 1 and "for _ in range(20):" in lit.text_content()
    player.root.locator("tr[data-line='1']").hover()
    assert lit.count() == 0


def test_forward_mode_shows_tangents_in_closed_groups(graph, request):
    player = graph()
    player.mode("both")
    player.focus()
    player.key("End")
    turn = player.group("iteration 2")
    assert [bool(text) for text in turn.locator("tspan").all_text_contents()[-4:]] == [True] * 4
    photograph(player.page, request, "both")
    player.mode("forward")
    player.key("End")
    assert player.root.locator(".adl-group .adl-tangent").first.text_content()
    assert not player.root.locator(".adl-group .adl-adjoint").first.text_content()


def test_a_graph_of_few_operations_is_drawn_as_it_is(graph):
    player = graph(few)
    assert player.root.locator("[data-group]").count() == 0
    assert player.root.locator("[data-node^=n]").count() == 122
    assert player.root.get_by_role("button", name="open all").count() == 0


def test_groups_can_be_refused(graph):
    player = graph(network, group=None)
    assert player.root.locator("[data-group]").count() == 0
    assert (
        player.root.locator("[data-node^=n]").count()
        == player.root.locator("tr[data-line]").count()
    )


@pytest.mark.parametrize(
    "options",
    [
        {"width": 380},
        {"width": 380, "color_scheme": "dark"},
        {"width": 1400},
        {"width": 1400, "color_scheme": "dark"},
    ],
    ids=lambda options: " ".join(map(str, options.values())),
)
def test_axe_finds_nothing_serious(options, graph, request):
    player = graph(**options)
    player.focus()
    for keys in ([], ["ArrowRight"] * 20, ["End"]):
        player.key(*keys)
        assert not serious(player.page, "html"), keys
    photograph(player.page, request, " ".join(map(str, options.values())))


def test_at_the_scale_of_a_lecture(new_page, saved, request):
    page = new_page(offline=True, width=1600, height=900)
    page.goto(saved(network, scale="lecture"))
    player = Graph(page)
    player.focus()
    player.key(*["ArrowRight"] * 9)
    assert len(player.open()) == 3
    tidy(player)
    photograph(page, request, "lecture")


def test_nothing_moves_where_motion_is_not_wanted(graph):
    player = graph(reduced_motion="reduce")
    sizes = player.page.evaluate(
        """async () => {
        const group = document.querySelector(".adl-group");
        group.dispatchEvent(new MouseEvent("click", { bubbles: true }));
        const sizes = [];
        for (let k = 0; k < 20; k++) {
            sizes.push(group.querySelector(".adl-frame").getAttribute("width"));
            await new Promise(requestAnimationFrame);
        }
        return sizes; }"""
    )
    assert len(set(sizes)) == 1


def test_motion_takes_less_than_200_ms_and_ends_where_it_should(graph):
    player = graph(reduced_motion="no-preference")
    sizes = player.page.evaluate(
        """async () => {
        const group = document.querySelector(".adl-group");
        const size = () => [performance.now(), Number(group.querySelector(".adl-frame").getAttribute("width"))];
        const sizes = [size()];
        group.dispatchEvent(new MouseEvent("click", { bubbles: true }));
        for (let k = 0; k < 40; k++) {
            await new Promise(requestAnimationFrame);
            sizes.push(size());
        }
        return sizes; }"""
    )
    widths = [width for _, width in sizes]
    assert widths == sorted(widths) and widths[-1] > 5 * widths[0]
    assert len(set(widths)) > 2, "it grows"


def test_a_step_into_another_group_takes_less_than_a_frame(graph):
    """Milliseconds for a key, up to the layout; the machine may be busy, so the best of three walks counts."""
    player = graph()
    player.focus()
    walks = []
    for _ in range(3):
        player.key("Home", "ArrowRight", "ArrowRight")
        times = player.page.evaluate(MEASURED, [0, 70, "ArrowRight"])
        walks.append((statistics.median(times), max(times)))
    print(
        f"median and worst of a step: {[tuple(round(time, 1) for time in walk) for walk in walks]} ms"
    )
    assert min(median for median, _ in walks) < 50


def test_a_long_run_shows_all_of_itself(graph, request):
    player = graph(wave)
    player.focus()
    player.key(*["ArrowRight"] * 3)
    assert player.open() == [
        "for _ in range(400):",
        "iterations 1–100",
        "iterations 1–10",
        "iteration 1",
    ]
    assert player.root.get_by_text(
        "the whole run in groups; at hand: lines v₋₁ to v₈₀ of 1\u202f602"
    ).is_visible()
    tidy(player)
    photograph(player.page, request, "long, start")
    player.key("End")
    player.key(*["ArrowLeft"] * 3)
    closed = player.group("iterations 201–300")
    assert "is-swept" in closed.get_attribute("class")
    assert len(closed.locator(".adl-adjoint").text_content()) > 3, "of another stretch"
    player.group("iterations 101–200").click()
    player.settles()
    assert "iterations 101–200" in player.open()
    tidy(player)
    held = player.root.locator(".adl-held")
    step = player.step
    player.group("iterations 151–160").click()
    assert "some stretches of the run only" in held.inner_text(), "its lines are not in this page"
    assert player.step == step
    photograph(player.page, request, "long, end")


def test_a_group_of_a_long_run_fetches_its_stretch(server, open_notebook, request):
    cells = (cell(wave, "player = play(wave, 0.5, 1.3)\nplayer"),)
    notebook = open_notebook(
        server.write("groups.ipynb", *cells), height=1100, width=1400
    ).run_all()
    player = Graph(notebook.page)
    player.group("for _ in range(400):").click()
    player.settles()
    player.group("iterations 101–200").click()
    player.settles()
    player.group("iterations 151–160").focus()
    player.key("Enter")
    player.arrives_at(150 * 4 + 1)
    assert player.open()[-3:] == ["iterations 101–200", "iterations 151–160", "iteration 151"]
    assert player.root.locator(".adl-tape tbody tr.is-current th").inner_text() == "v₆₀₁"
    photograph(notebook.page, request, "fetched")
