"""The record of a run as plain data, and all that is derived from it without a picture."""
