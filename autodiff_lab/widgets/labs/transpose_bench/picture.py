"""The picture of TransposeBench: three columns of equations, and the line that has just become another."""

from __future__ import annotations

from autodiff_lab.text.notation import format_adjoint, format_name, format_tangent, number
from autodiff_lab.widgets.labs.canvas import Sheet
from autodiff_lab.widgets.labs.marks import draw_rule
from autodiff_lab.widgets.labs.transpose_bench.programs import Equation, Equations, transpose_equation

WIDTH, HEIGHT = 900, 396
ROW, TOP, TALL = 30, 106, 56
FUNCTION, LINEAR, TRANSPOSED = 14, 296, 596


def write_linear(line: Equation) -> str:
    """Write the linear equation that an equation becomes.

    >>> write_linear(Equation("v2", "x1 · x2", 10.0, ((5.0, "x1"), (2.0, "x2"))))
    'v̇₂ = 5 · ẋ1 + 2 · ẋ2'
    """
    terms = [_multiply(factor, format_tangent(name)) for factor, name in line.terms]
    return f"{format_tangent(line.name)} = {' + '.join(terms)}".replace("+ −", "− ")


def write_transposed(line: Equation) -> list[str]:
    """Write the lines of the transposed program that a linear equation becomes.

    >>> write_transposed(Equation("v2", "x1 · x2", 10.0, ((5.0, "x1"), (2.0, "x2"))))
    ['x̄1 += 5 · v̄₂', 'x̄2 += 2 · v̄₂']
    """
    return [
        f"{format_adjoint(to)} += {_multiply(factor, format_adjoint(source))}"
        for to, factor, source in transpose_equation(line)
    ]


def write_equation(line: Equation) -> str:
    """Write an equation as the program has it."""
    return f"{format_name(line.name)} = {line.text}"


def _multiply(factor: float, name: str) -> str:
    return name if factor == 1 else f"−{name}" if factor == -1 else f"{number(factor)} · {name}"


def draw(equations: Equations, at: tuple[float, float], linearized: int, transposed: int) -> str:
    """Draw the equations, the first of them linearized, and the last of these transposed."""
    sheet = Sheet(WIDTH, HEIGHT, "Equations, the linear program of their tangents, and its transpose")
    lines, count = equations.lines, len(equations.lines)
    point = ", ".join(f"{format_name(name)} = {number(x)}" for name, x in zip(equations.inputs, at, strict=True))
    heads = (
        (FUNCTION, "equations", f"at {point}  ↓", "value"),
        (LINEAR, "linear program", "tangents in, tangents out  ↓", "tangent"),
        (TRANSPOSED, "transposed", "from the last line up  ↑", "adjoint"),
    )
    for x, head, below, role in heads:
        sheet.text(x, 24, head, role, size=16, bold=True)
        sheet.text(x, 46, below, "soft_ink", size=14)
    draw_rule(sheet, 8, WIDTH - 8, 60)
    sheet.text(TRANSPOSED, TOP - 22, f"{format_adjoint(lines[-1].name)} = 1, the seed", "soft_ink", size=14)
    for k, line in enumerate(lines):
        y = TOP + TALL * k
        sheet.text(FUNCTION, y, f"{write_equation(line)} = {number(line.value)}", "value", size=15)
        if k < linearized:
            sheet.text(LINEAR, y, write_linear(line), "tangent", size=15)
        else:
            sheet.text(LINEAR, y, f"{format_tangent(line.name)} = ?" if k == linearized else "·", "soft_ink", size=15)
    row = 0
    for k in range(count - 1, count - 1 - transposed, -1):
        first = row
        for text in write_transposed(lines[k]):
            sheet.text(TRANSPOSED + 8, _row(row), text, "adjoint", size=15)
            row += 1
        if k == count - transposed:
            middle = (_row(first) + _row(row - 1)) / 2 - 5
            sheet.box(TRANSPOSED, _row(first) - 20, 290, ROW * (row - first) - 2, "adjoint", width=2)
            _point(sheet, LINEAR, TOP + TALL * k, TRANSPOSED, middle, "adjoint")
    if linearized and not transposed:
        _point(sheet, FUNCTION, TOP + TALL * (linearized - 1), LINEAR, TOP + TALL * (linearized - 1) - 5, "tangent")
    return sheet.svg()


def _row(k: int) -> float:
    return TOP + 8 + ROW * k


def _point(sheet: Sheet, x: float, y: float, to: float, height: float, role: str) -> None:
    """Frame a line, and draw an arrow from it to what it has become."""
    right = to - 46 if to == TRANSPOSED else to - 34
    sheet.box(x - 8, y - 22, right - x + 8, 32, role, width=2)
    sheet.arrow((right + 2, y - 5), (to - 4, height), role)
