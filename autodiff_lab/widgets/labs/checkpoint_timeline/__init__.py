"""CheckpointTimeline: which states of a chain are kept, when they are used, and what that costs."""
