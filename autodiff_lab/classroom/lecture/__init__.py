"""`autodiff-lab lecture`: slides, speaker pages and handouts, made from plans and notebooks."""
