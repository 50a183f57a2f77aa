"""For the classroom: notebook sets for students and teachers, lecture kits, and the grading of hand-ins."""
