"""The folder of the lab BroadcastLens: its controller is in `lab`, the arrays and what flows between them in `flow`."""
