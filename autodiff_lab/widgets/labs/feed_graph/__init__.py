"""The package of the lab FeedGraph: `lab` is its controller, with `graph_builder`, `passes` and `picture`."""
