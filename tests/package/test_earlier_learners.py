"""What a learner has from before the modules moved still works: the file of progress, and a notebook's own cells."""

import json
import re

import nbformat
import pytest

from ..notebooks.normalise import execute
from ..notebooks.reading import exercises, shown

PROGRESS = [
    {"version": 1, "kind": "tried", "exercise": "ex_03_1"},
    {"version": 1, "kind": "passed", "exercise": "ex_03_1"},
    {"version": 1, "kind": "tried", "exercise": "ex_03_2"},
    {"version": 1, "kind": "tried", "exercise": "ex_14_4"},
    {"version": 1, "kind": "passed", "exercise": "ex_14_4"},
    {"version": 1, "kind": "seed", "seed": "ada"},
]
LABS = [
    "BranchRecorder",
    "BroadcastLens",
    "CheckpointTimeline",
    "DualPlayground",
    "FeedGraph",
    "GradcheckBench",
    "JacobianPainter",
    "NaNDetective",
    "NewtonHVP",
    "OrderLab",
    "SwellMeter",
    "TagInspector",
    "TapeCompiler",
    "TapeWatch",
    "ThreeDesigns",
    "TraceTable",
    "TrainFilm",
    "TrainRoom",
    "VCurve",
]
CELLS = {
    "the package": "import autodiff_lab as ad\n"
    "from autodiff_lab import check_grads, custom_gradient, grad, play, record, stop_gradient, table\n"
    "print(grad(lambda x: x * x)(3.0), ad.record(lambda x: x * x, 3.0)[0])",
    "the lessons": "\n".join(f"from autodiff_lab.lessons import lesson_{number:02} as check" for number in range(16)),
    "an exercise": "from autodiff_lab.lessons import tape as check\ncheck.ex_03_2(None)",
    "progress": "print(check.progress())",
    "moved exercises": "from autodiff_lab.lessons import memory\n"
    "moved = [getattr(memory, f'ex_14_{k}') for k in range(4, 9)]\n"
    "print([repr(each(*[...] * len(each.takes))).split(' is ')[0] for each in moved])\n"
    "print('ex_14_4' in memory.progress.exercises(), memory.ex_14_4.lend(...).__name__)\n"
    "print(memory.ex_14_6(('d', 'f', 'a', 'c', 'e', 'b')).passed)\n"
    "from autodiff_lab.lessons import compilation\nprint(compilation.progress())",
    "exercises that give nothing now": "slots, runs, steps = memory.ex_14_1.given()\n"
    "print(slots, runs, steps, memory.ex_14_1((20, 4)), memory.ex_14_2.given())",
    "a seed": "from autodiff_lab.lessons import dual_numbers\n"
    "given = dual_numbers.ex_02_3.given\nprint(given() == given('ada') != given('bob'))",
    "the labs": "\n".join(f"from autodiff_lab.widgets.labs import {lab}" for lab in LABS)
    + f"\nprint([lab().title for lab in ({', '.join(LABS)})])",
    "the strip": "from autodiff_lab.widgets.labs.train_strip import TrainStrip\nprint(TrainStrip.__name__)",
    "the systems": "from autodiff_lab.systems import closures, schedules, static_graph, wengert\n"
    "from autodiff_lab.systems.gradient_tape import GradientTape, Variable, constant\n"
    "from autodiff_lab.systems.iris import train_arrays\n"
    "from autodiff_lab.systems.perceptron import random_start, two_moons\n"
    "from autodiff_lab.systems.side_by_side import compare\n"
    "from autodiff_lab.systems.wengert import var\n"
    "with static_graph.Graph() as graph:\n"
    "    x = static_graph.Variable(2.0, name='x')\n"
    "with GradientTape() as tape:\n"
    "    y = Variable(3.0)\n"
    "    z = y * y\n"
    "print(tape.gradient(z, y).value, graph.run(x * x, {}))",
    "the rest": "from autodiff_lab.data import load_iris\n"
    "from autodiff_lab.optimize import Adam, GradientDescent, Momentum\n"
    "from autodiff_lab.setup_check import check_setup\n"
    "print(len(load_iris().train.labels), Adam(0.1), callable(check_setup))",
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The cells as they ran, by name, in a kernel that finds the file of progress."""
    file = tmp_path_factory.mktemp("learner") / "my_progress.jsonl"
    file.write_text("".join(f"\n{json.dumps(event)}\n" for event in PROGRESS), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUTODIFF_LAB_PROGRESS", str(file))
        cells = [nbformat.v4.new_code_cell(source) for source in CELLS.values()]
        ran = execute(nbformat.v4.new_notebook(cells=cells))
    return dict(zip(CELLS, map(shown, ran.cells), strict=True)), file


def test_the_old_import_paths_lead_to_what_they_led_to(run):
    said, _ = run
    assert said["the package"].split() == ["6.0", "9.0"]
    assert all(title in said["the labs"] for title in ("TrainRoom", "VCurve"))
    assert said["the systems"].split() == ["6.0", "4.0"]
    assert said["the rest"].startswith("112 ")


def test_an_old_progress_file_counts_and_goes_on(run):
    said, file = run
    all_of_it = sum(number == "03" for number, _ in exercises())
    assert f"Notebook 03: 1 of {all_of_it} exercises done." in said["progress"]
    assert said["an exercise"].startswith("✗")
    events = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line]
    assert events[: len(PROGRESS)] == PROGRESS, "what was tried already is not written again"
    assert not [event for event in events[len(PROGRESS) :] if event["exercise"].startswith("ex_03")]


def test_exercises_that_moved_are_found_under_their_old_numbers(run):
    said, file = run
    told = said["moved exercises"]
    assert [f"Exercise 15.{k}" in told.splitlines()[0] for k in range(1, 6)] == [True] * 5
    assert "False compile_tape" in told and "True" in told
    assert "Notebook 15: 2 of 5 exercises done." in told, "one by the file of progress, one just now"
    states = dict(re.findall(r"Exercise (15\.\d) +(.+)", told))
    assert states["15.1"].startswith("✓") and states["15.3"].startswith("✓") and states["15.2"] == "open"
    kept = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line]
    assert kept[: len(PROGRESS)] == PROGRESS, "the file keeps the old names"
    assert {"version": 1, "kind": "passed", "exercise": "ex_15_3"} in kept[len(PROGRESS) :]


def test_a_cell_that_asks_for_numbers_still_gets_them(run):
    said = run[0]["exercises that give nothing now"]
    assert said.startswith("3 3 21 ✗ Exercise 14.1, not yet") and "steps = 20, slots = 3" in said


def test_no_exercise_was_called_what_another_is_called_now():
    now = {exercise.name for _, exercise in exercises()}
    before = [exercise.formerly for _, exercise in exercises() if exercise.formerly]
    assert len(set(before)) == len(before) and not now & set(before)


def test_an_old_seed_still_draws_the_numbers(run):
    assert run[0]["a seed"].strip() == "True"
