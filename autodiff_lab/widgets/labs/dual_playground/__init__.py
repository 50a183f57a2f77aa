"""DualPlayground: a point, a direction, and the slope in that direction by one pass of dual numbers."""
