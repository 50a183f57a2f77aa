"""Python stack frames: which frame runs the user's code, and in which frame a ``with`` block was entered."""

import inspect
import linecache
import sys
from types import FrameType

# Modules between the user's code and the tape. When we look for the user's line, we skip their frames.
INTERNAL_MODULES = (
    "autodiff_lab.engine.",
    "autodiff_lab.transforms.",
    "numpy.",
    "scipy.",
    "torch.",
    "jax.",
)


def is_user_frame(frame: FrameType, internal: tuple[str, ...] = INTERNAL_MODULES) -> bool:
    """Whether a stack frame runs the user's code, not a module whose dotted name begins with one of `internal`."""
    return not f"{frame.f_globals.get('__name__', '')}.".startswith(internal)


def find_user_frame() -> FrameType:
    """Walk up the stack to the innermost frame that runs the user's code."""
    frame = sys._getframe(1)
    while not is_user_frame(frame) and frame.f_back is not None:
        frame = frame.f_back
    return frame


def describe_line(frame: FrameType) -> str:
    """The source line that a stack frame is running, as ``line 3: while y < 10:``; empty if there is no source."""
    text = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
    return f"line {frame.f_lineno}: {text}" if text else ""


def is_on_stack(frame: FrameType) -> bool:
    """Whether a frame is on the running thread's stack; the frame of a suspended generator is not."""
    running: FrameType | None = sys._getframe(1)
    while running is not None and running is not frame:
        running = running.f_back
    return running is not None


def find_suspendable_frame() -> FrameType | None:
    """The frame whose ``with`` statement is being entered, if that frame can be suspended inside the block.

    Only the frame of a generator or a coroutine can. If another context manager enters the block (a generator that
    `contextlib` runs, or a class with an ``__enter__``), we take the frame that enters this context manager.
    """
    # The caller is `Pause.__init__`, and its caller is the generator `no_recording`: start there.
    frame, back = sys._getframe(2), sys._getframe(3)
    while back is not None and (
        frame.f_code.co_name in ("__enter__", "__aenter__")
        or "contextlib" in (frame.f_globals.get("__name__"), back.f_globals.get("__name__"))
    ):
        frame, back = back, back.f_back  # type: ignore[assignment]
    suspendable = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
    return frame if frame.f_code.co_flags & suspendable else None


def is_asked_by_masked_array() -> bool:
    """Whether the caller is NumPy's masked arrays: ``masked * x`` converts `x` before any rule is looked up."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not is_user_frame(frame):
        if frame.f_globals.get("__name__", "").startswith("numpy.ma."):
            return True
        frame = frame.f_back
    return False
