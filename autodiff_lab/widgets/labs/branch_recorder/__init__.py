"""The folder of the lab BranchRecorder: its controller is in `lab`, its programs and what ran of them in `programs`."""
