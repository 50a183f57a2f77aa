"""VCurve: how wrong a difference quotient is, for every step size, beside the complex step and AD."""
