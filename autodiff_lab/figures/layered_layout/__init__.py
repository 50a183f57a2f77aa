"""The layered layout: where the boxes of a graph stand and how its edges run, found from sizes alone."""
