"""`memory`: right answers that look different from ours pass, and shortcuts do not."""

from autodiff_lab.lessons import memory as lesson
from autodiff_lab.systems import schedules

from ..notebooks.reading import listing


def submit(exercise, written):
    names = {"__name__": "__main__"}
    exec(listing("memory"), names)
    exec(written, names)
    return exercise(*(names[name] for name in exercise.takes))


SEGMENTS = {
    "segments of another length": """
def in_segments(step, x, l, slots):
    length = 12
    slots[0] = x
    for start in range(length, l, length):
        state = slots[start - length]
        for _ in range(length):
            state = step(state)
        slots[start] = state
    adjoint = 1.0
    for start in range((l - 1) // length * length, -1, -length):
        for i in range(start + 1, min(start + length, l)):
            slots[i] = step(slots[i - 1])
        while slots and max(slots) >= start:
            _, pullback = ad.vjp(step, slots.pop(max(slots)))
            (adjoint,) = pullback(adjoint)
    return adjoint""",
    "a recursion that halves": """
def in_segments(step, x, l, slots):
    def back(start, end, adjoint):
        if end - start == 1:
            return ad.vjp(step, slots[start])[1](adjoint)[0]
        middle, state = (start + end) // 2, slots[start]
        for _ in range(start, middle):
            state = step(state)
        slots[middle] = state
        del state
        adjoint = back(middle, end, adjoint)
        del slots[middle]
        return back(start, middle, adjoint)
    slots[0] = x
    return back(0, l, 1.0)""",
}


def test_segments_of_another_length_pass():
    assert submit(lesson.ex_1, SEGMENTS["segments of another length"]).passed


def test_fewer_slots_at_the_price_of_more_runs_are_told_so():
    reply = submit(lesson.ex_1, SEGMENTS["a recursion that halves"])
    assert not reply.passed and "extra steps" in reply.text


# What the notebook's folded answers say is found by moving


def test_segments_of_the_root_need_the_fewest_slots_and_the_most_extra_steps():
    costs = {
        length: schedules.cost(schedules.segments(100, length))
        for length in (1, 2, 5, 10, 20, 50, 100)
    }
    assert min(costs, key=lambda length: costs[length].slots) == 10
    assert max(costs, key=lambda length: costs[length].extra) == 10
    assert (costs[2].extra, costs[10].extra, costs[50].extra) == (148, 180, 148)


def test_thirty_steps_with_two_runs_each_take_seven_slots():
    assert schedules.beta(6, 2) < 30 <= schedules.beta(7, 2)
