"""The controller of the lab FeedGraph: a static graph is built, fed, run and swept back, one node at a time."""

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
    """The state of the feed-graph lab: its graph, the pass through it, the run that computed it, what sweeps found."""

    built: GraphBuilder
    places: Places = field(default_factory=Places)
    way: Pass = field(default_factory=Pass)
    computed: Pass | None = None
    rows: dict[str, tuple[float | None, ...]] = field(default_factory=dict)


class FeedGraph(Lab):
    """A lab on static graphs: one is built, fed, run and swept back, with what every node waits for.

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
        """Build the whole of the feed-graph lab's new program, or flatten it in another way, and begin a run."""
        if name != "target":
            self.begin()
            while self.can("build"):
                self.build()
            self.forward()

    def enter(self, name: str, text: str) -> None:
        """Keep a number to feed the lab's graph in the next run, or none if the text is empty; nothing is rebuilt."""
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
        """Forget what was computed: it belonged to other numbers."""
        self.state.built.graph.zero_grad()
        self.state.way, self.state.computed, self.state.rows = Pass(), None, {}

    # Buttons

    def build(self) -> None:
        """Let the feed-graph lab build one more line of its program, and find places for the new nodes."""
        self.state.built.next()
        self.state.places.place_nodes(self.state.built.graph.nodes)

    def forward(self) -> None:
        """Begin a run of the feed-graph lab: count the operands that each node waits for."""
        built = self.state.built
        feed = {built.named[name]: x for name, x in self.feed.items() if name in built.named}
        self._forget()
        self.state.way = run_graph(built.graph, list(built.results.values()), feed)

    def backward(self) -> None:
        """Begin a sweep of the feed-graph lab from the outputs, or from one of them."""
        graph, outputs = self.state.built.graph, self.state.built.outputs
        used = {x for each in graph.nodes for x in each.operands}
        name, node = " + ".join(name for name, node in outputs.items() if node not in used), None
        if self.target != TARGETS[0] and len(outputs) > 1:
            name, node = list(outputs.items())[TARGETS.index(self.target) - 1]
        self.state.way = sweep_graph(graph, node, name)

    def step(self) -> None:
        """Let one node have its turn in the feed-graph lab's run or sweep."""
        state, way = self.state, self.state.way
        way.at += 1
        if way.over and way.phase == "backward":
            state.rows[way.target] = tuple(_float(way.found[name]) for name in state.built.inputs)
        elif way.over and not way.refused and not way.stuck:
            state.computed = way

    def finish(self) -> None:
        """Let all nodes that are left have their turn in the feed-graph lab's run or sweep."""
        while self.can("step"):
            self.step()

    def begin(self) -> None:
        """Begin the feed-graph lab with nothing built; what was fed is kept."""
        self.state = State(GraphBuilder(PROGRAMS[self.program], self.flatten))
        self.state.places.place_nodes(self.state.built.graph.nodes)

    def still(self) -> Self:
        """The feed-graph lab on document 1's two functions, with the sum of their gradients and each of them."""
        whole = type(self)()
        whole.set(program=list(PROGRAMS)[2])
        whole.finish()
        for whole.target in TARGETS:
            whole.backward()
            whole.finish()
        return whole

    def can(self, name: str) -> bool:
        """Whether the feed-graph lab's button can be pressed: build, then forward, then backward; steps in a pass."""
        state, complete = self.state, self.state.built.done == len(self.state.built.lines)
        under_way = not state.way.over
        possible = {
            "step": under_way,
            "finish": under_way,
            "build": not complete,
            "forward": complete,
        }
        possible |= {"backward": state.computed is not None, "begin": state.built.done > 0}
        return possible[name]

    # What is seen

    def snapshot(self) -> dict[str, Any]:
        """The feed-graph lab's data: nodes with degrees, counters, values and adjoints; the queue; the gradients."""
        way, built = self.state.way, self.state.built
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
        way, built, nodes = self.state.way, self.state.built, self.state.built.graph.nodes
        run = way if way.phase == "forward" else self.state.computed or Pass()
        sweep = way if way.phase == "backward" else Pass()
        uses = Counter(x for node in nodes for x in node.operands)
        return {
            node.name: {
                "names": [name for name, meant in built.named.items() if meant is node],
                "kind": node.op.name if isinstance(node, Operator) else type(node).__name__.lower(),
                "computes": format_expression(node.expression)
                if isinstance(node, Operator)
                else "",
                "operands": [x.name for x in node.operands],
                "degrees": (len(node.operands), uses[node]),
                "waits": way.now.waiting.get(node.name),
                "value": _float(
                    node.value if isinstance(node, Constant) else run.found_so_far.get(node.name)
                ),
                "adjoint": _float(sweep.found_so_far.get(node.name)),
            }
            for node in nodes
        }

    def sentence(self) -> str:
        """What the feed-graph lab says: what the last press has done, or what to ask before the next."""
        return self.reply or _write_sentence(self.snapshot(), self.state.way)

    def table(self) -> Grid:
        """The feed-graph lab's table: each node, what it computes and waits for, its value and its adjoint."""
        snap = self.snapshot()
        rows = [
            (
                name,
                node["computes"] or node["kind"],
                *node["degrees"],
                *(
                    "·" if node[what] is None else node[what]
                    for what in ("waits", "value", "adjoint")
                ),
            )
            for name, node in snap["nodes"].items()
        ]
        heads = ("node", "computes", "operands", "uses", "waits for", "value", "adjoint")
        return grid(
            f"{snap['count']} nodes; the queue: {', '.join(snap['queue']) or 'empty'}", heads, rows
        )

    def picture(self) -> str:
        """Hand the feed-graph lab's state over to be drawn: values, adjoints, counters, queue and gradients."""
        return draw(self.snapshot(), self.state.places)


def _float(x: Any) -> float | None:
    return None if x is None else float(x)


# What is said


def _write_sentence(snap: dict[str, Any], way: Pass) -> str:
    """Say what the last press did in the graph, or what to ask before the next."""
    if way.phase:
        return _about_the_run(way) if way.phase == "forward" else _about_the_sweep(snap, way)
    if snap["built"] == 0:
        return "Nothing is built, and nothing is computed. Press Build a line: which values will there be afterwards?"
    return _about_the_line(snap)


def _about_the_line(snap: dict[str, Any]) -> str:
    line = snap["lines"][snap["built"] - 1]
    name = line.partition(" = ")[0]
    text = f"{line} is built: {snap['count']} nodes, and no value in any of them."
    host = next(
        (host for host, node in snap["nodes"].items() if name in node["names"] and name != host),
        None,
    )
    if host:
        text += f" {name} isn't a new node: it is {host}, which now has one more operand."
    return text + (
        " Feed the inputs, and press Forward." if snap["built"] == len(snap["lines"]) else ""
    )


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
