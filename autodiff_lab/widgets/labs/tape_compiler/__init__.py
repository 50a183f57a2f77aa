"""The package of the lab TapeCompiler: a tape, what each pass takes from it, and the Python that is left."""
