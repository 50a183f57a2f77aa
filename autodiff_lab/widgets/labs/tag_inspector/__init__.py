"""TagInspector: a derivative inside a derivative, on dual numbers with tags and on dual numbers without."""
