"""The package of the lab ConvergedLoop: its controller, its loops and their derivatives are in `lab`."""
