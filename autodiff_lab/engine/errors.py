"""The exception classes: every error message says what was done, why it cannot work, and what to write instead."""

from .tracebacks import render_traceback

__all__ = [
    "AutodiffError",
    "BranchChanged",
    "DetachedError",
    "DetachedWarning",
    "EndlessError",
    "InputError",
    "LeakError",
    "MutationError",
    "ReleasedError",
    "ShapeError",
    "UnsupportedError",
]


class AutodiffError(Exception):
    """The base class of the package's errors: ``except AutodiffError`` catches everything it raises on purpose.

    See Also
    --------
    CheckError : A derivative and its finite difference disagree.
    BranchChanged : A comparison comes out differently.
    DetachedWarning : A derivative may have been lost.

    Examples
    --------
    >>> import autodiff_lab as ad
    >>> try:
    ...     ad.grad(lambda x: [x, x])(1.0)
    ... except ad.AutodiffError as error:
    ...     print(type(error).__name__)
    ShapeError
    """

    def _render_traceback_(self) -> list[str]:
        """Render the short traceback that IPython shows in a notebook."""
        return render_traceback()


class BranchChanged(AutodiffError, RuntimeError):
    """Error: a recorded comparison now comes out differently, so the tape no longer shows what the program would do.

    See Also
    --------
    program : Compile a derivative.
    Program : A compiled derivative.

    Examples
    --------
    >>> import autodiff_lab as ad
    >>> relu = ad.program(lambda x: x if x > 0 else 0 * x, 2.0)
    >>> try:
    ...     relu(-1.0)
    ... except ad.BranchChanged:
    ...     print("record it again")
    record it again
    """


class DetachedError(AutodiffError, TypeError):
    """Error: a recorded value was to become a plain number, which would silently lose its derivative."""


class DetachedWarning(AutodiffError, UserWarning):
    """Warning: the function caught the error about a lost derivative and went on, so the result may be wrong.

    There is one warning for each call of a derivative, at the line that raised the error. Python's warning filters can
    turn it into an error, or turn it off.

    See Also
    --------
    AutodiffError : The base class of the errors.

    Examples
    --------
    >>> import math, warnings
    >>> import autodiff_lab as ad
    >>> def safe_log(x):
    ...     try:
    ...         return math.log(x)
    ...     except TypeError:
    ...         return x * 2
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", ad.DetachedWarning)
    ...     ad.grad(safe_log)(3.0)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    autodiff_lab.engine.errors.DetachedWarning: An error was raised here and caught ...
    """


class EndlessError(AutodiffError, RuntimeError):
    """Error: a run recorded for display has more operations than can be shown, and has not ended yet."""


class InputError(AutodiffError, TypeError):
    """Error: an input (or a seed) is not a real number or an array of real numbers."""


class LeakError(AutodiffError, RuntimeError):
    """Error: a traced value was used after the derivative call that created it had ended."""


class MutationError(AutodiffError, TypeError):
    """Error: a recorded value, or an array that should receive one, was written to in place."""


class ReleasedError(AutodiffError, RuntimeError):
    """Error: a tape was swept, replayed or drawn after its values had been freed."""


class ShapeError(AutodiffError, ValueError):
    """Error: a result, a tangent or a cotangent does not have the shape (or the structure) that is needed."""


class UnsupportedError(AutodiffError, TypeError):
    """Error: a function, or an option of one, has no derivative rule."""
