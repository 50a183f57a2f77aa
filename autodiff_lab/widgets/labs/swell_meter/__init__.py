"""The package of the lab SwellMeter: how a formula swells that is differentiated as a formula, and what AD does."""
