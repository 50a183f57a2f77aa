"""The package of the lab FeedGraph: `lab` is its controller, with `passes` and `picture`."""
