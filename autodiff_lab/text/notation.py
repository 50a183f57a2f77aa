"""Mathematical notation of names, operations and expressions, as text and in LaTeX.

The engine writes plain ASCII (``v-1``, ``3.0 * v1``); every picture, table and sentence writes what a textbook
writes (``v₋₁``, ``3 · v₁``). All of that translation is here.
"""

import html
import re
import unicodedata
from collections.abc import Mapping

from autodiff_lab.text.numbers import number

# Shown in place of an adjoint that the sweep has not reached: it is not 0, because nothing has arrived.
NOT_REACHED = "·"

_SUBSCRIPT = str.maketrans("-0123456789", "₋₀₁₂₃₄₅₆₇₈₉")
_PLAIN_DIGITS = str.maketrans("₋₀₁₂₃₄₅₆₇₈₉", "-0123456789")
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_NAME = re.compile(r"(?<![\w.])v(-?\d+)(?!\w)")
_FLOAT = re.compile(r"(?<![\w.])\d+(?:\.\d*(?:e[+-]?\d+)?|e[+-]?\d+)(?!\w)")
_SMALL_POWER = re.compile(r" \*\* (?:(-?\d+)(?![\d.])|\((-?\d+)\))")
_ONE_CALL = re.compile(r"([^\W\d]\w*)\(((?!−)[^\s(),\[\]]+)\)")
_DOUBLE = re.compile(r"\(\((−[^()\s]+)\)\)")
_EXPONENT = re.compile(r"([\d.]+)e([−-]?)\+?0*(\d+)")
_MACRON = "\N{COMBINING MACRON}"
_DOT = "\N{COMBINING DOT ABOVE}"

_SYMBOLS = {
    "add": "+",
    "subtract": "−",
    "multiply": "×",
    "divide": "÷",
    "true_divide": "÷",
    "power": "**",
    "negative": "neg",
    "matmul": "@",
    "absolute": "abs",
    "maximum": "max",
    "minimum": "min",
    "floor_divide": "//",
    "remainder": "%",
    "<lambda>": "λ",
}

# The operations written between their operands.
_INFIX = frozenset(
    {
        "add",
        "subtract",
        "multiply",
        "divide",
        "true_divide",
        "power",
        "matmul",
        "floor_divide",
        "remainder",
    }
)

_LONGEST_SYMBOL = 28

# How the engine, which writes Python, spells a call, and how a reader likes to see it.
_SPELLINGS = (
    (re.compile(r", (?:keepdims=False|axis=None)(?=[,)])"), ""),
    (re.compile(r"einsum\((.*), subscripts=('[^']*')\)"), r"einsum(\2, \1)"),
    (re.compile(rf"\btranspose\((v-?\d+|v{_MACRON}[₋₀-₉]+)(?:, \(1, 0\))?\)"), r"\1.T"),
    (re.compile(r"<lambda>"), "λ"),
    (re.compile(r"(?<=,) {2,}"), " "),
    (re.compile(r"->"), "→"),
    (re.compile(r"(?<![\w.])inf(?!\w)"), "∞"),
)


def format_name(name: str) -> str:
    """Write the name of a tape entry in textbook notation: with a subscript.

    >>> format_name("v-1"), format_name("v12"), format_name("x1")
    ('v₋₁', 'v₁₂', 'x1')
    """
    match = _NAME.fullmatch(name)
    return "v" + match[1].translate(_SUBSCRIPT) if match else name


def format_adjoint(name: str) -> str:
    """Write the notation for the adjoint of a tape entry: a bar over its name.

    >>> format_adjoint("v0") == "v̄₀"
    True
    """
    written = format_name(name)
    return written[0] + _MACRON + written[1:]


def format_tangent(name: str) -> str:
    """Write the notation for the tangent of a tape entry, or of an input: a dot over its name.

    >>> format_tangent("v0") == "v̇₀", format_tangent("x1") == "ẋ1"
    (True, True)
    """
    written = format_name(name)
    return unicodedata.normalize("NFC", written[0] + _DOT) + written[1:]


def latex(name: str) -> str:
    r"""Write a name in LaTeX notation.

    >>> latex("v-1"), latex("x1"), latex("learning_rate")
    ('v_{-1}', 'x_{1}', '\\mathrm{learning\\_rate}')
    """
    match = _NAME.fullmatch(name)
    if match:
        return f"v_{{{match[1]}}}"
    letter = re.fullmatch(r"([A-Za-z])_?(\d+)?", name)
    if letter:
        return letter[1] + (f"_{{{letter[2]}}}" if letter[2] else "")
    return rf"\{'mathrm' if name.isidentifier() else 'text'}{{{latex_text(name)}}}"


def latex_adjoint(name: str) -> str:
    r"""Write an adjoint in LaTeX notation: the name under a bar.

    >>> latex_adjoint("v-1")
    '\\bar{v}_{-1}'
    """
    match = _NAME.fullmatch(name)
    return rf"\bar{{v}}_{{{match[1]}}}" if match else rf"\overline{{{latex(name)}}}"


def latex_text(text: str) -> str:
    r"""Escape text in notation for LaTeX's text mode, as inside ``\text{…}``.

    >>> latex_text("50%_a")
    '50\\%\\_a'
    """
    signs = {
        "\\": r"\textbackslash ",
        "^": r"\textasciicircum ",
        "~": r"\textasciitilde ",
        "−": "-",
        "…": "...",
        "·": "*",
        "∞": r"$\infty$",
        "→": r"$\to$",
        "λ": r"$\lambda$",
    }
    return "".join(signs.get(char, "\\" + char if char in "{}$&#%_" else char) for char in text)


def latex_value(text: str) -> str:
    r"""Write a formatted number, or a product or sum of some, in LaTeX notation for math mode.

    >>> latex_value("−0.2837 + 1 · 2 = 1.7163"), latex_value("1.3e−5"), latex_value("[1 2]")
    ('-0.2837 + 1 \\cdot 2 = 1.7163', '1.3 \\cdot 10^{-5}', '[1 \\; 2]')
    """
    text = _EXPONENT.sub(lambda found: rf"{found[1]} · 10^{{{found[2]}{found[3]}}}", text)
    if re.search(r"[^\W\d_]", text.replace("NaN", "")):
        return rf"\text{{{latex_text(text)}}}"
    text = re.sub(r"\[.*\]", lambda found: found[0].replace(" ", r" \; "), text)
    signs = {"−": "-", "·": r"\cdot", "∞": r"\infty", "…": r"\dots"}
    text = "".join(signs.get(char, char) for char in text)
    return text.replace("NaN", r"\text{NaN}")


def latex_expression(expression: str) -> str:
    r"""Write an expression of the tape in LaTeX notation: names in math mode, all the rest as text.

    >>> latex_expression("sum(v1, axis=0)"), latex_expression("v0 @ v-1")
    ('\\text{sum(}v_{1}\\text{, axis=0)}', 'v_{0}\\text{ @ }v_{-1}')
    """
    pieces = re.split(rf"(?<![\w.])(v-?\d+|v{_MACRON}[₋₀-₉]+)(?!\w)", _respell(expression))
    pieces[::2] = [rf"\text{{{latex_text(piece)}}}" if piece else "" for piece in pieces[::2]]
    pieces[1::2] = [
        latex_adjoint("v" + name[2:].translate(_PLAIN_DIGITS)) if _MACRON in name else latex(name)
        for name in pieces[1::2]
    ]
    return "".join(pieces)


def symbol(op: str) -> str:
    """Return the mathematical notation for an operation, ``×`` for ``multiply``; a very long name is shortened.

    >>> symbol("multiply"), symbol("subtract"), symbol("log")
    ('×', '−', 'log')
    """
    return shorten(_SYMBOLS.get(op, op), _LONGEST_SYMBOL)


def is_infix(op: str) -> bool:
    """Return whether the notation for an operation is written between its operands, as in ``a × b``.

    >>> is_infix("multiply"), is_infix("log")
    (True, False)
    """
    return op in _INFIX


def shorten(text: str, longest: int) -> str:
    """Shorten a name or an expression that is too long, and end it with an ellipsis.

    >>> shorten("a long story", 7)
    'a long…'
    """
    return text if len(text) <= longest else text[: longest - 1] + "…"


def format_expression(expression: str, labels: Mapping[str, str] | None = None) -> str:
    """Write an expression of the engine in textbook notation.

    Parameters
    ----------
    expression : str
        What `Tape.expression` or `Symbol.text` gives.
    labels : mapping of str to str, optional
        What to write in place of a tape name; the learner's parameter names, most often.

    >>> format_expression("3.0 * v1"), format_expression("v-1 * v0", {"v-1": "x1", "v0": "x2"})
    ('3 · v₁', 'x1 · x2')
    >>> format_expression("v1 ** 2"), format_expression("1 / v-1"), format_expression("sin(v0)")
    ('v₁²', '1 / v₋₁', 'sin v₀')
    >>> format_expression("einsum(v0, v1, subscripts='ij,j->i')"), format_expression("transpose(v0, (1, 0))")
    ("einsum('ij,j→i', v₀, v₁)", 'v₀.T')
    """
    labels = labels or {}
    expression = _respell(expression)
    # Split off the names first, because the hyphen in "v-1" is not a minus sign.
    pieces = _NAME.split(expression)
    pieces[::2] = [_readable_piece(piece) for piece in pieces[::2]]
    pieces[1::2] = [labels.get(f"v{digits}", format_name(f"v{digits}")) for digits in pieces[1::2]]
    text = _DOUBLE.sub(r"(\1)", "".join(pieces))
    # "sin x2" only where nothing follows that could be read as part of the argument.
    call = _ONE_CALL.fullmatch(text)
    return f"{call[1]} {call[2]}" if call else text


def _respell(expression: str) -> str:
    for pattern, replacement in _SPELLINGS:
        expression = pattern.sub(replacement, expression)
    return expression


def _readable_piece(text: str) -> str:
    text = _FLOAT.sub(lambda found: number(float(found[0])), text)
    text = _SMALL_POWER.sub(lambda found: (found[1] or found[2]).translate(_SUPERSCRIPT), text)
    return text.replace("[ ", "[").replace(" * ", " · ").replace("-", "−")


def atom(text: str) -> str:
    """Put a negative number in an expression's notation in parentheses, so that it can follow an operator.

    >>> atom("−1"), atom("5")
    ('(−1)', '5')
    """
    return f"({text})" if text.startswith(("−", "-")) else text


def factor(text: str) -> str:
    """Put a sum, quotient or negative number in parentheses, so that it can be a factor in a product's notation.

    >>> factor("1 / v₀"), factor("(x > 0)"), factor("cos v₀")
    ('(1 / v₀)', '(x > 0)', 'cos v₀')
    """
    if re.fullmatch(r"\([^()]*\)", text):
        return text
    return f"({text})" if text.startswith(("−", "-")) or re.search(r" [+−/] ", text) else text


def display_width(text: str) -> int:
    """Count the terminal columns that notation takes: a combining bar, as in v̄, takes none, a CJK character two.

    >>> display_width("v̄₀"), display_width("x1")
    (2, 2)
    """
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def escape(text: str) -> str:
    """Escape a name or an expression for HTML and Graphviz's HTML-like labels: ``<lambda>`` is shown, not run.

    >>> escape('<b a="1">')
    '&lt;b a=&quot;1&quot;&gt;'
    """
    # Graphviz's parser stops at control characters, which no label needs.
    shown = (
        text
        if text.isprintable()
        else "".join(char if char.isprintable() else "�" for char in text)
    )
    return html.escape(shown, quote=True)
