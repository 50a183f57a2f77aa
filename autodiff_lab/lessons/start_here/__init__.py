"""The table of `start_here` has one exercise, which shows how an exercise works."""

from autodiff_lab.lessons.checks.course import lesson

progress, seed = lesson("start_here")
