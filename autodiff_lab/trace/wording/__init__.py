"""How a step is said: in words, in numbers, and in symbols."""
