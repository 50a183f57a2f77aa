"""Reverse-mode systems after the source texts (closures, Wengert cells, gradient tape, static graph)."""
