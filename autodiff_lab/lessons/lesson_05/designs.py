"""The exercises of notebook 05 about all the designs: what each keeps, and what can be done with it."""

from __future__ import annotations

from autodiff_lab.lessons.lesson_05 import sandbox
from autodiff_lab.systems.side_by_side import compare

# 3. the ledger


# 4. which survives

SURVIVAL = tuple(column.mutated.verdict for column in compare(sandbox.by_hand_example, 3.0, 1.0, written=0.0).columns)


# 5. two runs mixed


# 6. differentiated again
