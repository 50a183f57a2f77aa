"""Optimizers for training: gradient descent, momentum, Adam.

Each method is one formula, ``_compute_step``. There are two ways to use it. With parameters in dicts and lists, write
``params = optimizer.update(params, grads)``. With the Variables of a gradient tape, as in TensorFlow, write
``optimizer.minimize(loss)``, which is ``compute_gradients`` and then ``apply_gradients``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from .engine.broadcasting import shape_of
from .engine.errors import InputError, ShapeError
from .engine.values import Traced, as_shaped, as_value, to_output, zeros
from .systems.gradient_tape import GradientTape, Variable
from .transforms import pytree
from .transforms.gradients import require_scalar

__all__ = ["Adam", "GradientDescent", "Momentum", "Optimizer"]


class Optimizer:
    """The base class of the optimizers: it stores their state, and has two interfaces for taking a step.

    Parameters
    ----------
    learning_rate : float
        The step size η.

    Attributes
    ----------
    learning_rate : float
        May be changed between steps.
    state : dict
        The state of each parameter, by its path, ``params['w']``, or by the Variable itself. So use one optimizer for
        one set of parameters, or clear the state with :meth:`reset`.

    See Also
    --------
    GradientDescent : Descend by the gradient alone.
    Momentum : Descend with a memory of earlier gradients.
    Adam : Descend with a step size for each entry.

    Examples
    --------
    >>> import autodiff_lab as ad
    >>> optimizer = ad.GradientDescent(0.1)
    >>> optimizer.learning_rate = 0.05
    >>> optimizer.update(5.0, ad.grad(lambda x: (x - 3) ** 2)(5.0))
    4.8
    """

    def __init__(self, learning_rate: float) -> None:
        self.learning_rate = learning_rate
        self.state: dict[Any, dict[str, Any]] = {}

    @property
    def learning_rate(self) -> float:
        """The step size η of the optimizer."""
        return self._learning_rate

    @learning_rate.setter
    def learning_rate(self, rate: float) -> None:
        self._learning_rate = _check_number("learning_rate", rate)

    def _compute_step(self, x: Any, g: Any, state: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Return a parameter and its state after one step along its gradient; nothing is changed in place."""
        raise NotImplementedError

    def reset(self) -> None:
        """Clear the optimizer's state (averages, momentum, step counts), as if no step had been taken."""
        self.state.clear()

    def update(self, params: Any, grads: Any) -> Any:
        """Return new parameters after one step of the optimizer; the old ones are not changed.

        Parameters
        ----------
        params : number, array, or nested tuples, lists and dicts of these
        grads : in the structure of `params`
            As ``value_and_grad`` returns them. A parameter whose gradient is None stays as it is; if all are None,
            InputError is raised.

        Examples
        --------
        >>> from autodiff_lab import grad
        >>> def loss(p):
        ...     return (3 * p["w"] + p["b"]) ** 2
        >>> params = {"w": 1.0, "b": 2.0}
        >>> GradientDescent(0.01).update(params, grad(loss)(params))
        {'w': 0.7, 'b': 1.9}
        """
        paths, leaves = pytree.paths("params", params), pytree.flatten(params)
        for path, x in zip(paths, leaves, strict=True):
            if isinstance(x, Traced):
                raise InputError(
                    f"{path} is {x!r}. update takes plain numbers and arrays; see apply_gradients."
                )
        gradients = pytree.match_leaves(grads, params, "grads")
        return pytree.unflatten(params, self._step(paths, paths, leaves, gradients))

    def _step(
        self, keys: Sequence[Any], names: Sequence[str], xs: Sequence[Any], gs: Sequence[Any]
    ) -> list[Any]:
        """Take one step for all parameters; if one of them raises an error, none is changed."""
        if all(g is None for g in gs):
            raise InputError(
                f"No gradient for any of {', '.join(names) or 'the parameters (there are none)'}: the loss does not "
                "depend on them, as far as was recorded. Compute it from the parameters themselves, "
                "with nothing passed through .numpy(), and from Variables of floats."
            )
        moved = []
        states: dict[Any, dict[str, Any]] = {}
        for key, name, x, g in zip(keys, names, xs, gs, strict=True):
            if g is None:
                moved.append(to_output(x))
                continue
            if isinstance(g, Traced):
                g = g.value
            x = as_value(x, name)
            g = as_shaped(g, x, f"the gradient of {name}")
            state = self.state.get(key, {})
            _require_same_shape(name, x, state)
            x, states[key] = self._compute_step(x, g, state)
            moved.append(to_output(x))
        self.state.update({key: state for key, state in states.items() if state})
        return moved

    def minimize(self, loss: Callable[[], Any], var_list: Any = None) -> None:
        """Take one optimizer step that lowers the loss: :meth:`compute_gradients`, then :meth:`apply_gradients`.

        Examples
        --------
        >>> w = Variable(5.0, name="w")
        >>> optimizer = GradientDescent(learning_rate=0.1)
        >>> for _ in range(2):
        ...     optimizer.minimize(lambda: (w - 1) ** 2)
        >>> w
        Variable('w', 3.56)
        """
        self.apply_gradients(self.compute_gradients(loss, var_list))

    def compute_gradients(
        self, loss: Callable[[], Any], var_list: Any = None
    ) -> list[tuple[Any, Variable]]:
        """The optimizer's pairs (gradient, Variable), for `var_list` or for all trainable ones that the loss reads."""
        if not callable(loss):
            raise InputError(
                f"The loss is {loss!r}; it must be a function, so that a tape can record it: lambda: loss."
            )
        with GradientTape(watch_accessed_variables=var_list is None) as tape:
            if var_list is not None:
                tape.watch(var_list)
            value = loss()
        require_scalar(value, loss)
        variables = list(tape.watched_variables()) if var_list is None else pytree.flatten(var_list)
        return list(zip(tape.gradient(value, variables), variables, strict=True))

    def apply_gradients(self, grads_and_vars: Iterable[tuple[Any, Variable]]) -> None:
        """Take one optimizer step, assigning to each Variable. A Variable whose gradient is None stays as it is."""
        pairs = list(grads_and_vars)
        for pair in pairs:
            is_pair = isinstance(pair, tuple | list) and len(pair) == 2
            if not is_pair or not isinstance(pair[1], Variable):
                raise InputError(
                    f"apply_gradients takes pairs (gradient, Variable), and was given {pair!r}."
                )
        variables = [v for _, v in pairs]
        names = [v.name or f"Variable {k}" for k, v in enumerate(variables)]
        if len(set(map(id, variables))) < len(variables):
            raise InputError(
                f"A Variable comes twice among {', '.join(names)}. Add its gradients, and give it once."
            )
        moved = self._step(variables, names, [v.value for v in variables], [g for g, _ in pairs])
        for (g, v), x in zip(pairs, moved, strict=True):
            if g is not None:
                v.assign(x)


class GradientDescent(Optimizer):
    """Gradient descent: x ← x − η g (Cauchy, 1847). It has no state.

    Parameters
    ----------
    learning_rate : float
        The step size η.

    See Also
    --------
    Momentum : Descend with a memory of earlier gradients.
    Adam : Descend with a step size for each entry.

    Examples
    --------
    >>> import autodiff_lab as ad
    >>> ad.GradientDescent(0.1).update(5.0, ad.grad(lambda x: (x - 3) ** 2)(5.0))
    4.6
    """

    def _compute_step(self, x: Any, g: Any, state: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        return x - self.learning_rate * g, state


class Momentum(Optimizer):
    """Momentum: a ← μ a + g, x ← x − η a. Gradients add up where they agree (Polyak, 1964).

    With η outside the sum, as in TensorFlow's MomentumOptimizer: a change of the learning rate acts on the whole step.

    Parameters
    ----------
    learning_rate : float
        The step size η.
    momentum : float
        The factor μ: how much of the last step goes into the next.

    See Also
    --------
    GradientDescent : Descend by the gradient alone.
    Adam : Descend with a step size for each entry.

    Examples
    --------
    >>> import autodiff_lab as ad
    >>> optimizer, x = ad.Momentum(0.1, momentum=0.5), 5.0
    >>> for _ in range(50):
    ...     x = optimizer.update(x, ad.grad(lambda x: (x - 3) ** 2)(x))
    >>> round(x, 2)
    3.0
    """

    def __init__(self, learning_rate: float, momentum: float = 0.9) -> None:
        super().__init__(learning_rate)
        self.momentum = _check_number("momentum", momentum, below=1)

    def _compute_step(self, x: Any, g: Any, state: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        a = self.momentum * state.get("accumulated", zeros(x)) + g
        return x - self.learning_rate * a, {"accumulated": a}


class Adam(Optimizer):
    """Adam: x ← x − η m̂ / (√v̂ + ε), each entry scaled by the size of its own gradients.

    m and v are moving averages of g and g²; m̂ = m / (1 − β₁ᵗ) and v̂ = v / (1 − β₂ᵗ) correct for their start at 0
    (Kingma and Ba, *Adam: a method for stochastic optimization*, 2015, algorithm 1). Each parameter has its own step
    count t, so one that gets its first gradient late starts like the others.

    Parameters
    ----------
    learning_rate : float
        The step size η.
    beta_1 : float
        How much of m is kept from step to step.
    beta_2 : float
        How much of v is kept.
    epsilon : float
        Keeps the divisor away from 0.

    See Also
    --------
    GradientDescent : Descend by the gradient alone.
    Momentum : Descend with a memory of earlier gradients.

    Examples
    --------
    >>> import autodiff_lab as ad
    >>> optimizer, x = ad.Adam(0.1), 5.0
    >>> for _ in range(200):
    ...     x = optimizer.update(x, ad.grad(lambda x: (x - 3) ** 2)(x))
    >>> round(x, 2)
    3.0
    """

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-8,
    ) -> None:
        super().__init__(learning_rate)
        self.beta_1 = _check_number("beta_1", beta_1, below=1)
        self.beta_2 = _check_number("beta_2", beta_2, below=1)
        self.epsilon = _check_number("epsilon", epsilon, least=1e-300)

    def _compute_step(self, x: Any, g: Any, state: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        t = state.get("steps", 0) + 1
        m = self.beta_1 * state.get("m", zeros(x)) + (1 - self.beta_1) * g
        v = self.beta_2 * state.get("v", zeros(x)) + (1 - self.beta_2) * g * g
        m_hat = m / (1 - self.beta_1**t)
        v_hat = v / (1 - self.beta_2**t)
        x = x - self.learning_rate * m_hat / (np.sqrt(v_hat) + self.epsilon)
        return x, {"m": m, "v": v, "steps": t}


def _require_same_shape(name: str, x: Any, state: dict[str, Any]) -> None:
    """Raise an error if the state of a parameter, except its step count, has another shape than the parameter."""
    for known in state.values():
        if not isinstance(known, int) and shape_of(known) != shape_of(x):
            raise ShapeError(
                f"{name} had another shape before. Call reset(), or take a new optimizer for it."
            )


def _check_number(name: str, given: Any, least: float = 0.0, below: float = np.inf) -> float:
    real = isinstance(given, int | float | np.integer | np.floating) and not isinstance(given, bool)
    if not real or not least <= given < below:
        limit = f" and below {below}" if below < np.inf else ""
        raise InputError(
            f"{name} is {given!r}; it must be a finite number, from {least} on{limit}."
        )
    return float(given)
