"""Still views of a run: a `Trace` goes in, a table, a picture or a file comes out.

`tables` is the evaluation trace, `graph` the computational graph drawn by Graphviz, `plots` the curves and matrices,
and `export` writes steps into files. All take their colours and fonts from `style`.
"""
