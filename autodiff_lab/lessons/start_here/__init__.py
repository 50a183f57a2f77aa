"""The exercises of `start_here`: a single one, which shows how exercises work."""

from autodiff_lab.lessons.checks.course import lesson

progress, seed = lesson("start_here")
