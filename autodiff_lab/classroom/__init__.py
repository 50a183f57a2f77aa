"""The classroom: what a lecturer makes of the tutorial (a lecture, a course set), and of what students hand in."""
