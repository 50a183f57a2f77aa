"""The package of the lab GradcheckBench: its controller and the rules that it checks are in `lab`."""
