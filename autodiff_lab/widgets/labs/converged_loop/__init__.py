"""The folder of the lab ConvergedLoop: its controller is in `lab`, its loops and their derivatives in `loops`."""
