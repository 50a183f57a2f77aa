"""Function transforms: gradients, Jacobians, custom rules, symbolic formulas, gradient checks. They need NumPy only."""
