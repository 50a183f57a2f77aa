"""OrderLab: you say which cell sends next, and see which orders give the slope."""
