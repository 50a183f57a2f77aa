"""The package of the lab CheckpointTimeline: its controller is in `lab`, its schedules in `systems.schedules`."""
