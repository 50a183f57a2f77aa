"""The exercises of notebook 04 about adjoints: what all the paths cost, and what a cell gets from its consumers."""

from __future__ import annotations

from autodiff_lab.lessons.checks import Crashed, Exercise, TookTooLong
from autodiff_lab.lessons.lesson_04.sandbox import DOUBLINGS, expected_slopes, sweep_programs
from autodiff_lab.lessons.lesson_04.variants import annotated, by_hand, calls_and_cells, over_which

# 1. paths and cells

ex_04_1 = Exercise(
    expects="a pair of whole numbers, (calls, cells)",
    make=calls_and_cells,
    draws={"k": (9, 10, 11, 12, 13, 14)},
    hints=(
        "For 3 doublings the pictures above have 15 calls and 4 cells. Draw 1 and 2 doublings: how do they grow?",
        "The calls are 3, 7, 15, 31: one less than a power of two. The cells are 2, 3, 4, 5.",
        "2 ** (k + 1) - 1 calls, and k + 1 cells.",
    ),
    praise="The calls about double with each doubling, and the cells grow by one. Section 3 goes from calls to cells.",
)

# 2. one graph, annotated twice

ex_04_2 = Exercise(
    expects="two lists, of three numbers and of four, ([dc/db, dd/db, de/db], [de/dc, de/dd, de/db, de/da])",
    make=annotated,
    draws={"a": (2.0, 3.0, 4.0, 5.0), "b": (1.0, 2.0, 3.0)},
    hints=(
        "From b: c grows as fast as b, and so does d. Then e = c · d, in which both grow.",
        "From e: the derivative of c · d with respect to c is the value of d. From c go on to a and to b, from d to b.",
        "In both lists there are two paths to b. Multiply along each path, and add the two products.",
    ),
    praise="de/db is in both lists. The first walk gives derivatives with respect to b only, the second also de/da.",
)

# 3. the sweep over consumers


def _sweep(
    term: str = "adjoint[consumer] * partial",
    seed: str = "1.0 if cell is result else ",
    order: str = "reversed(cells)",
    total: str = "sum({})",
    end: str = "adjoint",
) -> str:
    added = total.format(f"{term} for consumer, partial in consumers[cell]")
    return f"""\
def adjoints_from(result, cells):
    consumers = {{cell: [] for cell in cells}}
    for cell in cells:
        for operand, partial in cell.links:
            consumers[operand].append((cell, partial))
    adjoint = {{}}
    for cell in {order}:
        adjoint[cell] = {seed}{added}
    return {end}"""


SENT = """\
def adjoints_from(result, cells):
    adjoint = dict.fromkeys(cells, 0.0)
    adjoint[result] = 1.0
    for cell in reversed(cells):
        for operand, partial in cell.links:
            adjoint[operand] {} adjoint[cell] * partial
    return adjoint"""
OLAH, *_, TWICE, MANY = expected_slopes()
ALONG_PATHS = """\
def adjoints_from(result, cells):
    def along_paths(end, cell):
        if end is cell:
            return 1.0
        return sum(partial * along_paths(operand, cell) for operand, partial in end.links)

    return {cell: along_paths(result, cell) for cell in cells}"""

ex_04_3 = Exercise(
    expects="a function adjoints_from(result, cells) that returns a dictionary, the adjoint of each cell",
    expected=expected_slopes(),
    observe=sweep_programs,
    cases="These are the adjoints of the inputs.",
    reference=_sweep(),
    misconceptions={
        _sweep(order="cells"): (
            {OLAH: Crashed("KeyError")},
            "You ask for the adjoint of a cell that has none yet. If you collect from consumers, walk from the last "
            "cell to the first, for they were made later. If you send to operands, begin with 0.0 for every cell.",
        ),
        _sweep(total="[{}][-1] if consumers[cell] else 0.0"): (
            {OLAH: (2.0, 3.0)},
            "Of several consumers you keep what one of them sends. All of it arrives, so all of it is added.",
        ),
        SENT.format("="): (
            {OLAH: (2.0, 2.0)},
            "You send, which also works, but = throws away what another consumer has sent before. Write +=.",
        ),
        _sweep(total="sum({}) / max(1, len(consumers[cell]))"): (
            {OLAH: (2.0, 2.5)},
            "You share the sum out among the consumers. Nothing is divided: each of them uses the whole value.",
        ),
        _sweep(seed=""): (
            {OLAH: (0.0, 0.0)},
            "Nothing has come through to the inputs. Does the result, which has no consumers, begin with 1? And do "
            "you walk from the last cell to the first?",
        ),
        _sweep(term="partial"): (
            {OLAH: (1.0, 2.0)},
            "You add the partials of the links alone. A consumer passes on how much the result depends on *it*: "
            "multiply by its adjoint.",
        ),
        _sweep().replace(
            "        for operand, partial in cell.links", "        for operand, partial in dict(cell.links).items()"
        ): (
            {OLAH: (2.0, 5.0), TWICE: (16.0,)},
            "It fails where a cell goes into one operation twice: these are two links, and you keep one of them. Let "
            "the consumers' list hold both.",
        ),
        ALONG_PATHS: (
            {TWICE: (64.0,), MANY: Crashed(TookTooLong.__name__)},
            f"The numbers are right, and each path is followed by itself: x doubled {DOUBLINGS} times has too many. "
            "Add up at each cell what its consumers send, once, and go on with the sum.",
        ),
        _sweep(end="adjoint[cells[0]]"): (
            {OLAH: 2.0},
            "You return one number. Return the whole dictionary: the check looks up the inputs itself.",
        ),
    },
    hints=(
        "First turn the links round: go through all cells, and enter each of them in the lists of its operands.",
        "consumers = {cell: [] for cell in cells}, and then consumers[operand].append((cell, partial)) for every link.",
        "Then for cell in reversed(cells): 1.0 for the result, and for any other cell the sum of "
        "adjoint[consumer] * partial over its list.",
    ),
    praise="No path was followed separately, and the sum over all paths comes out: each link is used once.",
)

# 4. seven adjoints

ex_04_4 = Exercise(
    expects="seven numbers, (v3, v2, v-1, v0, v1, v0, v-1), in the order in which they change",
    make=by_hand,
    draws={"x1": (1.0, 2.0, 4.0, 5.0), "x2": (2.0, 3.0, 4.0, 5.0)},
    tolerance=5e-4,
    hints=(
        "v4 = v3 − v2 sends first. What does it send to v3, and what to v2?",
        "v3 = v-1 · v0 sends x2 to v-1, and x1 to v0. Then v2 = v1 · v0 sends its adjoint −1, times sin x1, to v0, "
        "where it is added.",
        "v1 = sin v-1 has the adjoint −x2. It sends −x2 · cos x1 to v-1, where x2 is already.",
    ),
    praise="Two inputs, two additions: there is a sum wherever a value was used twice, and nowhere else.",
)

# 5. which sum

ex_04_5 = Exercise(
    expects="a pair of numbers, (the sum with total derivatives, the sum with local partials)",
    make=over_which,
    draws={"x1": (1.0, 2.0, 4.0, 5.0), "x2": (2.0, 3.0, 4.0, 5.0)},
    hints=(
        "You need ∂f/∂v for each operation, which the sweep has, and dv/dx1 for each, which slopes_of gives.",
        "adjoint = adjoints_from(v4, tape); slope = slopes_of(tape, v_1); then sum(adjoint[v] * slope[v] for v in …).",
        "The four operations are tape[2:]. The consumers of v_1 are v1 and v3, with the partials on their links.",
    ),
    praise="A sum over the consumers is enough: all paths beyond them are already in their adjoints.",
)
