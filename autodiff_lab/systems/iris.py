"""Softmax regression on iris, twice: number by number on Wengert cells, and in arrays on the engine.

Document 3 ends with this program: gradient descent with 15 parameters on 112 flowers. :func:`train_scalars` is that
program, and :func:`train_arrays` is the same mathematics in four lines of NumPy. Both are generators that yield after
each epoch, so the caller can show the progress, stop, and continue later:

>>> training = train_arrays()
>>> epochs = [next(training) for _ in range(11)]
>>> [(f"{epoch.loss:.9f}", epoch.correct) for epoch in (epochs[0], epochs[10])]
[('1.098612289', 13), ('0.866841920', 26)]
>>> resumed = next(train_arrays(after=epochs[10]))
>>> resumed.number, resumed.loss == next(training).loss
(11, True)
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..data import Iris, load_iris
from ..transforms.custom import stop_gradient
from ..transforms.gradients import value_and_grad
from .wengert import Cell, Var

__all__ = ["Epoch", "Parameters", "categorical_cross_entropy", "log_softmax", "reg", "softmax"]
__all__ += ["train_arrays", "train_scalars"]

CLASSES = 3
FEATURES = 4


class Parameters(NamedTuple):
    """Parameters of softmax regression on iris: weights (3, 4) and biases (3,); their gradient has the same form."""

    w: np.ndarray
    b: np.ndarray


class Epoch(NamedTuple):
    """One epoch of training softmax regression on iris, as plain data.

    Attributes
    ----------
    number : int
        0 for the first epoch.
    loss : float
        The loss before the update.
    correct : int
        How many test flowers are classified correctly after the update.
    cells : int or None
        The length of the tape; None for training on arrays, which has no cells.
    gradient : Parameters
        The gradient of the loss, before the update.
    step : Parameters
        The gradient, or without `clear` the sum of all gradients so far. It was multiplied by the learning rate and
        subtracted.
    parameters : Parameters
        The parameters after the update.
    """

    number: int
    loss: float
    correct: int
    cells: int | None
    gradient: Parameters
    step: Parameters
    parameters: Parameters


# The program of the document, which runs on cells and on plain numbers


def softmax(z: Sequence[Any], stable: bool = True) -> list[Any]:
    """Softmax over the classes of iris, of numbers or cells: exp(zᵢ) / Σₖ exp(zₖ) for each i.

    With `stable`, the largest z is first subtracted as a constant. The quotient stays the same, and no exponential
    overflows. The source text doesn't do this.

    >>> [float(p) for p in softmax([1000.0, 1000.0])]
    [0.5, 0.5]
    """
    if stable:
        z = _subtract_largest(z)
    z_exp = [np.exp(i) for i in z]
    sum_z_exp = sum(z_exp)
    return [i / sum_z_exp for i in z_exp]


def log_softmax(z: Sequence[Any]) -> list[Any]:
    """Log-softmax over the classes of iris; no probability is computed, because that could be rounded to 0.

    >>> [float(p) for p in log_softmax([1000.0, 0.0])]
    [0.0, -1000.0]
    """
    z = _subtract_largest(z)
    log_sum = np.log(sum(np.exp(i) for i in z))
    return [i - log_sum for i in z]


def _subtract_largest(z: Sequence[Any]) -> list[Any]:
    # As a plain number, so that it is a constant for the derivative.
    largest = max(getattr(i, "value", i) for i in z)
    return [i - largest for i in z]


def scores(xs: Sequence[float], w: Sequence[Sequence[Any]], b: Sequence[Any]) -> list[Any]:
    """The score (logit) of each class for one iris flower: w · x + b."""
    return [sum(w[i][j] * x for j, x in enumerate(xs)) + b[i] for i in range(CLASSES)]


def reg(
    xs: Sequence[float], w: Sequence[Sequence[Any]], b: Sequence[Any], stable: bool = True
) -> list[Any]:
    """Softmax regression: the probability of each class for one iris flower."""
    return softmax(scores(xs, w, b), stable)


def categorical_cross_entropy(
    truth: Sequence[Sequence[float]], predicted: Sequence[Sequence[Any]]
) -> Any:
    """Categorical cross-entropy: −1/n Σ Σ yₖ log ŷₖ, over the iris flowers and over the classes."""
    return _mean_log_loss(truth, [[np.log(p) for p in y_] for y_ in predicted])


def _mean_log_loss(truth: Sequence[Sequence[float]], logs: Sequence[Sequence[Any]]) -> Any:
    """The cross-entropy, from the logarithms of the predicted probabilities."""
    losses = [
        sum(k * log_p for k, log_p in zip(y, log_y_, strict=True))
        for y, log_y_ in zip(truth, logs, strict=True)
    ]
    return -1 * sum(losses) / len(logs)


def train_scalars(
    iris: Iris | None = None,
    *,
    rate: float = 0.1,
    rebind: bool = False,
    stable: bool = True,
    clear: bool = True,
    after: Epoch | None = None,
) -> Iterator[Epoch]:
    """Train softmax regression on iris, number by number on Wengert cells, without end; see :func:`train_arrays`.

    Parameters
    ----------
    rebind : bool
        Update as in the document, ``b[i] -= rate * b[i].sensitivity``. Then the name refers to a new cell, whose
        operand is the old one, so the tape goes back to the first epoch and has 15 more cells after each. If False,
        the parameters stay the same variables, and only their values change.
    stable : bool
        Compute the loss with :func:`log_softmax`. If False, it is computed as in the document, and becomes nan if an
        exponential overflows or a probability is rounded to 0.

    Examples
    --------
    >>> training = train_scalars(stable=False)
    >>> [next(training).cells for _ in range(3)]
    [5169, 5169, 5169]
    """
    iris = iris or load_iris()
    xs = iris.train.features.tolist()
    truth = np.eye(CLASSES)[iris.train.labels].tolist()
    start = _start(after)
    w: list[list[Cell]] = [[Var(x) for x in row] for row in start.w.tolist()]
    b: list[Cell] = [Var(x) for x in start.b.tolist()]
    # each parameter as a list and an index, first b, then w
    slots = [(b, i) for i in range(CLASSES)]
    slots += [(row, j) for row in w for j in range(FEATURES)]

    def compute_gradient() -> tuple[float, Parameters, int]:
        if stable:
            loss = _mean_log_loss(truth, [log_softmax(scores(x, w, b)) for x in xs])
        else:
            loss = categorical_cross_entropy(truth, [reg(x, w, b, stable=False) for x in xs])
        n_cells = sum(1 for _ in loss.sweep())
        w_gradient = np.array([[p.sensitivity for p in row] for row in w])
        b_gradient = np.array([p.sensitivity for p in b])
        return loss.value, Parameters(w_gradient, b_gradient), n_cells

    def update(step: Parameters) -> Parameters:
        amounts = (rate * np.concatenate([step.b, step.w.ravel()])).tolist()
        for (parameters, k), amount in zip(slots, amounts, strict=True):
            if rebind:
                parameters[k] -= amount
            else:
                parameters[k].value -= amount
        w_values = np.array([[p.value for p in row] for row in w])
        b_values = np.array([p.value for p in b])
        return Parameters(w_values, b_values)

    return _run_epochs(compute_gradient, update, iris, clear, after)


def train_arrays(
    iris: Iris | None = None, *, rate: float = 0.1, clear: bool = True, after: Epoch | None = None
) -> Iterator[Epoch]:
    """Train softmax regression on iris by gradient descent on arrays, without end.

    Parameters
    ----------
    iris : Iris, optional
        The data and how they are split; :func:`autodiff_lab.data.load_iris` by default.
    rate : float
        The learning rate.
    clear : bool
        Start each epoch from a gradient of zero. If False, the gradients of all epochs are added up, as if you forget
        ``zero_grad()``. Although the gradient is wrong, the loss falls, even faster: this is momentum with β = 1.
    after : Epoch, optional
        Continue after this epoch instead of starting with zeros. Its parameters become new variables.

    Yields
    ------
    Epoch
    """
    iris = iris or load_iris()
    xs = iris.train.features
    truth = np.eye(CLASSES)[iris.train.labels]
    parameters = _start(after)

    def loss(parameters: Parameters) -> Any:
        z = xs @ parameters.w.T + parameters.b
        z = z - stop_gradient(np.max(z, axis=1, keepdims=True))
        log_p = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
        return -np.sum(truth * log_p) / len(xs)

    def compute_gradient() -> tuple[float, Parameters, None]:
        value, gradient = value_and_grad(loss)(parameters)
        return value, gradient, None

    def update(step: Parameters) -> Parameters:
        nonlocal parameters
        parameters = Parameters(parameters.w - rate * step.w, parameters.b - rate * step.b)
        return parameters

    return _run_epochs(compute_gradient, update, iris, clear, after)


# For both ways of training


def _start(after: Epoch | None) -> Parameters:
    """The initial parameters: zeros, or those after an earlier epoch."""
    if after:
        return after.parameters
    return Parameters(np.zeros((CLASSES, FEATURES)), np.zeros(CLASSES))


def _run_epochs(
    compute_gradient: Callable[[], tuple[float, Parameters, int | None]],
    update: Callable[[Parameters], Parameters],
    iris: Iris,
    clear: bool,
    after: Epoch | None,
) -> Iterator[Epoch]:
    """Run epochs without end; each computes the loss and its gradient, updates the parameters, and tests them."""
    number = after.number + 1 if after else 0
    last_step = after.step if after else None
    while True:
        loss, gradient, cells = compute_gradient()
        step = gradient
        if not clear and last_step is not None:
            step = Parameters(last_step.w + gradient.w, last_step.b + gradient.b)
        parameters = update(step)
        labels = np.argmax(iris.test.features @ parameters.w.T + parameters.b, axis=1)
        correct = int(np.sum(labels == iris.test.labels))
        yield Epoch(number, loss, correct, cells, gradient, step, parameters)
        last_step = step
        number += 1
