"""`autodiff-lab lecture`: what a lecturer takes along, made from a notebook."""
