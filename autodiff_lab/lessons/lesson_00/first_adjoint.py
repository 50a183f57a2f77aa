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
        0.2837: "The size is right. The sine is subtracted, so y sends −1 to c, and the sign travels on.",
        2.0: "That is the second number to arrive, from the product b. The sine c comes before it on the way back.",
        0.0: "Before anything arrives there is nothing there, and nothing is not 0. Step on until a number appears.",
    },
    hints=(
        "In the player, go to where the adjoint of y becomes 1, then step on and watch the box of x2.",
        "The backward half begins at y; then comes c, the sine. It is the first box that sends anything to x2.",
    ),
    praise="Later the product adds 2 to it. Both belong to the derivative with respect to x2, so they are added.",
)
