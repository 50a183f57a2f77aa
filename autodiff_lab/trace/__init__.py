"""A run of a function as a trace: plain data, and all that is derived from it without a picture."""
