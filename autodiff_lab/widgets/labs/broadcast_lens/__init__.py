"""The package of the lab BroadcastLens: its controller is in `lab`, what flows between its arrays in `flow`."""
