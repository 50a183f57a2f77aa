"""The package of the lab NewtonHVP: steps down a curve that is not convex, with and without its second derivative."""
