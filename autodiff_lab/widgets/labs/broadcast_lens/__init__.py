"""BroadcastLens: what NumPy copied on the way forward is added on the way back, and what it added is copied."""
