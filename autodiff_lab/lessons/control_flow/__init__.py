"""The exercises of `control_flow`: what each expects, and what its check looks at."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.control_flow import exercises

progress, seed = lesson(
    "control_flow",
    ex_1={"make": exercises.measure_two_tapes},
    ex_2={"make": exercises.differentiate_at_switch},
    ex_3={"expected": exercises.expected_ratio(), "observe": exercises.run_ratio},
    ex_4={"make": exercises.differentiate_at_kink},
    ex_5={"expected": exercises.expected_roots(), "observe": exercises.find_roots},
    ex_6={"expected": exercises.expected_branches(), "observe": exercises.run_branches},
    ex_7={"expected": exercises.expected_shielded(), "observe": exercises.run_shielded},
)
