"""Make a new lesson or a new lab from a small example that passes its tests.

    python -m tests.new lesson taylor --after higher_order --title "Taylor series" \
        --question "How far does one derivative reach?" --word "Remainder: what the terms that are left out add up to."
    python -m tests.new lab slope_finder

Both are complete: replace the example's question, exercise or picture by yours, and the tests go on passing.
"""
