"""A step moves: numbers travel, and what they bring is written when they arrive. How long, how smooth, how stopped."""

import random

import pytest

from autodiff_lab import play

from .player_page import INPUTS, LAST, PlayerOnPage, f

FIRST, END = INPUTS, INPUTS + LAST - 1  # the steps of the trace at which one can stop


def long_chain(x):
    for _ in range(250):
        x = x * 1.001 + 0.25
    return x


@pytest.fixture
def opened(new_page, tmp_path):
    """Open a page for a reader who has said nothing about motion; with `clock` its time runs as the test says."""

    def opened(function=f, *args, clock=False, **options):
        path = play(function, *(args or (2.0, 5.0))).save_html(tmp_path / "moving.html")
        # a context of its own: its time stops for all of its pages
        own = {"locale": "en-GB"} if clock else {}
        page = new_page(offline=True, **{"reduced_motion": "no-preference", **own, **options})
        if clock:
            page.clock.install()
        page.goto(path.as_uri())
        if clock:
            page.clock.pause_at(page.evaluate("Date.now() + 1000"))
        return PlayerOnPage(page)

    return opened


def is_moving(player):
    return player.root.get_attribute("data-moving") is not None


def tokens(player):
    return player.root.locator(".adl-token").count()


def at(player):
    """The step of the trace that is shown, or on its way."""
    return int(player.root.get_attribute("data-step"))


# Every step that is shown, and what was on the picture when it moved.
NOTE_STEPS = """root => {
    window.steps = [];
    new MutationObserver(() => steps.push(Number(root.dataset.step))).observe(root, { attributeFilter: ["data-step"] });
}"""


def test_the_film_reaches_the_gradient_in_twenty_seconds(opened):
    player = opened(clock=True)
    player.shows_the_start()
    player.root.evaluate(NOTE_STEPS)
    player.root.locator(".adl-begin").click()
    seconds = 0.0
    while player.root.get_attribute("data-playing") and seconds < 30:
        player.page.clock.run_for(250)
        seconds += 0.25
    assert 8 < seconds < 20
    player.shows_the_gradient()
    assert player.page.evaluate("steps") == list(range(FIRST, END + 1)), (
        "each step is shown, and none twice"
    )
    assert not tokens(player) and not is_moving(player)


# What stands below the picture: the arithmetic as far as it is known, and the sentence.
WORDS = """(root) => {
    const known = [...root.querySelectorAll(".adl-equation span:not(.is-coming)")];
    return [Number(root.dataset.step), known.map((e) => e.textContent).join(""),
            root.querySelector(".adl-sentence").textContent, root.dataset.moving !== undefined];
}"""


def test_words_of_two_steps_never_stand_together_and_each_step_rests(opened):
    """Sampled every 50 ms, as a reader sees the film; today's largest line and the sentence are of one step."""
    player = opened(clock=True)
    steps = play(f, 2.0, 5.0).trace.steps
    player.root.locator(".adl-begin").click()
    rests: dict[int, int] = dict.fromkeys(range(FIRST, END), 0)
    seen = set()
    for _ in range(20 * 25):
        s, arithmetic, sentence, moving = player.root.evaluate(WORDS)
        step = steps[s]
        whole = step.arithmetic.text
        has_landed = arithmetic == whole
        assert whole.startswith(arithmetic.rstrip(" =")), (s, arithmetic)
        assert sentence == (step.shown_sentence if has_landed else step.announcement), (
            s,
            arithmetic,
            sentence,
        )
        assert has_landed or moving
        seen.add((s, has_landed))
        if has_landed and s in rests:
            rests[s] += 50
        if s == END and not moving:
            break
        player.page.clock.run_for(50)
    assert seen == {(s, landed) for s in range(FIRST, END + 1) for landed in (False, True)}
    assert min(rests.values()) >= 500 and max(rests.values()) <= 850, rests


def test_what_the_pointer_rests_on_has_no_effect_while_it_plays(opened):
    player = opened(clock=True)
    player.root.locator("[data-node=n3]").hover()
    assert player.root.locator(".is-linked").count()
    player.focus()
    player.key(" ")
    assert not player.root.locator(".is-linked").count(), "what was pointed at is let go"
    for place in ("[data-node=n0]", ".adl-tape tr[data-line='1']", "[data-edge=e3_0] .adl-hit"):
        player.root.locator(place).dispatch_event("pointerenter")
        assert not player.root.locator(".is-linked").count(), place
    player.key(" ")
    player.root.locator("[data-node=n0]").hover()
    assert player.root.locator("[data-node=n0].is-linked").count()


def test_the_colour_of_the_step_wins_over_what_is_pointed_at(opened):
    player = opened()
    look = """() => [...document.querySelectorAll("[data-node=n3] .adl-frame, [data-edge=e3_1] .adl-line,"
        + " .adl-tape tr.is-current, .adl-code .is-current")].map((e) => {
        const { fill, stroke, backgroundColor } = getComputedStyle(e);
        return [fill, stroke, backgroundColor];
    })"""
    player.page.evaluate("document.querySelector('.adl-player').adlRender(14, 1)")
    player.page.wait_for_timeout(200)  # colours change within 120 ms
    before = player.page.evaluate(look)
    assert len(before) >= 4
    for place in ("[data-node=n3]", "[data-edge=e3_1] .adl-hit"):
        player.root.locator(place).dispatch_event("pointerenter")
        player.page.wait_for_timeout(200)
        assert player.page.evaluate(look) == before


# The tips at the start and at the end of an edge.
TIPS = """(edge) => {
    const path = document.querySelector(`[data-edge=${edge}] .adl-line`);
    const tip = (name) => path.getAttribute(name).replace(/.*adl-[0-9]+-[0-9a-z]+-|[)]/g, "");
    return [tip("marker-start"), tip("marker-end")];
}"""


def test_a_swept_edge_points_the_way_the_adjoint_went(opened):
    player = opened()
    player.last_step()
    for edge in ("e2_0", "e3_0", "e3_1", "e4_0", "e4_1", "e5_0", "e6_0", "e6_1"):
        start, end = player.page.evaluate(TIPS, edge)
        assert start and not end, edge
    player.scrub(5)
    assert player.page.evaluate(TIPS, "e2_0") == ["", "plain"], (
        "recorded, and nothing has come back yet"
    )


COVERED = """() => {
    const boxes = [...document.querySelectorAll(".adl-token")].map((e) => e.getBoundingClientRect());
    return boxes.some((a, k) => boxes.slice(k + 1).some((b) =>
        Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2));
}"""


@pytest.mark.parametrize("mode", ["reverse", "forward"])
def test_operands_do_not_hide_each_other(mode, opened):
    player = opened()
    player.mode(mode)
    for s in range(FIRST, FIRST + 5):
        for u in (0.3, 0.5, 0.6, 0.7, 0.74, 0.77, 0.85):
            player.page.evaluate(
                "([s, u]) => document.querySelector('.adl-player').adlRender(s, u)", [s, u]
            )
            assert not player.page.evaluate(COVERED), (s, u)


def test_the_large_button_stands_there_until_the_first_step(opened):
    player = opened(clock=True)
    begin = player.root.locator(".adl-begin")
    assert begin.is_visible()
    assert begin.get_attribute("tabindex") == "-1", "by keyboard there is the other one"
    player.focus()
    player.key("ArrowRight")
    assert not begin.is_visible()
    player.key("Home")
    assert begin.is_visible()
    begin.click()
    assert not begin.is_visible() and player.root.get_attribute("data-playing")


def test_a_player_that_is_started_comes_into_view(opened):
    player = opened(width=930, height=620, reduced_motion="reduce")
    player.page.evaluate(
        "document.body.prepend(Object.assign(document.createElement('div'), { style: 'height: 500px' }))"
    )
    player.page.evaluate("scrollTo(0, 400)")
    y = "document.querySelector('.adl-words').getBoundingClientRect().bottom"
    assert player.page.evaluate(y) > 620
    player.press("Play")
    assert player.page.evaluate(y) <= 620
    assert player.root.locator(".adl-bar").bounding_box()["y"] >= 0


def test_speed_changes_how_long_a_step_takes(opened):
    player = opened(clock=True)

    def takes(times):
        player.speed(times)
        player.first_step()
        player.key("ArrowRight")
        frames = 0
        while is_moving(player):
            player.page.clock.run_for(20)
            frames += 1
        return 20 * frames

    slow, normal, fast = takes(0.5), takes(1), takes(4)
    assert slow == pytest.approx(2 * normal, abs=60) and fast == pytest.approx(normal / 4, abs=60)


def test_a_key_during_a_motion_finishes_it_and_goes_on(opened):
    player = opened(clock=True)
    player.focus()
    player.key("ArrowRight")
    player.page.clock.run_for(300)
    assert (at(player), is_moving(player)) == (FIRST, True) and tokens(player) == 1
    assert player.column("value")[FIRST] == "", "it is not computed before its operand has arrived"
    assert player.root.locator(".adl-equation .is-coming").count(), "nor is the result told"
    player.key("ArrowRight")
    assert (at(player), is_moving(player)) == (FIRST + 1, True)
    assert player.column("value")[FIRST : FIRST + 2] == ["0.6931", ""], (
        "the first has landed, the second is on its way"
    )
    player.key("ArrowLeft")
    assert (at(player), is_moving(player)) == (FIRST, False) and not tokens(player), (
        "back is shown at once"
    )
    player.key("ArrowRight")
    player.page.clock.run_for(3000)
    assert (at(player), is_moving(player)) == (FIRST + 1, False)
    assert (
        player.column("value")[FIRST + 1] == "10" and not player.root.locator(".is-coming").count()
    )


def test_ten_fast_keys_are_ten_steps(opened):
    player = opened(clock=True)
    player.focus()
    player.key(*["ArrowRight"] * 10)
    assert at(player) == FIRST + 9 and player.step == 10
    assert player.column("adjoint")[1] == "−0.2837", "all but the last have landed"
    player.page.clock.run_for(3000)
    player.arrives_at(10)
    player.key(*["ArrowRight"] * 4)
    player.page.clock.run_for(3000)
    player.shows_the_gradient()


def test_pause_finishes_the_step_and_play_goes_on_from_there(opened):
    player = opened(clock=True)
    player.focus()
    player.key(" ")
    player.page.clock.run_for(1200)
    assert is_moving(player)
    player.key(" ")
    assert not is_moving(player) and not tokens(player)
    stopped = at(player)
    assert player.column("value")[stopped] != "", "it is finished, not left half way"
    player.page.clock.run_for(5000)
    assert at(player) == stopped
    player.key(" ")
    player.page.clock.run_for(200)
    assert at(player) == stopped + 1


def test_scrubbing_and_jumping_move_nothing(opened):
    player = opened(clock=True)
    player.root.evaluate(
        """root => {
            window.moved = [];
            new MutationObserver((records) => records.forEach(({ attributeName, addedNodes }) => {
                if (attributeName && root.dataset.moving) moved.push(root.dataset.step);
                addedNodes.forEach((node) => node.matches?.(".adl-token") && moved.push("a number travels"));
            })).observe(root, { childList: true, subtree: true, attributeFilter: ["data-moving"] });
        }"""
    )
    for step in (3, 4, 5, 12, LAST, 1):
        player.scrub(step)
        player.arrives_at(step)
    player.key("End", "ArrowLeft", "ArrowLeft", "Home")
    player.root.locator("tr[data-line='4']").click()
    player.arrives_at(3)
    player.page.clock.run_for(3000)
    assert player.page.evaluate("moved") == []


# What a reader sees at a moment. (Where panes are scrolled to is no part of it.)
SEEN = """([step, progress]) => {
    const player = document.querySelector(".adl-player");
    player.adlRender(step, progress);
    const parts = [...player.querySelectorAll(".adl-panes, .adl-words, .adl-counter, .adl-token, .adl-label")];
    const said = parts.map((e) => e.outerHTML.replaceAll(/ [\\w-]+=""/g, "")); // an empty attribute is none
    return said.sort().join("") + player.dataset.moving;
}"""


@pytest.mark.parametrize("mode", ["reverse", "forward", "both"])
def test_a_moment_is_the_same_whatever_was_shown_before(mode, opened):
    """So a film is a list of moments, and going back is the same thing as going forward."""
    player = opened()
    player.mode(mode)
    last = END if mode != "forward" else FIRST + 4
    moments = [(step, u) for step in range(FIRST, last + 1) for u in (0.1, 0.5, 0.9, 1)]
    in_order = {moment: player.page.evaluate(SEEN, moment) for moment in moments}
    assert len(set(in_order.values())) > 2 * (last - FIRST), "the moments differ"
    shuffled = random.Random(7).sample(moments, len(moments))
    different = [
        moment for moment in shuffled if player.page.evaluate(SEEN, moment) != in_order[moment]
    ]
    assert different == []


# The words that a reader sees at a moment: what is hidden is not among them.
TOLD = """([step, progress]) => {
    const player = document.querySelector(".adl-player");
    player.adlRender(step, progress);
    return player.querySelector(".adl-words").innerText;
}"""

# Where the numbers that travel stand, and where the boxes of the step's lines are: middles, in pixels.
PLACES = """([step, progress]) => {
    const player = document.querySelector(".adl-player");
    player.adlRender(step, progress);
    const middle = (e) => {
        const { x, y, width, height } = e.getBoundingClientRect();
        return [x + width / 2, y + height / 2, width, height];
    };
    const boxes = [...player.querySelectorAll("[data-node^=n]")];
    return [[...player.querySelectorAll(".adl-token")].map(middle),
            Object.fromEntries(boxes.map((e) => [e.dataset.node, middle(e.querySelector(".adl-frame"))]))];
}"""


def test_numbers_travel_from_the_sending_to_the_receiving_box(opened):
    player = opened()
    trace = play(f, 2.0, 5.0).trace
    for s in range(FIRST, END + 1):
        step = trace.steps[s]
        recording = step.phase == "record"
        if step.phase == "seed":
            continue
        operands = [operand.line for operand in trace.lines[step.line].operands]
        receivers = [send.parent for send in step.sends]
        from_, to = (operands, [step.line]) if recording else ([step.line], receivers)
        for progress, lines in ((0.03, from_), (0.77 if recording else 0.92, to)):
            places, boxes = player.page.evaluate(PLACES, [s, progress])
            assert len(places) == len(operands if recording else receivers)
            around = [boxes[f"n{line}"] for line in lines]
            for x, y, *_ in places:
                inside = [
                    abs(x - left) <= w / 2 + 3 and abs(y - top) <= h / 2 + 3
                    for left, top, w, h in around
                ]
                assert any(inside), (s, progress, (x, y), around)


def test_no_result_is_told_before_it_has_arrived(opened):
    player = opened()
    trace = play(f, 2.0, 5.0).trace
    early = []
    for s in range(FIRST, END + 1):
        step = trace.steps[s]
        result = trace.lines[step.line].value.text if step.phase == "record" else ""
        if step.sends and step.sends[0].before is not None:
            result = step.sends[0].after.text
        for progress in (0.1, 0.5, 1):
            told = player.page.evaluate(TOLD, [s, progress])
            if progress < 1 and result and result in told:
                early.append((s, progress, result))
            assert progress < 1 or result in told, "in the end it is told"
    assert not early


OUTSIDE = """(last) => {
    const player = document.querySelector(".adl-player");
    const pane = player.querySelector(".adl-graph-body").getBoundingClientRect();
    const found = [];
    for (let step = 2; step <= last; step++)
        for (const progress of [0.05, 0.3, 0.5, 0.7, 0.9]) {
            player.adlRender(step, progress);
            for (const token of player.querySelectorAll(".adl-token")) {
                const { left, right, top, bottom } = token.getBoundingClientRect();
                if (left < pane.left || right > pane.right || top < pane.top || bottom > pane.bottom)
                    found.push([step, progress, token.textContent]);
                for (const text of token.querySelectorAll("text"))
                    if (text.getBoundingClientRect().width > text.previousSibling.getBoundingClientRect().width)
                        found.push([step, progress, token.textContent, "is wider than its ground"]);
            }
        }
    return found;
}"""


@pytest.mark.parametrize(("width", "height"), [(930, 620), (1280, 720), (390, 844)])
def test_numbers_on_their_way_are_in_view(width, height, opened):
    player = opened(width=width, height=height)
    assert player.page.evaluate(OUTSIDE, END) == []


FRAMES = """(milliseconds) => new Promise((done) => {
    let frames = 0;
    const start = performance.now();
    const count = () => {
        if (performance.now() - start >= milliseconds) return done(frames);
        frames += 1;
        requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
})"""


@pytest.mark.parametrize(
    ("function", "args", "least"),
    [(f, (2.0, 5.0), 0.8), (long_chain, (1.0,), 0.5)],
    ids=["seed", "500 operations"],
)
def test_playing_keeps_the_frames_of_an_empty_page(function, args, least, opened, new_page):
    """The frame rate depends on the machine and its load, so it is compared with that of an idle page."""
    player = opened(function, *args)
    empty = new_page(offline=True)
    shares = []
    # once is enough: others may need the machine, and drawing suffers more than waiting
    for _ in range(12):
        empty.bring_to_front()
        idle = empty.evaluate(FRAMES, 600)
        player.page.bring_to_front()
        player.first_step()
        player.key(" ")
        playing = player.page.evaluate(FRAMES, 1800) / 3
        assert player.root.get_attribute("data-playing"), "it played all the time"
        player.key(" ")
        shares.append(playing / idle)
        if shares[-1] >= least:
            return
    raise AssertionError(shares)


def newton(a):
    x = a
    for _ in range(4):
        x = (x + a / x) / 2
    return x


def power(x, n):
    if n == 0:
        return 1.0
    half = power(x, n // 2)
    if n % 2:
        return half * half * x
    return half * half


# What a number hides while it meets a local partial; and the labels that lie on their own edge, or on a box.
CROWDED = """(steps) => {
    const player = document.querySelector(".adl-player");
    const box = (one) => one.getBoundingClientRect();
    const common = (a, b) =>
        Math.max(0, Math.min(a.right, b.right) - Math.max(a.left, b.left)) *
        Math.max(0, Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
    const found = [];
    let met = 0;
    for (const step of steps) {
        player.adlRender(step, 0.5);
        const texts = [...player.querySelectorAll(".adl-node text")].filter((text) =>
            text.textContent && getComputedStyle(text).display !== "none");
        for (const token of player.querySelectorAll(".adl-token")) {
            met += 1;
            for (const text of texts)
                if (common(box(token), box(text)) > 4) found.push([step, token.textContent, text.textContent]);
        }
        for (const label of player.querySelectorAll(".adl-label")) {
            const own = box(label);
            for (const frame of player.querySelectorAll(".adl-frame"))
                if (common(own, box(frame)) > 4) found.push([step, label.textContent, "on a box"]);
            for (const line of player.querySelectorAll(".adl-edge.is-adjoint .adl-line")) {
                const [length, at] = [line.getTotalLength(), line.getScreenCTM()];
                const isOn = [...Array(50).keys()].some((k) => {
                    const { x, y } = line.getPointAtLength((k / 49) * length).matrixTransform(at);
                    return x > own.left + 2 && x < own.right - 2 && y > own.top + 3 && y < own.bottom - 3;
                });
                if (isOn) found.push([step, label.textContent, "on its edge"]);
            }
        }
    }
    return [found, met];
}"""


@pytest.mark.parametrize(
    ("run", "width"),
    [
        ((f, 2.0, 5.0), 930),
        ((f, 2.0, 5.0), 1366),
        ((newton, 2.0), 1366),
        ((power, 1.3, 5), 930),
        ((power, 1.3, 5), 1366),
    ],
    ids=["seed 930", "seed 1366", "loop 1366", "recursion 930", "recursion 1366"],
)
def test_what_meets_on_a_short_edge_hides_no_text(run, width, new_page, tmp_path):
    player = play(*run)
    page = new_page(offline=True, width=width, height=768)
    page.goto(player.save_html(tmp_path / "meeting.html").as_uri())
    PlayerOnPage(page)
    swept = [k for k, step in enumerate(player.trace.steps) if step.phase == "sweep"]
    found, met = page.evaluate(CROWDED, swept)
    assert met >= len(swept)
    assert found == []
