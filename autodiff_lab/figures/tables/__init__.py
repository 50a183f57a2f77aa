"""A run as text: the evaluation trace table, and the transcript; and what a notebook displays for a tape."""
