"""The package of the lab BranchRecorder: its controller is in `lab`, its programs and their runs in `programs`."""
