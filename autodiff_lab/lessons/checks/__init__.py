"""The framework of the exercises: what an exercise is, how an answer is run and compared, what is remembered."""
