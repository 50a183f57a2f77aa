"""Numbers of one's own: the same seed gives the same exercise, and every instance is checked as well as the text's."""

import pytest

from autodiff_lab.lessons.checks.compare import agrees
from autodiff_lab.lessons.checks.exercise import Exercise, Instance, Misconception
from autodiff_lab.lessons.checks.variants import Given, every_draw

from ..notebooks.reading import exercises
from .test_every_exercise import in_the_notebook, near

VARIED = [(number, exercise) for number, exercise in exercises() if exercise.is_varied]
SEEDS = ["Ada", "Grace Hopper", 7, "Åse", "x" * 300]
each = pytest.mark.parametrize(
    ("number", "exercise"), VARIED, ids=[exercise.name for _, exercise in VARIED]
)


def submit(number, exercise, written, seed):
    names = in_the_notebook(number, written)
    return exercise(*(names[name] for name in exercise.takes), seed=seed)


@each
def test_without_a_seed_it_is_the_example_of_the_text(number, exercise):
    assert exercise.given() == exercise.instance().given
    assert agrees(exercise.expected, exercise.instance().expected)
    assert set(exercise.draws) <= set(exercise.given().names)


@each
def test_a_seed_always_gives_the_same_and_seeds_differ(number, exercise):
    for seed in SEEDS:
        assert exercise.given(seed) == exercise.given(seed)
    assert exercise.given("Ada") == exercise.given(" ada  ")
    assert len({repr(exercise.given(seed)) for seed in range(20)}) > 3


@each
def test_the_reference_of_an_instance_passes(number, exercise):
    for seed in SEEDS:
        reply = submit(number, exercise, exercise.instance(seed).reference, seed)
        assert reply.passed, (exercise.given(seed), reply)


@each
def test_the_misconceptions_of_an_instance_get_their_own_hints(number, exercise):
    for seed in SEEDS:
        for wrong in exercise.instance(seed).misconceptions:
            reply = submit(number, exercise, wrong.written, seed)
            assert reply.status == "not yet" and reply.text.endswith(wrong.hint), (
                exercise.given(seed),
                reply,
            )


@each
def test_a_near_miss_of_an_instance_does_not_pass(number, exercise):
    for seed in SEEDS:
        expected = exercise.instance(seed).expected
        if not isinstance(expected, dict):
            for answer in near(expected, exercise.tolerance):
                assert not exercise(answer, seed=seed).passed, (exercise.given(seed), answer)


@each
def test_every_instance_can_be_computed(number, exercise):
    """A pole or a domain error somewhere among the draws would be the learner's bad luck."""
    everything = list(every_draw(exercise.make, exercise.draws))
    sound = [instance for instance in everything if instance.is_sound(exercise.tolerance)]
    assert 4 <= len(everything) <= 400
    assert len(sound) > len(everything) / 2


def area(width=2.0, height=3.0):
    around = Misconception(
        f"answer = {2 * (width + height)}", 2 * (width + height), "That is the way around."
    )
    return Instance(
        expected=width * height, reference=f"answer = {width * height}", misconceptions=(around,)
    )


ROOM = {"width": (2.0, 3.0, 4.0, 6.0), "height": (3.0, 4.0, 5.0)}


def exercise():
    return Exercise("ex_98_1", expects="a number", praise="Yes.", make=area, draws=ROOM)


def test_an_instance_where_a_mistake_is_right_is_never_drawn():
    assert not area(4.0, 4.0).is_sound(1e-6), "16 is both the area and the way around"
    for seed in range(200):
        assert exercise().given(seed) != Given(width=4.0, height=4.0)


def test_the_answer_of_the_text_is_recognised():
    seed = next(seed for seed in range(50) if exercise().given(seed) != exercise().given())
    reply = exercise()(6, seed=seed)
    assert not reply.passed and "example of the text, width = 2, height = 3" in reply.text


def test_given_reads_like_the_text():
    given = exercise().given()
    assert repr(given) == "width = 2, height = 3"
    width, height = given
    assert (width, given.height) == (2.0, 3.0) and height == 3.0
    with pytest.raises(AttributeError, match="gives width, height, and no depth"):
        _ = given.depth


def test_hints_and_solution_follow_the_seed():
    one = exercise()
    one("?", seed="Ada")
    assert one.instance("Ada").reference in repr(one.solution(seed="Ada"))
