"""The controller of the lab FeedGraph: build a static graph, feed it, run it, and sweep back, one node at a time."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Self

from autodiff_lab.lessons.examples.graph_builder import FLATTEN, INPUTS, PROGRAMS, GraphBuilder
from autodiff_lab.systems.static_graph import Constant, Operator
from autodiff_lab.text.grid import Grid, grid
from autodiff_lab.text.notation import format_expression
from autodiff_lab.text.numbers import number
from autodiff_lab.widgets.labs.feed_graph.passes import Pass, run_graph, sweep_graph
from autodiff_lab.widgets.labs.feed_graph.picture import Places, draw
from autodiff_lab.widgets.labs.lab import Button, Choice, Entry, Lab, Play
from autodiff_lab.widgets.labs.typed_number import parse_number

TARGETS = ("all outputs", "the first output", "the second output")


@dataclass
class State:
    """The state of FeedGraph: the graph, the current pass, the last complete run, and the gradients by output."""

    built: GraphBuilder
    places: Places = field(default_factory=Places)
    way: Pass = field(default_factory=Pass)
    computed: Pass | None = None
    rows: dict[str, tuple[float | None, ...]] = field(default_factory=dict)


class FeedGraph(Lab):
    """A lab on static graphs: build one, feed it, run it and sweep back, and see what each node waits for.

    >>> lab = FeedGraph()
    >>> lab.set(program="document 1's two functions")
    >>> lab.press("finish")
    >>> for target in ("the first output", "the second output"):
    ...     lab.set(target=target)
    ...     for name in ("backward", "finish"):
    ...         lab.press(name)
    >>> lab.snapshot()["rows"]
    {'f1': (2.0, 1.0), 'f2': (-1.5, 1.75)}
    """

    about = "Before each step, say which node is next, and why it may."
    controls = (
        Button("step", "Step"),
        Play("step", 1200),
        Button("finish", "To the end"),
        Button("forward", "Forward"),
        Button("backward", "Backward"),
        Choice("program", "program", tuple(PROGRAMS)),
        Choice("target", "backward from", TARGETS, more=True),
        Choice("flatten", "flatten sums", FLATTEN, more=True),
        *(Entry(name, f"feed {name}", "a number", more=True) for name in INPUTS),
        Button("begin", "Begin with nothing", more=True),
        Button("build", "Build a line", more=True),
    )
    program: str
    target: str
    flatten: str
    x: str
    y: str
    z: str

    def __init__(self) -> None:
        self.feed = {"x": 1.0, "y": 2.0}
        super().__init__()
        self.change("program")

    def change(self, name: str) -> None:
        """Build the whole graph of another program, or of another way to flatten it, and begin a run."""
        if name != "target":
            self.begin()
            while self.can("build"):
                self.build()
            self.forward()

    def enter(self, name: str, text: str) -> None:
        """Set the number that is fed in the next run, or none if the text is empty; the graph stays as it is."""
        found = parse_number(text)
        if text.strip() and found is None:
            self.reply = f"{text!r} is not a number. Write 0.5, or 1/2."
            return
        if found is None:
            self.feed.pop(name, None)
            self.reply = f"{name} is not fed any more."
        else:
            self.feed[name] = found
            self.reply = f"{name} will be fed {number(found)}. What is built stays as it is."
        if name not in self.state.built.named:
            self.reply = f"This program has no {name}. The number is kept for one that has."
        else:
            self._forget()
            if self.can("forward"):
                self.forward()

    def _forget(self) -> None:
        """Clear all results, which belong to other numbers."""
        self.state.built.graph.zero_grad()
        self.state.way = Pass()
        self.state.computed = None
        self.state.rows = {}

    # Buttons

    def build(self) -> None:
        """Build one more line of the program, and find places for the new nodes."""
        self.state.built.next()
        self.state.places.place_nodes(self.state.built.graph.nodes)

    def forward(self) -> None:
        """Begin a run: count the operands that each node waits for."""
        built = self.state.built
        feed = {built.named[name]: x for name, x in self.feed.items() if name in built.named}
        self._forget()
        self.state.way = run_graph(built.graph, list(built.results.values()), feed)

    def backward(self) -> None:
        """Begin a sweep from all outputs, or from one of them."""
        graph = self.state.built.graph
        outputs = self.state.built.outputs
        if self.target != TARGETS[0] and len(outputs) > 1:
            name, node = list(outputs.items())[TARGETS.index(self.target) - 1]
            self.state.way = sweep_graph(graph, node, name)
            return
        used = {x for each in graph.nodes for x in each.operands}
        names = [name for name, node in outputs.items() if node not in used]
        self.state.way = sweep_graph(graph, None, " + ".join(names))

    def step(self) -> None:
        """Process one node in the run or sweep."""
        state = self.state
        way = state.way
        way.at += 1
        if way.over and way.phase == "backward":
            state.rows[way.target] = tuple(_float(way.found[name]) for name in state.built.inputs)
        elif way.over and not way.refused and not way.stuck:
            state.computed = way

    def finish(self) -> None:
        """Process all remaining nodes in the run or sweep."""
        while self.can("step"):
            self.step()

    def begin(self) -> None:
        """Begin with an empty graph; the numbers to feed are kept."""
        self.state = State(GraphBuilder(PROGRAMS[self.program], self.flatten))
        self.state.places.place_nodes(self.state.built.graph.nodes)

    def still(self) -> Self:
        """Return a lab for a static page: document 1's two functions with the sum of their gradients and each one."""
        whole = type(self)()
        whole.set(program=list(PROGRAMS)[2])
        whole.finish()
        for whole.target in TARGETS:
            whole.backward()
            whole.finish()
        return whole

    def can(self, name: str) -> bool:
        """Return True if a button can be pressed: first build, then forward, then backward, and step during a pass."""
        state = self.state
        is_built = state.built.done == len(state.built.lines)
        is_under_way = not state.way.over
        possible = {
            "step": is_under_way,
            "finish": is_under_way,
            "build": not is_built,
            "forward": is_built,
            "backward": state.computed is not None,
            "begin": state.built.done > 0,
        }
        return possible[name]

    # The view

    def snapshot(self) -> dict[str, Any]:
        """Return the nodes with degrees, counters, values and adjoints, the queue, and the gradients."""
        way = self.state.way
        built = self.state.built
        return {
            **self.settings,
            "lines": [format_expression(line) for line in built.lines],
            "built": built.done,
            "inputs": built.inputs,
            "fed": {name: self.feed[name] for name in built.inputs if name in self.feed},
            "phase": way.phase,
            "now": way.now.node,
            "queue": list(way.now.queue),
            "stuck": way.stuck,
            "refused": way.refused,
            "computed": self.state.computed is not None,
            "count": len(built.graph.nodes),
            "nodes": self._nodes(),
            "rows": dict(self.state.rows),
        }

    def _nodes(self) -> dict[str, dict[str, Any]]:
        way = self.state.way
        built = self.state.built
        run = way if way.phase == "forward" else self.state.computed or Pass()
        sweep = way if way.phase == "backward" else Pass()
        values = run.found_so_far
        adjoints = sweep.found_so_far
        uses = Counter(x for node in built.graph.nodes for x in node.operands)
        described = {}
        for node in built.graph.nodes:
            kind, computes = type(node).__name__.lower(), ""
            if isinstance(node, Operator):
                kind, computes = node.op.name, format_expression(node.expression)
            value = node.value if isinstance(node, Constant) else values.get(node.name)
            described[node.name] = {
                "names": [name for name, meant in built.named.items() if meant is node],
                "kind": kind,
                "computes": computes,
                "operands": [x.name for x in node.operands],
                "degrees": (len(node.operands), uses[node]),
                "waits": way.now.waiting.get(node.name),
                "value": _float(value),
                "adjoint": _float(adjoints.get(node.name)),
            }
        return described

    def sentence(self) -> str:
        """Describe the last action, or ask a question before the next."""
        return self.reply or _write_sentence(self.snapshot(), self.state.way)

    def table(self) -> Grid:
        """List each node, what it computes and waits for, its value and its adjoint."""
        snap = self.snapshot()
        rows = []
        for name, node in snap["nodes"].items():
            state = [
                "·" if node[key] is None else node[key] for key in ("waits", "value", "adjoint")
            ]
            rows.append((name, node["computes"] or node["kind"], *node["degrees"], *state))
        heads = ("node", "computes", "operands", "uses", "waits for", "value", "adjoint")
        queue = ", ".join(snap["queue"]) or "empty"
        return grid(f"{snap['count']} nodes; the queue: {queue}", heads, rows)

    def picture(self) -> str:
        """Draw the graph with values, adjoints, counters, the queue and the gradients."""
        return draw(self.snapshot(), self.state.places)


def _float(x: Any) -> float | None:
    return None if x is None else float(x)


# The sentence


def _write_sentence(snap: dict[str, Any], way: Pass) -> str:
    """Describe the last action, or ask a question before the next."""
    if way.phase == "forward":
        return _about_the_run(way)
    if way.phase == "backward":
        return _about_the_sweep(snap, way)
    if snap["built"] == 0:
        return "Nothing is built, and nothing is computed. Press Build a line: which values will there be afterwards?"
    return _about_the_line(snap)


def _about_the_line(snap: dict[str, Any]) -> str:
    line = snap["lines"][snap["built"] - 1]
    name = line.partition(" = ")[0]
    text = f"{line} is built: {snap['count']} nodes, and no value in any of them."
    for host, node in snap["nodes"].items():
        if name in node["names"] and name != host:
            text += f" {name} isn't a new node: it is {host}, which now has one more operand."
            break
    if snap["built"] == len(snap["lines"]):
        text += " Feed the inputs, and press Forward."
    return text


def _about_the_run(way: Pass) -> str:
    if way.over and way.refused:
        return way.refused
    if way.now.node is None:
        return f"Each node counts the operands it waits for. {_list_ready(way)}"
    text = f"{way.now.node} is computed. "
    if not way.over:
        return text + _list_ready(way)
    if not way.stuck:
        return f"{text}Every node has its value. Press Backward, or feed other numbers."
    return f"{text}The queue is empty, and {' and '.join(way.stuck)} still waits for itself: it never gets a value."


def _about_the_sweep(snap: dict[str, Any], way: Pass) -> str:
    if way.now.node is None:
        seeds = way.told or f"The adjoint of {way.target} is 1."
        return (
            f"Each node counts the contributions that are still to come. {_list_ready(way)} {seeds}"
        )
    if not way.over:
        node = snap["nodes"][way.now.node]
        sends = ", and sends to its operands" if node["operands"] else ""
        adjoint = _write_adjoint(node["adjoint"])
        return f"The adjoint of {way.now.node} is complete: {adjoint}{sends}. {_list_ready(way)}"
    slopes = zip(snap["inputs"], snap["rows"][way.target], strict=True)
    found = ", ".join(f"{name} has {_write_adjoint(slope)}" for name, slope in slopes)
    text = f"The sweep from {way.target} is over: {found}."
    if " + " in way.target:
        hint = "For a row of the Jacobian, start the sweep from a single output."
        return f"{text} These are sums over the outputs. {hint}"
    return f"{text} Press Backward again: each sweep starts its counters afresh."


def _list_ready(way: Pass) -> str:
    return f"Ready: {', '.join(way.now.queue)}." if way.now.queue else "None is ready."


def _write_adjoint(adjoint: float | None) -> str:
    return "nothing" if adjoint is None else number(adjoint)
