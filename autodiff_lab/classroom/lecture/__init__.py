"""The parts of a lecture kit: plans, and the slides, speaker pages and handouts that are written from them."""
