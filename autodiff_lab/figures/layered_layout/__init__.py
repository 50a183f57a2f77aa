"""The layered layout of the player's graphs: the places of boxes and the paths of edges, computed from sizes alone.

`layers` puts boxes into ranks, `folds` puts ranks into rows, and `paths` has the curves of edges. Nothing here depends
on traces, DOT or Graphviz.
"""
