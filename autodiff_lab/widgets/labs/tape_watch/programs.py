"""The programs of TapeWatch: what runs on the tape, and how the controls make Python of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Program(NamedTuple):
    """What runs on the tape: lines ``name = expression``, what is asked for, and with respect to what."""

    lines: tuple[tuple[str, str], ...]
    target: str
    sources: tuple[str, ...] = ("x", "y")


PROGRAMS = {
    "z = x² + y²": Program((("a", "{x} ** 2"), ("b", "{y} ** 2"), ("z", "a + b")), "z"),
    "z = y², and x² beside it": Program((("a", "{x} ** 2"), ("z", "{y} ** 2")), "z"),
    "m = x · x, z = m · m": Program((("m", "{x} * {x}"), ("z", "m * m")), "z", ("x", "y", "m")),
    "two targets, x² and 1 / x": Program((("a", "{x} ** 2"), ("b", "1 / {x}")), "[a, b]"),
    "z = x · y + sin x": Program((("a", "{x} * {y}"), ("b", "np.sin({x})"), ("z", "a + b")), "z"),
}
KINDS = {
    "a Variable": "Variable({})",
    "a constant": "constant({})",
    "a fixed Variable": "Variable({}, trainable=False)",
}
NEVER = "never"
PAUSES = (NEVER, "in the first line", "in the second line", "in the last line")


@dataclass(frozen=True)
class Settings:
    """Where the controls stand: all that the program depends on."""

    program: str
    x: float
    y: float
    x_is: str
    y_is: str
    watch_x: bool
    watch_y: bool
    numpy_x: bool
    numpy_y: bool
    pause: str
    accessed: bool = True
    persistent: bool = False
    zeros: bool = False


def write_program(at: Settings) -> list[str]:
    """Write the program as lines of Python; the last one or two ask for the slopes."""
    program = PROGRAMS[at.program]
    through = {"x": "x.numpy()" if at.numpy_x else "x", "y": "y.numpy()" if at.numpy_y else "y"}
    lines = [f"x = {KINDS[at.x_is].format(at.x)}", f"y = {KINDS[at.y_is].format(at.y)}"]
    options = ["persistent=True"] * at.persistent + ["watch_accessed_variables=False"] * (not at.accessed)
    head = f"with GradientTape({', '.join(options)}) as tape:"
    lines += [head] if len(head) < 50 else ["with GradientTape(", f"    {', '.join(options)}", ") as tape:"]
    told_of = ["x"] * at.watch_x + ["y"] * at.watch_y
    lines += [f"    tape.watch([{', '.join(told_of)}])"] * bool(told_of)
    quiet = {NEVER: None, PAUSES[1]: 0, PAUSES[2]: 1, PAUSES[3]: len(program.lines) - 1}[at.pause]
    for k, (name, expression) in enumerate(program.lines):
        line = f"{name} = {expression.format(**through)}"
        lines += ["    with tape.stop_recording():", f"        {line}"] if k == quiet else [f"    {line}"]
    asked = f"tape.gradient({program.target}, [{', '.join(program.sources)}]"
    return [*lines, *([f"{asked},", '    unconnected_gradients="zero")'] if at.zeros else [f"{asked})"])]
