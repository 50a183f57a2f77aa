"""The evaluation trace table, and the transcript of a run."""
