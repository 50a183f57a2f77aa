"""Still views of a run: a `Trace` goes in, a table, a picture or a file comes out.

`tables` is the evaluation trace, and `graph` the computational graph, which Graphviz draws. `layered_layout` finds the
places of boxes for the player, `plots` has the curves and matrices, and `export` writes steps into files. All take
their colours and fonts from `style`.
"""
