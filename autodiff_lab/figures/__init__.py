"""Still views of a run: data in, text or a picture out.

Start with `trace`, the record that every view shows; `reading` makes it from the engine's tape, with the words of
`sentences`, the `formulas` of the table and the places found by `sources`. `tables` and `graphs` show it.
"""
