"""ThreeDesigns: one program in three designs, one operation at a time, and what can be done with the record."""
