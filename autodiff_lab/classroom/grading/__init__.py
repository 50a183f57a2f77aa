"""`autodiff-lab grade`: hand-ins are run behind walls, and a report says what was done."""
