"""The exercises of `printing_tape`: what each expects, and what its check looks at."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.printing_tape import exercises

progress, seed = lesson(
    "printing_tape",
    ex_1={"observe": exercises.read_printed_lines},
    ex_2={"observe": exercises.divide},
    ex_4={"expected": exercises.DEAD_ENDS, "observe": exercises.sweep_past_dead_ends},
    ex_5b={"expected": exercises.IDENTITIES, "observe": exercises.tell_names_apart},
    ex_6={"expected": exercises.expected_with_numbers(), "observe": exercises.allow_numbers},
)
