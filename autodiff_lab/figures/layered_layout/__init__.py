"""The layered layout of the player's graphs: where boxes stand and edges run, found from sizes alone.

`layers` puts boxes into ranks, `folds` puts ranks into rows, and `paths` has the curves of edges. It knows nothing of
traces, of DOT or of Graphviz.
"""
