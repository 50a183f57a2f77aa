"""All that is needed to understand a step is in view at once, and nothing lies on anything else."""

import numpy as np
import pytest

from autodiff_lab import play

from .player_page import INPUTS, PlayerOnPage, f


def cross_entropy(W, x, b, y):
    z = W @ x + b
    e = np.exp(z)
    p = e / np.sum(e)
    return -np.sum(y * np.log(p))


def layers(params, x):
    h = np.tanh(params["W1"] @ x + params["b1"])
    h = np.tanh(params["W2"] @ h + params["b2"])
    return np.sum(params["W3"] @ h + params["b3"])


def random_layers():
    random = np.random.default_rng(3)
    shapes = {"W1": (4, 3), "b1": (4,), "W2": (4, 4), "b2": (4,), "W3": (2, 4), "b3": (2,)}
    return {name: random.normal(size=shape) for name, shape in shapes.items()}, np.array(
        [0.5, -1.0, 2.0]
    )


FUNCTIONS = {
    "seed": (f, (2.0, 5.0)),
    "cross-entropy": (
        cross_entropy,
        (
            np.array([[1.0, -2.0], [0.5, 0.25], [0.0, 1.0]]),
            np.array([0.5, -1.0]),
            np.array([0.1, 0.2, -0.3]),
            np.array([0.0, 1.0, 0.0]),
        ),
    ),
    "three layers": (layers, random_layers()),
}
SCREENS = {
    "a notebook on a laptop": (930, 620, "normal"),
    "a laptop": (1280, 720, "normal"),
    "a projector": (1920, 1080, "lecture"),
    "a tablet": (800, 1000, "normal"),
    "a phone": (390, 844, "normal"),
}

# What is wrong with the picture of a moment; nothing, if all is well. On a phone source and tape are
# further down, and of a large graph (not `whole`) there is what the step is about.
FAULTS = """([phone, whole]) => {
    const player = document.querySelector(".adl-player");
    const one = (selector) => player.querySelector(selector);
    const all = (selector) => [...player.querySelectorAll(selector)];
    const found = [];
    const rect = (e) => e.getBoundingClientRect();
    const inside = (a, b, by = 1.5) =>
        a.left >= b.left - by && a.right <= b.right + by && a.top >= b.top - by && a.bottom <= b.bottom + by;
    const overlap = (a, b, by = 1.5) =>
        a.left < b.right - by && b.left < a.right - by && a.top < b.bottom - by && b.top < a.bottom - by;
    const screen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    const need = (what, e, around) => {
        if (!e) found.push(`${what} is not there`);
        else if (!inside(rect(e), around)) found.push(`${what} is out of view`);
    };
    need("the transport", one(".adl-transport"), screen);
    need("the arithmetic", one(".adl-words"), screen);
    need("the graph", one(".adl-graph-body"), screen);
    const { scrollHeight, clientHeight } = one(".adl-words");
    if (scrollHeight > clientHeight + 1) found.push(`the words are cut: ${scrollHeight} in ${clientHeight}`);

    const graph = rect(one(".adl-graph-body"));
    const framed = (e) => ({ e, name: e.dataset.node, frame: rect(e.querySelector(".adl-frame")) });
    const boxes = all(".adl-node").map(framed);
    boxes.forEach(({ e, name, frame }, k) => {
        if (whole || e.matches(".is-current, .is-operand")) need(`box ${name}`, e.querySelector(".adl-frame"), graph);
        for (const text of e.querySelectorAll("text:not(.adl-on-tape)"))
            if (text.textContent && !inside(rect(text), frame, 2))
                found.push(`"${text.textContent}" does not fit in box ${name}`);
        for (const other of boxes.slice(k + 1))
            if (overlap(frame, other.frame)) found.push(`boxes ${name} and ${other.name} overlap`);
    });
    for (const label of all(".adl-label")) {
        need(`label "${label.textContent}"`, label, graph);
        for (const { name, frame } of boxes)
            if (overlap(rect(label), frame)) found.push(`label "${label.textContent}" lies on box ${name}`);
    }
    if (!phone) {
        for (const name of ["source", "tape"]) need(`the ${name}`, one(`.adl-pane-${name}`), screen);
        for (const piece of all(".adl-code .is-current")) need("what runs", piece, rect(one(".adl-source")));
        if (player.dataset.phase !== "start")
            for (const cell of all(".adl-tape tbody tr.is-current > *")) {
                const [column] = cell.className.split(" ");
                if (cell.offsetWidth) need(`of the row of the tape the ${column}`, cell, rect(one(".adl-tape-body")));
            }
    }
    const names = [".adl-bar", ".adl-inputs", ".adl-pane-graph", ".adl-pane-source", ".adl-pane-tape", ".adl-words"];
    const parts = names.filter((name) => one(name)?.offsetHeight);
    parts.forEach((name, k) => parts.slice(k + 1).forEach((other) => {
        if (overlap(rect(one(name)), rect(one(other)))) found.push(`${name} and ${other} overlap`);
    }));
    if (document.documentElement.scrollWidth > innerWidth) found.push("the page scrolls sideways");
    return [...new Set(found)];
}"""


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_all_that_a_step_needs_is_in_view(name, screen, new_page, tmp_path):
    function, args = FUNCTIONS[name]
    width, height, scale = SCREENS[screen]
    player = play(function, *args, scale=scale)
    page = new_page(offline=True, width=width, height=height)
    page.goto(player.save_html(tmp_path / "composed.html").as_uri())
    shown = PlayerOnPage(page)
    phone = shown.root.get_attribute("data-where") == "column"
    assert phone == (width < 700)
    last = len(player.trace.steps) - 1
    found = {}
    for step in [-1, *range(player._n_inputs, last + 1)]:
        shown.root.evaluate("(player, step) => player.adlRender(step, 1)", step)
        faults = page.evaluate(FAULTS, [phone, not phone or name == "seed"])
        for fault in faults:
            found.setdefault(fault, []).append(step)
    assert not found, "\n".join(f"{fault}: at the steps {steps}" for fault, steps in found.items())


@pytest.mark.parametrize("screen", [screen for screen in SCREENS if screen != "a phone"])
def test_the_graph_of_the_seed_function_is_large(screen, new_page, tmp_path):
    width, height, scale = SCREENS[screen]
    page = new_page(offline=True, width=width, height=height)
    page.goto(play(f, 2.0, 5.0, scale=scale).save_html(tmp_path / "composed.html").as_uri())
    player = PlayerOnPage(page)
    panes, graph = (
        player.root.locator(selector).bounding_box()
        for selector in (".adl-panes", ".adl-pane-graph")
    )
    assert graph["width"] * graph["height"] >= 0.5 * panes["width"] * panes["height"]
    size = player.root.locator("[data-node=n0] .adl-value").evaluate(
        "e => e.getBoundingClientRect().height / 1.2"
    )
    assert size >= 11, "type in a box is never under 11 px"


def test_on_a_phone_the_transport_stays_in_reach(new_page, tmp_path):
    page = new_page(offline=True, width=390, height=700)
    page.goto(play(f, 2.0, 5.0).save_html(tmp_path / "composed.html").as_uri())
    player = PlayerOnPage(page)
    player.scrub(3)
    for pane in (".adl-source", ".adl-tape"):
        player.root.locator(pane).scroll_into_view_if_needed()
        page.evaluate(
            "selector => document.querySelector(selector).scrollIntoView({ block: 'end' })", pane
        )
        bar = player.root.locator(".adl-bar").bounding_box()
        assert 0 <= bar["y"] <= 1, "it stays at the top of the window"
        before = page.evaluate("scrollY")
        assert before > 0, "there is something below"
        step = player.step
        player.press("Forward one step")
        player.arrives_at(step + 1)
        assert page.evaluate("scrollY") == before, "the page does not jump"
    assert player.step == 3 + len((".adl-source", ".adl-tape")) and INPUTS == 2
