"""The package of the lab DualPlayground: its controller and its pass of dual numbers are in `lab`."""
