"""The package of notebook 15, compilation and frameworks, with the table of its exercises and what each expects."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.compilation import exercises

progress, seed = lesson(
    "15",
    ex_15_1={"expected": exercises.expected_compiled(), "observe": exercises.compile_and_run},
    ex_15_2={"expected": exercises.expected_guarded(), "observe": exercises.run_guarded},
    ex_15_3={"observe": exercises.read_letters},
    ex_15_4={"expected": exercises.expected_row(), "observe": exercises.follow_row},
    ex_15_5={"observe": exercises.follow_invention},
)
