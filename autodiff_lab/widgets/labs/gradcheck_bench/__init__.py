"""GradcheckBench: check a rule, right or with a bug, against a difference quotient; every check leaves a mark."""
