"""BranchRecorder: which lines of a program run at an input, what they leave on the tape, and for which inputs."""
