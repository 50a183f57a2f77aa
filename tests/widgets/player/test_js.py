"""The player's JavaScript: its pure half under node, its colours by calculation."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from autodiff_lab import grad
from autodiff_lab.figures.graph import fit
from autodiff_lab.figures.graph.alternatives import ROOMS
from autodiff_lab.text.dataclass_json import is_named_tuple
from autodiff_lab.text.numbers import number, spell_nonfinite
from autodiff_lab.trace.faulty_engines import FAULTS
from autodiff_lab.trace.model import RunOptions, Trace
from autodiff_lab.widgets.player import page
from autodiff_lab.widgets.player import views as modes
from autodiff_lab.widgets.player.views import reuse_or_compute_layout

from .cases import CASES

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(
    NODE is None, reason="node is not installed, so the player's pure half is not tested"
)


ARRAYS = {
    "rows": (
        lambda A, b: np.sum(A * b),
        (np.arange(6.0).reshape(2, 3), np.array([1.0, -2.0, 0.5])),
    ),
    "columns": (
        lambda A, b: np.sum(A + b),
        (np.arange(6.0).reshape(2, 3), np.array([[7.0], [8.0]])),
    ),
    "slices": (
        lambda A, b: np.sum(A * b),
        (np.arange(24.0).reshape(3, 2, 4), np.array([10.0, 20.0, 30.0])[:, None, None]),
    ),
    "scalar": (lambda A, b: np.sum(A * b), (np.arange(3.0), 2.0)),
    "large": (lambda A, b: np.sum(A * b), (np.arange(600.0).reshape(20, 30), np.arange(30.0))),
}


def layers(x, w):
    for _ in range(20):
        for _ in range(3):
            x = x + 0.01 * np.sin(w * x)
        x = np.tanh(x * x + w * x) - x
    return x * w


def wave(x, w):
    for _ in range(400):
        x = x + 0.01 * np.sin(w * x)
    return x


# The example from the literature, with a slider or two moved from (2, 5).
MOVED = {"x1": (2.1, 5.0), "x1 back": (1.9, 5.0), "both": (2.1, 5.1)}

GROUPED = {"turns": (layers, (0.5, 1.3)), "long": (wave, (0.5, 1.3))}


def sample_numbers():
    """Numbers of all sizes: random ones, short ones, and ties, at which a last digit is rounded either way."""
    draw = random.Random(3)
    for _ in range(2000):
        x = draw.choice((-1, 1)) * draw.random() * 10.0 ** draw.randint(-12, 12)
        yield x
        yield round(x, draw.randint(0, 6))
    yield from (0.03125, 0.09375, -0.15625, 1234500000.0, 1235500000.0, 2.00000001, 0.0005, 1e20)
    yield from (0.0, 1e6, 999999.99999, 1e9, 5e-324, 1.7e308)


def return_both(x):
    y = x * x
    return y, np.sin(y)


def in_full(x):
    """What JavaScript has of a record: objects with all fields, also of named tuples."""
    if dataclasses.is_dataclass(x):
        return {field.name: in_full(getattr(x, field.name)) for field in dataclasses.fields(x)}
    if is_named_tuple(type(x)):
        return {name: in_full(value) for name, value in x._asdict().items()}
    return [in_full(one) for one in x] if isinstance(x, tuple) else spell_nonfinite(x)


def written_in_full():
    """The payload of runs of each kind, and each of its traces in full."""
    long = modes.views(*GROUPED["long"])
    runs = {
        **{name: modes.views(*run) for name, run in CASES.items()},
        "not finite": modes.views(lambda x: 2 * x, (np.array([np.inf, np.nan]),)),
        "second": modes.views(grad(CASES["square"][0]), CASES["square"][1]),
        "faulty": modes.views(*CASES["seed"], RunOptions(fault="overwrite")),
        "all results": modes.views(return_both, (3.0,), RunOptions(seed=(10, 1))),
        "custom": modes.views(*CASES["seed"], RunOptions("forward", (1.0, 0.5))),
        "long": long,
        "long, later": long.around(900),
    }
    for name, views in runs.items():
        layouts = (
            {key: [{}] for key in views.traces_to_measure}
            if views.long
            else {"": [{}], "all": [{}]}
        )
        forward = {direction: in_full(run) for direction, run in views.forward.items()}
        yield (
            name,
            {
                "payload": views.payload(layouts),
                "reverse": in_full(views.trace),
                "forward": forward,
            },
        )


def fits():
    """How graphs of several sizes fit rooms, and which is chosen, by Python: usual rooms, and some at each border."""
    sizes = itertools.product((60, 300, 560, 1100, 2800), (60, 250, 420, 900))
    layouts = []
    for k, (width, height) in enumerate(sizes):
        step = {"width": width / 2, "height": height / (1 + k % 3)}
        layouts.append({"width": width, "height": height, "ease": 1 - k % 4 / 10, "step": step})
    rooms = [
        *ROOMS,
        (300.0, 300.0),
        (fit.PHONE_WIDTH - 1, 300.0),
        (fit.PHONE_WIDTH, 300.0),
        (1900.0, 1000.0),
    ]
    for room, unit in itertools.product(rooms, (1.0, fit.FAR_UNIT, 1.6)):
        yield {
            "room": dict(zip(("width", "height"), room, strict=True)),
            "unit": unit,
            "layouts": layouts,
            "fits": [fit.fit_in(room, layout, unit)._asdict() for layout in layouts],
            "worth": [fit.worth_in(room, layout, unit) for layout in layouts],
            "best": fit.choose_for_room(room, layouts, unit),
        }


def grouped(f, args):
    """Payloads of a run whose graph has groups: at the start, and of a long run in the middle as well."""
    views = modes.views(f, args)
    shown = [views] if views.long is None else [views, views.around(900)]
    return [each.payload(reuse_or_compute_layout(each)) for each in shown]


@pytest.fixture(scope="module")
def cases(tmp_path_factory) -> Path:
    views = {name: modes.views(f, args) for name, (f, args) in CASES.items()}
    traces = {name: shown.trace for name, shown in views.items()}
    nowhere = {"": [{}], "all": [{}]}
    data = {
        "payloads": {name: shown.payload(nowhere) for name, shown in views.items()},
        "adjoints": {
            name: [
                [adjoint and adjoint.text for adjoint in trace.adjoints_at(s)]
                for s in range(-1, len(trace.steps))
            ]
            for name, trace in traces.items()
        },
        "sentences": {
            name: [(step.announcement, step.shown_sentence) for step in trace.steps]
            for name, trace in traces.items()
        },
        "equations": {
            name: [[equation.text for equation in step.equations] for step in trace.steps]
            for name, trace in traces.items()
        },
        "all results": modes.views(return_both, (3.0,), RunOptions(seed=(10, 1))).payload(nowhere),
        "faulty": {
            fault: Trace.of(*CASES["seed"][:1], *CASES["seed"][1], fault=fault).to_dict()
            for fault in FAULTS
        },
        "second": modes.views(grad(CASES["square"][0]), CASES["square"][1]).payload({"": [{}]}),
        "moved": {
            name: modes.views(CASES["seed"][0], at).payload(nowhere) for name, at in MOVED.items()
        },
        "fits": list(fits()),
        "numbers": [(repr(x), number(x)) for x in sample_numbers()],
        "in full": dict(written_in_full()),
        "grouped": {name: grouped(*run) for name, run in GROUPED.items()},
        "arrays": {name: modes.views(*ARRAYS[name]).payload({"": [{}]}) for name in ARRAYS},
        "tangents": {
            name: {
                direction: [
                    [[t.text for t in line] for line in run.tangents_at(s)]
                    for s in range(len(run.steps))
                ]
                for direction, run in shown.forward.items()
            }
            for name, shown in views.items()
        },
        "meters": {
            name: [step.meter._asdict() for step in shown.trace.steps]
            for name, shown in views.items()
        },
        "agreements": {
            name: {
                direction: run.agreement and run.agreement.text
                for direction, run in shown.forward.items()
            }
            for name, shown in views.items()
        },
    }
    path = tmp_path_factory.mktemp("player") / "cases.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def node(*command: str, **environment: str) -> None:
    # The flag lets an older node see by itself that a .js file is a module.
    done = subprocess.run(
        [NODE, "--experimental-detect-module", *command],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr


MODULES = sorted([*page.PARTS.glob("js/**/*.js"), page.PARTS.parent / "live.js"])


@needs_node
@pytest.mark.parametrize(
    "tests", sorted(Path(__file__).parent.glob("*.test.mjs")), ids=lambda path: path.name
)
def test_pure_half_under_node(cases, tests):
    modules = [str(path) for path in MODULES]
    node("--test", str(tests), PLAYER_MODULES=json.dumps(modules), PLAYER_CASES=str(cases))


def test_nothing_in_the_modules_reaches_for_the_network():
    for text in (page.SCRIPT, page.STYLE):
        addresses = set(re.findall(r"https?://[^\s\"']+", text)) - {"http://www.w3.org/2000/svg"}
        assert not addresses
        assert not re.search(
            r"@import|@font-face|\bfetch\(|XMLHttpRequest|innerHTML|outerHTML|eval\(", text
        )


def test_every_style_rule_stays_inside_the_player():
    written = "\n".join(path.read_text(encoding="utf-8") for path in page.PARTS.glob("css/*.css"))
    css = re.sub(r"/\*.*?\*/", "", written, flags=re.DOTALL)
    for selectors in re.findall(r"([^{}]+)\{", css):
        if selectors.strip().startswith("@"):
            continue
        while "(" in selectors:  # a comma in :is(…) begins no selector
            selectors = re.sub(r"\([^()]*\)", "", selectors)
        for selector in selectors.split(","):
            assert ".adl-player" in selector, selector


def _colours() -> dict[str, tuple[str, str]]:
    css = page.STYLE
    return {
        name: (light, dark)
        for name, light, dark in re.findall(
            r"--adl-([^\s:]+): ?light-dark\(([^\s,]+), ?(\S+?)\)[;}]", css
        )
    }


def _contrast(one: str, other: str) -> float:
    def luminance(colour: str) -> float:
        channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(
    "paper", ["paper", "raised", "value_tint", "tangent_tint", "adjoint_paper", "link", "warn_tint"]
)
@pytest.mark.parametrize("ink", ["ink", "soft_ink", "value", "tangent", "adjoint", "warn"])
def test_text_is_readable_on_every_ground(ink, paper, theme):
    colours = _colours()
    assert _contrast(colours[ink][theme], colours[paper][theme]) >= 4.5


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_a_recorded_sweep_is_readable(theme):
    colours = _colours()
    assert _contrast(colours["seed"][theme], colours["paper"][theme]) >= 4.5
    for ink in ("ink", "soft_ink", "value", "tangent", "adjoint"):
        assert _contrast(colours[ink][theme], colours["inner_tint"][theme]) >= 4.5


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("sign", ["positive", "negative"])
def test_table_numbers_are_readable_on_the_strongest_colour(sign, theme):
    colours = _colours()
    most = float(re.search(rf"--adl-{sign}\) calc\(([\d.]+) ", page.STYLE)[1])
    over, under = (
        [int(colours[name][theme][k : k + 2], 16) for k in (1, 3, 5)] for name in (sign, "paper")
    )
    mixed = "#" + "".join(
        f"{round(most * a + (1 - most) * b):02x}" for a, b in zip(over, under, strict=True)
    )
    assert _contrast(colours["ink"][theme], mixed) >= 4.5


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("line", ["line", "focus", "value", "tangent", "adjoint"])
def test_lines_are_visible(line, theme):
    colours = _colours()
    assert _contrast(colours[line][theme], colours["paper"][theme]) >= 3
