"""The package of the lab VCurve: how wrong a difference quotient is for every step, beside the complex step and AD."""
