"""SwellMeter: what happens to a formula that is differentiated as a formula, and what AD does instead."""
