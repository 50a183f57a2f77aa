"""The package of the lab OrderLab: you say which cell sends next, and see which orders of a sweep give the slope."""
