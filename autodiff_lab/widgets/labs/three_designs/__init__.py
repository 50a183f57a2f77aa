"""The package of the lab ThreeDesigns: one program in three designs of a tape, and what each design can do."""
