"""FeedGraph: a static graph is built, fed, run and swept back, one node at a time, with its counters and its queue."""
