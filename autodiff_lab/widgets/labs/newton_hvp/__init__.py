"""NewtonHVP: steps down a curve that has one minimum and is not convex, with and without its second derivative."""
