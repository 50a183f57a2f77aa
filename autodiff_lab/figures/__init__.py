"""Still views of a run: data in, text or a picture out.

Start with `trace`, the record that every view shows, and its `parts`; `reading` makes it from the engine's tape, with
the words of `sentences`, the arithmetic of `equations`, the `formulas` of the table and the places found by `sources`.
It is shown as a table (`tables`: what stands in their `columns`, how `grids` are written) and as a graph (`graphs`:
what their `nodes` look like, and which `groups` they form). `program_formula` runs a whole function on names, and
`plots` is a room of its own. What comes out of a trace (`outputs`) are `frames` of single steps, `films` and `strips`
of them, and `transcripts`; `printing` turns our SVG into pixels and pages. Every word is in the `catalogue`, in each
language, and is said by `words`. How things are spelled is decided in `notation`, their colours in `themes`.
"""
