"""DOT parser for the text of a `graphviz.Digraph`: nodes and edges with their attributes, and labels.

The parser supports the DOT that the `graphviz` package writes: quoted names, HTML-like labels, default attributes, and
subgraphs. A subgraph as the end of an edge isn't supported.
"""

import html
import re
from dataclasses import dataclass
from itertools import pairwise
from xml.etree import ElementTree

from autodiff_lab.figures.graph.boxes import SIZE, text_width

Attributes = dict[str, str]


_TOKEN = re.compile(
    r'(?:\s|//[^\n]*)*(?:("(?:[^"\\]|\\.)*"|<(?:[^<>]|<[^<>]*>)*>|-?[\w.\u0080-\U0010ffff]+)(?::\w+)*|(->|[{}\[\]=;,]|$)|(.))',
    re.DOTALL,
)


class DotGraph:
    """A parsed DOT text: the graph's attributes, and the nodes and edges with theirs, defaults included.

    Raises
    ------
    ValueError
        If the text isn't valid DOT.

    Examples
    --------
    >>> graph = DotGraph('digraph { node [color=red] x -> "y z" -> x [label="1"] }')
    >>> list(graph.nodes), [(tail, head, look["label"]) for tail, head, look in graph.edges]
    (['x', 'y z'], [('x', 'y z', '1'), ('y z', 'x', '1')])
    """

    def __init__(self, source: str) -> None:
        self.attributes: Attributes = {}
        self.nodes: dict[str, Attributes] = {}
        self.edges: list[tuple[str, str, Attributes]] = []
        self._tokens: list[str] = []
        for found in _TOKEN.finditer(source):
            if found[3]:
                raise ValueError(
                    f"the DOT text has {source[found.start() :][:20]!r} where a name is expected"
                )
            self._tokens.append(found[1] or found[2])
        self._tokens.reverse()
        self._skip_to_brace()
        self._read_statements({"graph": self.attributes, "node": {}, "edge": {}})

    def _next(self) -> str:
        if not self._tokens[-1]:
            raise ValueError("the DOT text ends too early")
        return self._tokens.pop()

    def _skip_to_brace(self) -> None:
        while self._next() != "{":
            pass

    def _skip(self, *signs: str) -> bool:
        """Skip the next token if it is one of `signs`; return whether it was."""
        found = self._tokens[-1] in signs
        if found:
            self._tokens.pop()
        return found

    def _name(self) -> str:
        token = self._next()
        if re.fullmatch(r"->|[{}\[\]=;,]", token):
            raise ValueError(f"the DOT text has {token!r} where a name is expected")
        if token[0] != '"':
            return token
        return token[1:-1].replace('\\"', '"').replace("\\\n", "")

    def _read_statements(self, usual: dict[str, Attributes]) -> None:
        """Read up to the closing brace. `usual` has the attributes of this (sub)graph, and the current defaults."""
        while not self._skip("}"):
            kind = self._tokens[-1]
            if kind in ("{", "subgraph"):
                self._skip_to_brace()
                self._read_statements({kind: dict(look) for kind, look in usual.items()})
            elif self._skip("graph", "node", "edge"):
                usual[kind].update(self._read_attributes())
            elif not self._skip(";"):
                self._read_node_or_edges(usual)

    def _read_node_or_edges(self, usual: dict[str, Attributes]) -> None:
        names = [self._name()]
        if self._skip("="):
            usual["graph"][names[0]] = self._name()
            return
        while self._skip("->"):
            names.append(self._name())
        for name in names:
            self.nodes.setdefault(name, dict(usual["node"]))
        look = self._read_attributes()
        if len(names) == 1:
            self.nodes[names[0]].update(look)
        self.edges += [(tail, head, usual["edge"] | look) for tail, head in pairwise(names)]

    def _read_attributes(self) -> Attributes:
        found = {}
        if self._skip("["):
            while not self._skip("]"):
                name = self._name()
                found[name] = self._name() if self._skip("=") else "true"
                self._skip(",", ";")
        return found


@dataclass(frozen=True)
class Run:
    """A run of text in one style, parsed from a DOT label."""

    text: str
    bold: bool = False
    colour: str = ""

    @property
    def width(self) -> float:
        """The width of this run of a parsed DOT label, in points, at the default font size."""
        return text_width(self.text, self.bold)


@dataclass(frozen=True)
class Cell:
    """A cell of a table in a DOT label, with its size in points; an empty `paper` or `border` isn't drawn."""

    text: str
    width: float
    height: float
    paper: str = ""
    border: str = ""
    is_round: bool = False


@dataclass(frozen=True)
class Table:
    """A table of cells of given sizes, parsed from a DOT label; it takes the place of a line of text."""

    rows: list[list[Cell]]

    @property
    def width(self) -> float:
        """The width of this table of a parsed DOT label, in points."""
        return max(sum(cell.width for cell in row) for row in self.rows)

    @property
    def height(self) -> float:
        """The height of this table of a parsed DOT label, in points."""
        return sum(max(cell.height for cell in row) for row in self.rows)


@dataclass(frozen=True)
class Label:
    """The label of a node or edge, parsed from DOT: its lines (of text, or a table), background, and font size."""

    lines: list[list[Run] | Table]
    paper: str = ""
    size: float = SIZE

    # The distance between two lines, in font sizes.
    LEADING = 1.3
    # The space below a table, in points.
    BELOW_TABLE = 4.0

    @property
    def width(self) -> float:
        """The width of the longest line of this parsed DOT label, in points."""
        return max(map(self.width_of, self.lines))

    @property
    def height(self) -> float:
        """The height of all lines of this parsed DOT label, in points."""
        return sum(map(self.height_of, self.lines))

    @property
    def first_text(self) -> str:
        """The first run of text in this parsed DOT label."""
        first = self.lines[0]
        return "" if isinstance(first, Table) else first[0].text

    def width_of(self, line: list[Run] | Table) -> float:
        """Return the width of one line of this parsed DOT label, in points."""
        if isinstance(line, Table):
            return line.width
        return sum(run.width for run in line) * self.size / SIZE

    def height_of(self, line: list[Run] | Table) -> float:
        """Return the height of one line of this parsed DOT label, in points, including the space below a table."""
        if isinstance(line, Table):
            return line.height + self.BELOW_TABLE
        return self.size * self.LEADING


_ENTITY = re.compile(r"&(?!(?:lt|gt|amp|quot|apos|#\d+|#x[\da-fA-F]+);)(\w+);")


def read_label(look: Attributes, default: str = "", name: str = "") -> Label:
    r"""Parse the label of a node or edge in DOT, plain or HTML-like; `name` replaces ``\N``.

    >>> read_label({"label": "<<b>x</b><br/>1 &lt; 2>"}).lines
    [[Run(text='x', bold=True, colour='')], [Run(text='1 < 2', bold=False, colour='')]]
    """
    text, size = look.get("label", default), float(look.get("fontsize", SIZE))
    if not (text.startswith("<") and text.endswith(">")):
        rows = _unescape(text, name).removesuffix("\n").split("\n")
        return Label([[Run(row)] for row in rows], size=size)
    try:
        root = ElementTree.fromstring(
            f"<label>{_ENTITY.sub(lambda e: html.unescape(e[0]), text[1:-1])}</label>"
        )
    except ElementTree.ParseError as error:
        raise ValueError(f"the markup of the label {text} cannot be read ({error})") from error
    lines: list[list[Run] | Table] = [[]]
    _collect_runs(root, lines, Run(""))
    unsized = (
        element
        for element in root.iter()
        if element.tag.lower() in ("td", "table") and element.get("width") is None
    )
    papers = (element.get("bgcolor", "") for element in unsized)
    return Label([line or [Run("")] for line in lines], next(filter(None, papers), ""), size)


def _unescape(text: str, name: str) -> str:
    """Resolve Graphviz's escapes: the node's name, line breaks, and the backslash itself."""
    meant = {"N": name, "n": "\n", "l": "\n", "r": "\n"}
    return re.sub(r"\\(.)", lambda found: meant.get(found[1], found[1]), text, flags=re.DOTALL)


def _read_table(element: ElementTree.Element) -> Table | None:
    """Read a table if all of its cells have a width; otherwise return None, and only its text is used."""
    rows = [row for row in element if row.tag.lower() == "tr"]
    if not rows or any(cell.get("width") is None for row in rows for cell in row):
        return None
    border = element.get("color", "") if element.get("cellborder") != "0" else ""
    return Table([[_read_cell(cell, border) for cell in row] for row in rows])


def _read_cell(element: ElementTree.Element, border: str) -> Cell:
    text = "".join(element.itertext()).strip()
    width, height = (float(element.get(side, 0)) for side in ("width", "height"))
    is_round = element.get("style") == "rounded"
    return Cell(text, width, height, element.get("bgcolor", ""), border, is_round)


def _collect_runs(element: ElementTree.Element, lines: list[list[Run] | Table], style: Run) -> None:
    """Append the text of an HTML-like label to `lines`, line by line; `style` is inherited by the children."""
    tag = element.tag.lower()
    table = _read_table(element) if tag == "table" else None
    if table is not None:
        if lines[-1] == []:
            lines.pop()
        lines.append(table)
        return
    if tag == "br" or (tag == "tr" and lines != [[]]):
        lines.append([])
    own = Run(
        "", style.bold or tag == "b", element.get("color", element.get("COLOR", style.colour))
    )
    for text, child in [(element.text, None), *((child.tail, child) for child in element)]:
        if child is not None:
            _collect_runs(child, lines, own)
        if text and (text.strip("\n\t ") or "\n" not in text):
            _last_line(lines).append(Run(_unescape(text, ""), own.bold, own.colour))


def _last_line(lines: list[list[Run] | Table]) -> list[Run]:
    """Return the line of text to append to; after a table, begin a new one."""
    last = lines[-1]
    if isinstance(last, Table):
        last = []
        lines.append(last)
    return last
