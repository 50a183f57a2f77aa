"""Code generation: the Python source of a program, by names, operands, expressions, statements and functions."""
