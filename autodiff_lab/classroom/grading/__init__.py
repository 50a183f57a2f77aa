"""The parts of grading: confinement, examiner, observations, verdicts, report and gradebooks."""
