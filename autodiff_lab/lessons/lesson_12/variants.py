"""Three exercises of notebook 12 with numbers of one's own; right and wrong ones are computed by training."""

from __future__ import annotations

import numpy as np

from autodiff_lab.lessons.checks import Instance
from autodiff_lab.lessons.lesson_12.sandbox import iris_run, sharpness
from autodiff_lab.optimize import Adam


def loss_instance(rate: float = 0.1, epoch: int = 10) -> Instance:
    """The loss at an epoch: after as many updates."""
    run = iris_run(rate, epoch + 2)
    right = run[epoch].loss
    kept = iris_run(rate, epoch + 1, clear=False)[epoch].loss
    reference = f"""\
parameters = {{"w": np.zeros((3, 4)), "b": np.zeros(3)}}
for _ in range({epoch}):
    gradient = ad.grad(loss)(parameters)
    parameters = {{name: parameters[name] - {rate} * gradient[name] for name in parameters}}
answer = loss(parameters)"""
    wrong = {
        run[epoch - 1].loss: "One update is missing. At epoch 0 there has been none, at epoch k there have been k.",
        run[epoch + 1].loss: "One update too many. At epoch 0 there has been none, at epoch k there have been k.",
        run[0].loss: "That is the loss at epoch 0, ln 3. Are the new parameters used in the next turn?",
        kept: "The gradients of all epochs are added up here. Begin each epoch with a new one.",
        112 * right: "That is the sum over the flowers. The loss is the mean: divided by 112.",
    }
    return Instance(right, wrong, reference)


def overshoot_instance(rate: float = 0.2) -> Instance:
    """By how much one step multiplies the distance along the steepest direction, and what follows."""
    run = iris_run(0.1, 161)
    first, before, bend = (sharpness(run[epoch].parameters) for epoch in (0, 159, 160))
    right = 1 - rate * bend
    wrong = {
        (
            rate * bend,
            "b",
        ): "The reason is right. The step takes away rate · λ of the distance: what is left?",
        (1 + rate * bend, "b"): "The reason is right. The step goes against the gradient: mind the sign.",
        (abs(right), "b"): "The reason is right, and the size too. The sign says on which side you land.",
        (right, "a"): "Your factor is right, and it comes from a right gradient. How far to go along it is another "
        "matter.",
        (right, "c"): "Your factor is right. It is larger than 1 in size: will more epochs make the distance smaller?",
        (right, "d"): "Your factor is right, and it needs no rounding to do its harm: it is larger than 1 in size.",
        (1 - 0.1 * bend, "b"): "The reason is right. That is the factor at the rate 0.1; take the rate of given().",
    }
    for other, epoch in ((first, 0), (before, 159)):
        wrong[1 - rate * other, "b"] = (
            f"The reason is right. That is with the λ after epoch {epoch}; take the last one."
        )
    return Instance((right, "b"), wrong, f'answer = (1 - {rate} * {bend!r}, "b")')


def first_step_instance(rate: float = 0.05, gradient: float = 0.001) -> Instance:
    """How far Adam's first step goes."""
    moved = -float(Adam(rate).update(0.0, gradient))
    uncorrected = rate * 0.1 * gradient / (np.sqrt(0.001 * gradient**2) + 1e-8)
    wrong = {
        rate * gradient: "That is a step of gradient descent. Adam divides by the size of the gradient.",
        0.1 * rate: "The average m is a tenth of the gradient, that is so. m̂ makes up for its start at 0.",
        float(uncorrected): "That is the step with m and v as they are. After one step both are far too small: use m̂ "
        "and v̂.",
        -moved: "The size is right. How far it goes down is positive if the gradient is positive.",
    }
    if gradient < 0.01:  # where ε is seen in the fourth digit
        wrong[rate * 0.1 / float(np.sqrt(0.001))] = "That is the step with m and v as they are: use m̂ and v̂."
    return Instance(moved, wrong, f"answer = -Adam({rate}).update(0.0, {gradient})")
