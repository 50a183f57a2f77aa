"""The exercises of `training_trouble`: what each expects, and what its check looks at."""

from autodiff_lab.lessons.checks.course import lesson
from autodiff_lab.lessons.learning.exercises import read_pair
from autodiff_lab.lessons.training_trouble import exercises

progress, seed = lesson(
    "training_trouble",
    ex_1={"make": exercises.read_first_loss},
    ex_2={"expected": exercises.expected_start(), "observe": exercises.measure_start},
    ex_3={"expected": exercises.expected_update_ratios(), "observe": exercises.find_update_ratios},
    ex_5={"observe": read_pair, "make": exercises.overshoot_minimum},
    ex_6={"make": exercises.take_first_step},
)
