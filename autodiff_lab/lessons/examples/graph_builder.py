"""A builder of static graphs from the text of a program, line by line, with three ways to flatten a sum of sums.

``"off"`` makes one node for each operation, ``"copy"`` is the package's own flattening, and ``"mutate"`` is that of
source text 1: ``s + z`` hands `z` to the node `s` that is there already, whoever else holds it.
"""

from autodiff_lab.lessons.examples.expressions import parse_expression
from autodiff_lab.systems.static_graph import Constant, Graph, Node, Placeholder
from autodiff_lab.systems.static_graph.nodes import MERGED, Operator, Partial
from autodiff_lab.text.notation import format_expression
from autodiff_lab.text.numbers import number

PROGRAMS = {
    "f1 = x · y + log(x + y)": ("f1 = x * y + log(x + y)",),
    "f1 = x + y, f2 = x − y": ("f1 = x + y", "f2 = x - y"),
    "document 1's two functions": ("f1 = x + y + log(x)", "d = x - y", "f2 = x / y + d * d"),
    "f1 = x + y + z": ("f1 = x + y + z",),
    "s = x + y, u = s · 10, t = s + z": ("s = x + y", "u = s * 10", "t = s + z"),
    "s = x + y, t = s + s": ("s = x + y", "t = s + s"),
}
INPUTS = ("x", "y", "z")
FLATTEN = ("off", "copy", "mutate")


class GraphBuilder:
    """A builder of the static graph of a program, one line of the program at a time.

    Attributes
    ----------
    lines : tuple of str
        The whole program.
    done : int
        How many of its lines are built.
    named : dict
        The node that each name of the program means; two names may mean one node.

    Examples
    --------
    >>> for flatten in FLATTEN:
    ...     built = GraphBuilder(("s = x + y", "t = s + z"), flatten)
    ...     built.next()
    ...     built.next()
    ...     print(flatten, built.named["t"] is built.named["s"], built.named["s"].expression)
    off False x + y
    copy False x + y
    mutate True x + y + z
    """

    def __init__(self, lines: tuple[str, ...], flatten: str) -> None:
        self.lines, self.done, self.mutate = lines, 0, flatten == "mutate"
        self.graph = Graph(flatten=flatten != "off")
        used = [name for name in INPUTS if any(name in line for line in lines)]
        self.named: dict[str, Node] = {
            name: Placeholder((), name, graph=self.graph) for name in used
        }

    def next(self) -> None:
        """Build the next line of the program into its static graph. Nothing is computed."""
        name, expression = self.lines[self.done].split(" = ")
        before = set(self.graph.nodes)
        node = parse_expression(expression, tuple(self.named))(*self.named.values())
        if self.mutate:
            node = _merge_into_operand(node)
        # A new node is called as in the program, or else by what it computes: every message says it so.
        for new in self.graph.nodes:
            if new not in before:
                new.name = (
                    number(new.value)
                    if isinstance(new, Constant)
                    else format_expression(new.expression)
                )
        if node not in before:
            node.name = name
        self.named[name], self.done = node, self.done + 1

    @property
    def inputs(self) -> list[str]:
        """The names of the placeholders in the static graph that is built."""
        return [name for name in self.named if name in INPUTS]

    @property
    def results(self) -> dict[str, Node]:
        """The nodes of the lines that are built into a static graph, by name."""
        return {name: node for name, node in self.named.items() if name not in INPUTS}

    @property
    def outputs(self) -> dict[str, Node]:
        """The nodes of a static graph's built lines that no later line mentions, by name."""
        lines = [line.split(" = ") for line in self.lines]
        mentioned = {part for _, expression in lines for part in expression.split()}
        return {name: node for name, node in self.results.items() if name not in mentioned}


def _merge_into_operand(node: Node) -> Node:
    """Flatten as document 1 does: a sum gives its terms to a sum among its operands, and that one is the result."""
    if not isinstance(node, Operator) or node.op not in MERGED:
        return node
    operands = node.operands
    for k, host in enumerate(operands):
        if isinstance(host, Operator) and host.op is node.op:
            for other in (*operands[:k], *operands[k + 1 :]):
                # Instead of a weak reference to the node that had these slots: there is no such node.
                host.slots = (Partial(lambda: None, host.slots), other)  # type: ignore[arg-type]
            return host
    return node
