"""TagInspector: a derivative inside a derivative, on dual numbers with tags and on dual numbers without."""

from autodiff_lab.widgets.labs.tag_inspector.lab import TagInspector

__all__ = ["TagInspector"]
