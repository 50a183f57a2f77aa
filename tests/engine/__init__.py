"""Tests of the engine: the table of rules, the tape, both modes, any nesting, and what refuses to work."""
