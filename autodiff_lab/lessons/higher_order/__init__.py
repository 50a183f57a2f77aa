"""The exercises of `higher_order`: what each expects, and what its check looks at."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.higher_order import exercises

progress, seed = lesson(
    "higher_order",
    ex_1={"make": exercises.merge_marks},
    ex_2={"expected": exercises.expected_nested(), "observe": exercises.run_nested},
    ex_3={"make": exercises.find_coefficients},
    ex_4={"expected": exercises.expected_on_a_tape(), "observe": exercises.differentiate_on_tape},
    ex_5={"expected": exercises.expected_products(), "observe": exercises.multiply_hessians},
    ex_6={"make": exercises.find_convexity},
    ex_7={"expected": exercises.take_steps(exercises.truncated), "observe": exercises.take_steps},
)
