"""Colours and fonts of every figure."""
