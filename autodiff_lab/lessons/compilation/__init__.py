"""The exercises of `compilation`: what each expects, and what its check looks at."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.compilation import exercises

progress, seed = lesson(
    "compilation",
    ex_1={"expected": exercises.expected_compiled(), "observe": exercises.compile_and_run},
    ex_2={"expected": exercises.expected_guarded(), "observe": exercises.run_guarded},
    ex_3={"expected": exercises.expected_loop(), "observe": exercises.run_loop},
    ex_4={"expected": exercises.expected_row(), "observe": exercises.follow_row},
    ex_5={"observe": exercises.follow_invention},
    ex_6={"observe": exercises.read_letters},
)
