"""ConvergedLoop: a loop that converges, and three derivatives of what it finds."""
