"""`memory`: right answers that look different from ours pass, and shortcuts do not."""

from autodiff_lab.lessons import memory as lesson

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
