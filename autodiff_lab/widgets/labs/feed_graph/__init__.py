"""FeedGraph: a static graph is built, fed, run and swept back, one node at a time, with its counters and its queue."""

from autodiff_lab.widgets.labs.feed_graph.lab import FeedGraph

__all__ = ["FeedGraph"]
