"""Still views of a run: data in, text or a picture out.

Start with `trace`, the record that every view shows, and its `parts`; `reading` makes it from the engine's tape, with
the words of `sentences`, the arithmetic of `equations`, the `formulas` of the table and the places found by `sources`.
`tables` and `graphs` show it. How things are spelled is decided in `notation`.
"""
