"""The exercises of `differentiation`: what each expects, and what its check looks at."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.differentiation import exercises

progress, seed = lesson(
    "differentiation",
    ex_2={"observe": exercises.judge_steps},
    ex_3={"observe": exercises.read_number_and_word},
    ex_4={"expected": exercises.expected_complex_steps(), "observe": exercises.try_complex_step},
    ex_5={"observe": exercises.compare_three_ways, "make": exercises.differentiate_three_ways},
)
