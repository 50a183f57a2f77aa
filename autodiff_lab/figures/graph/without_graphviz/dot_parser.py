"""Read DOT text: the nodes and edges of a graph, each with its attributes, and the text of a label.

Understood is the language that the `graphviz` package writes, and what people usually add to it: quoted names, labels
in markup, attributes for all that follow, chains of edges, subgraphs. A subgraph as the end of an edge is not.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from xml.etree import ElementTree

from autodiff_lab.figures.graph.box_size import SIZE, text_width

__all__ = ["Graph", "Label", "Run", "label_of", "read"]

Attributes = dict[str, str]


@dataclass
class Graph:
    """What a DOT text describes: attributes of the whole, and nodes and edges with all that holds for them."""

    attributes: Attributes = field(default_factory=dict)
    nodes: dict[str, Attributes] = field(default_factory=dict)
    edges: list[tuple[str, str, Attributes]] = field(default_factory=list)


_TOKEN = re.compile(
    r'\s+|//[^\n]*|/\*.*?\*/|^\#[^\n]*|(?P<name>"(?:[^"\\]|\\.)*"|-?(?:\.\d+|\d+(?:\.\d*)?)|[\w\u0080-\U0010ffff]+)'
    r"|(?P<sign>->|--|[{}\[\]=;,:+])|(?P<markup><)",
    re.DOTALL | re.MULTILINE,
)
_KINDS = ("graph", "node", "edge")


def read(source: str) -> Graph:
    """Read DOT text.

    Raises
    ------
    ValueError
        If it is no DOT text.

    Examples
    --------
    >>> graph = read('digraph { node [color=red] x -> "y z" -> x [label="1"] }')
    >>> list(graph.nodes), [(tail, head, look["label"]) for tail, head, look in graph.edges]
    (['x', 'y z'], [('x', 'y z', '1'), ('y z', 'x', '1')])
    """
    return _Reader(source).graph


class _Reader:
    def __init__(self, source: str) -> None:
        self.tokens = list(_tokens(source))
        self.at = 0
        self.graph = Graph()
        while self._next() != "{":
            pass
        self._statements({kind: {} for kind in _KINDS}, self.graph.attributes)

    def _peek(self) -> str:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""

    def _next(self) -> str:
        if self.at >= len(self.tokens):
            raise ValueError("the DOT text ends too early")
        self.at += 1
        return self.tokens[self.at - 1][0]

    def _statements(self, usual: dict[str, Attributes], own: Attributes) -> None:
        """Read up to the closing brace. `usual` holds for what follows, `own` are the attributes of this (sub)graph."""
        while (token := self._peek()) != "}":
            bare = not self.tokens[self.at][1] if token else False
            if token == ";":
                self.at += 1
            elif token == "{" or (token.lower() == "subgraph" and bare):
                while self._next() != "{":
                    pass
                self._statements({kind: dict(look) for kind, look in usual.items()}, {})
            elif token.lower() in _KINDS and bare:
                self.at += 1
                look = self._attributes()
                (own if token.lower() == "graph" else usual[token.lower()]).update(look)
            else:
                self._node_or_edges(usual, own)
        self.at += 1

    def _node_or_edges(self, usual: dict[str, Attributes], own: Attributes) -> None:
        names = [self._name()]
        if self._peek() == "=":
            self.at += 1
            own[names[0]] = self._name()
            return
        self._port()
        while self._peek() in ("->", "--"):
            self.at += 1
            names.append(self._name())
            self._port()
        for name in names:
            self.graph.nodes.setdefault(name, dict(usual["node"]))
        look = self._attributes()
        if len(names) == 1:
            self.graph.nodes[names[0]].update(look)
        for tail, head in pairwise(names):
            self.graph.edges.append((tail, head, usual["edge"] | look))

    def _name(self) -> str:
        token = self._next()
        if token in ("{", "}", "[", "]", "=", ";", ",", ":", "->", "--") and not self.tokens[self.at - 1][1]:
            raise ValueError(f"the DOT text has {token!r} where a name is expected")
        while self._peek() == "+":
            self.at += 1
            token += self._next()
        return token

    def _port(self) -> None:
        while self._peek() == ":":
            self.at += 1
            self._name()

    def _attributes(self) -> Attributes:
        found = {}
        while self._peek() == "[":
            self.at += 1
            while self._peek() != "]":
                name = self._name()
                if self._peek() == "=":
                    self.at += 1
                    found[name] = self._name()
                else:
                    found[name] = "true"
                if self._peek() in (",", ";"):
                    self.at += 1
            self.at += 1
        return found


def _tokens(source: str) -> Iterator[tuple[str, bool]]:
    """The words and signs; with each, whether it was quoted. Markup keeps its outer angle brackets."""
    at = 0
    while at < len(source):
        found = _TOKEN.match(source, at)
        if not found:
            raise ValueError(f"the DOT text has {source[at : at + 20]!r} where a name is expected")
        at = found.end()
        if found["markup"]:
            depth = 1
            while depth:
                if at == len(source):
                    raise ValueError("a label in markup has no end")
                depth += {"<": 1, ">": -1}.get(source[at], 0)
                at += 1
            yield source[found.start() : at], True
        elif name := found["name"]:
            quoted = name.startswith('"')
            yield (name[1:-1].replace('\\"', '"').replace("\\\n", "") if quoted else name), quoted
        elif found["sign"]:
            yield found["sign"], False


@dataclass(frozen=True)
class Run:
    """A piece of a label in one style."""

    text: str
    bold: bool = False
    colour: str = ""

    @property
    def width(self) -> float:
        """In points, at the usual size of type."""
        return text_width(self.text, self.bold)


@dataclass(frozen=True)
class Label:
    """Lines of runs, the paper behind them, and the size of their type."""

    lines: list[list[Run]]
    paper: str = ""
    size: float = SIZE

    LEADING = 1.3
    """Lines are so many times as far apart as the type is high."""

    @property
    def width(self) -> float:
        """Of the longest line, in points."""
        return max((sum(run.width for run in line) for line in self.lines), default=0.0) * self.size / SIZE

    @property
    def height(self) -> float:
        """Of all lines, in points."""
        return len(self.lines) * self.size * self.LEADING


_ENTITY = re.compile(r"&(?!(?:lt|gt|amp|quot|apos|#\d+|#x[\da-fA-F]+);)(\w+);")


def label_of(look: Attributes, default: str, name: str) -> Label:
    r"""Read the label of a node or an edge; `name` is what ``\N`` stands for.

    >>> label_of({"label": "<<b>x</b><br/>1 &lt; 2>"}, "", "").lines
    [[Run(text='x', bold=True, colour='')], [Run(text='1 < 2', bold=False, colour='')]]
    """
    text, size = look.get("label", default), float(look.get("fontsize", SIZE))
    if text.startswith("<") and text.endswith(">"):
        try:
            root = ElementTree.fromstring(f"<label>{_ENTITY.sub(lambda e: html.unescape(e[0]), text[1:-1])}</label>")
        except ElementTree.ParseError as error:
            raise ValueError(f"the markup of the label {text} cannot be read ({error})") from error
        lines: list[list[Run]] = [[]]
        _runs(root, lines, Run(""))
        papers = (element.get("bgcolor", "") for element in root.iter() if element.tag.lower() in ("td", "table"))
        return Label([line or [Run("")] for line in lines], next(filter(None, papers), ""), size)
    rows = _unescaped(text, name).removesuffix("\n").split("\n")
    return Label([[Run(row)] for row in rows], size=size)


def _unescaped(text: str, name: str) -> str:
    """Resolve Graphviz's escapes: the name, the ends of lines, and the backslash itself."""
    meant = {"N": name, "n": "\n", "l": "\n", "r": "\n"}
    return re.sub(r"\\(.)", lambda found: meant.get(found[1], found[1]), text, flags=re.DOTALL)


def _runs(element: ElementTree.Element, lines: list[list[Run]], style: Run) -> None:
    """Collect the text of some markup, line by line."""
    tag = element.tag.lower()
    if tag == "br" or (tag == "tr" and lines != [[]]):
        lines.append([])
    own = Run("", style.bold or tag == "b", element.get("color", element.get("COLOR", style.colour)))
    for text, child in [(element.text, None), *((child.tail, child) for child in element)]:
        if child is not None:
            _runs(child, lines, own)
        if text and (text.strip("\n\t ") or "\n" not in text):
            lines[-1].append(Run(_unescaped(text, ""), own.bold, own.colour))
