"""Reverse-mode systems after the founding documents (closures, Wengert cells, gradient tape, static graph)."""
