"""The package of the lab GradcheckBench: its controller is in `lab`, the rules that it checks in `rules`."""
