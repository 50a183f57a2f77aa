"""A builder of static graphs from the text of a program, line by line, with three ways to flatten a sum of sums.

``"off"`` makes one node for each operation. ``"copy"`` is the package's own flattening. ``"mutate"`` is that of source
text 1: ``s + z`` appends `z` to the existing node `s`, even if another name or node refers to it.
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
        How many of its lines have been built.
    named : dict
        The node of each name in the program; two names may refer to one node.

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
        self.lines = lines
        self.done = 0
        self.mutate = flatten == "mutate"
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
        # A new node gets its name in the program or else its expression as name, so that messages can be understood.
        for new in self.graph.nodes:
            if new in before:
                continue
            if isinstance(new, Constant):
                new.name = number(new.value)
            else:
                new.name = format_expression(new.expression)
        if node not in before:
            node.name = name
        self.named[name] = node
        self.done += 1

    @property
    def inputs(self) -> list[str]:
        """The names of the placeholders in the static graph that is built."""
        return [name for name in self.named if name in INPUTS]

    @property
    def results(self) -> dict[str, Node]:
        """The nodes of the lines that have been built into the static graph, by name."""
        return {name: node for name, node in self.named.items() if name not in INPUTS}

    @property
    def outputs(self) -> dict[str, Node]:
        """The results that no line of the program uses, by name: the outputs of the static graph."""
        lines = [line.split(" = ") for line in self.lines]
        mentioned = {part for _, expression in lines for part in expression.split()}
        return {name: node for name, node in self.results.items() if name not in mentioned}


def _merge_into_operand(node: Node) -> Node:
    """Flatten as in document 1: append the operands of a sum to a sum among them, and return that one."""
    if not isinstance(node, Operator) or node.op not in MERGED:
        return node
    operands = node.operands
    for k, host in enumerate(operands):
        if isinstance(host, Operator) and host.op is node.op:
            for other in (*operands[:k], *operands[k + 1 :]):
                # A `Partial` has a weak reference to its node; these slots have no node of their own.
                host.slots = (Partial(lambda: None, host.slots), other)  # type: ignore[arg-type]
            return host
    return node
