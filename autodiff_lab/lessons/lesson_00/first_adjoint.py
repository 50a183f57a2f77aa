"""The exercise of notebook 00: the first number that reaches x2."""

from __future__ import annotations

from autodiff_lab.lessons.checks import Exercise

ex_00_1 = Exercise(
    expects="one number",
    expected=-0.28366218546322625,
    tolerance=1e-3,
    reference="answer = -0.2837",
    misconceptions={
        1.7163: "That is what x2 holds at the end. Step back: another number was there before the product sent its "
        "share.",
        0.2837: "The size is right. The sine is subtracted, so the message from v5 to v4 is -1, and the sign travels "
        "on.",
        2.0: "That is the second number to arrive, from the product v2. The sine is swept before it.",
        0.0: "Before anything arrives there is nothing there, and nothing is not 0. Step on until a number appears.",
    },
    hints=(
        "In the player, go to the seed (the adjoint of v5 becomes 1), then press forward and watch the box of x2.",
        "The sweep goes up the tape: first v5, then v4, the sine. v4 is the first to send anything to x2.",
    ),
    praise="Later the product adds 2 to it. Both belong to the slope in x2: that is why the sweep adds and never "
    "overwrites.",
)
