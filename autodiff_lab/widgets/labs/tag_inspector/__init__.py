"""The package of the lab TagInspector: a derivative inside a derivative, on dual numbers with tags and without."""
