"""The package of the lab FeedGraph: the controller in `lab`, what it builds and runs in `programs`, and `picture`."""
