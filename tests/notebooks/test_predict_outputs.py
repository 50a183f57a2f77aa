"""No saved output gives away what the text above it asks: what answers a prediction or an exercise is folded."""

import base64
import copy
import json
import re

import nbformat
import pytest

from .normalise import normalise
from .reading import NOTEBOOKS, named, read, tags

PREDICTED = 130
"""So many outputs at least are to be predicted; some prompts are answered in the text, which nobody can fold."""

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def below(cells, k):
    """The cells with an output between the prompt in cell `k` and the next text."""
    for cell in cells[k + 1 :]:
        if cell.cell_type == "markdown":
            return
        if cell.outputs and "exercise" not in tags(cell):
            yield cell


def predictions(notebook):
    """The outputs that a reader is asked to predict, each by the name of its cell."""
    cells = notebook.cells
    asks = [
        k
        for k, cell in enumerate(cells)
        if cell.cell_type == "markdown" and "**Predict" in cell.source
    ]
    return {cell.id: cell for k in asks for cell in below(cells, k)}


def told(cell):
    """What JupyterLab shows of a cell's outputs before anything is run.

    Of outputs that are folded it shows the first line of the first one, in whatever form that has it.
    """
    if not cell.metadata.get("jupyter", {}).get("outputs_hidden"):
        return json.dumps(cell.outputs)
    first = cell.outputs[0]
    return "".join([first.get("text", ""), *map(str, first.get("data", {}).values())])


def given_away(notebook):
    """The names of the cells whose output shows the answer to a question."""
    answers = predictions(notebook) | {
        cell.id: cell for cell in notebook.cells if "answers-an-exercise" in tags(cell)
    }
    return [name for name, cell in answers.items() if told(cell)]


@every_notebook
def test_no_answer_is_given_away(path):
    assert given_away(read(path)) == []


@every_notebook
def test_only_answers_are_folded(path):
    notebook = read(path)
    folded = {cell.id for cell in notebook.cells if "jupyter" in cell.metadata}
    tagged = {cell.id for cell in notebook.cells if "answers-an-exercise" in tags(cell)}
    assert folded == set(predictions(notebook)) | tagged


def openings(notebook):
    """What a page without scripts shows of each player before anything is unfolded, its picture included."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            still, folded, _ = output.get("data", {}).get("text/html", "").partition("<details>")
            if folded and "data-adl-player" in still:
                picture = base64.b64decode(
                    re.search(r'src="data:image/svg\+xml;base64,([^"]+)"', still)[1]
                ).decode()
                yield cell, still, picture


def test_players_are_saved_at_their_opening():
    """The graph with its values, before the sweep: nothing in it has an adjoint."""
    players = [found for path in NOTEBOOKS for found in openings(read(path))]
    assert len(players) >= 8
    for cell, still, _ in players:
        assert "Adjoints of the inputs" not in still and "tangent" not in still, cell.id
    first, still, picture = players[0]
    assert first.id == "first-play"
    assert ">11.6521<" in picture and not re.search(r"1\.7163|>5\.5<|0\.2837", still + picture)


def test_most_predictions_have_an_output():
    assert sum(len(predictions(read(path))) for path in NOTEBOOKS) >= PREDICTED


@pytest.mark.parametrize(
    ("number", "exercise", "answer"),
    [
        ("start_here", "ex-1", "-0.2837|−0.2837"),
        ("dual_numbers", "ex-3", r"v4, 4\.2500 \+ 1\.1250ε"),
        ("printing_tape", "ex-1", r"v5 = v3 - v4"),
        ("adjoint_flow", "ex-2", r"b = 1, adjoint 5\b"),
        ("adjoint_flow", "ex-4", r"adjoint 1\.839"),
        ("ways_to_remember", "ex-5", "survives"),
        ("static_graphs", "ex-5a", r"6\.0 60\.0"),
        ("control_flow", "ex-3", r"slope by AD at 0: 0\.0"),
        ("control_flow", "ex-4", r"0\.5 0\.0 1\.0 1\.0"),
        ("higher_order", "ex-6", r"3\.83772"),
        ("memory", "ex-2", "3: 45"),
    ],
)
def test_the_answer_is_not_to_be_seen_around_its_exercise(number, exercise, answer):
    """Five outputs to each side: as far as one sees when one looks at the exercise."""
    cells = [
        cell for cell in read(named(number)).cells if cell.get("outputs") or cell.id == exercise
    ]
    (k,) = (k for k, cell in enumerate(cells) if cell.id == exercise)
    near = cells[max(0, k - 5) : k + 6]
    written = {
        cell.id: "".join(str(output.get("text") or output.get("data")) for output in cell.outputs)
        for cell in near
    }
    assert any(re.search(answer, text) for text in written.values()), (
        "it is there to be found once it is unfolded"
    )
    assert not [cell.id for cell in near if re.search(answer, told(cell).replace("\\n", "\n"))]


def spoiled(change):
    notebook = copy.deepcopy(read(named("ways_to_remember")))
    names = {cell.id: cell for cell in notebook.cells}
    change(names)
    return given_away(notebook)


def test_an_answer_that_is_given_away_is_found():
    assert spoiled(lambda cells: cells["closures-look"].metadata.clear()) == ["closures-look"]
    assert spoiled(lambda cells: cells["mutation-all"].metadata.pop("jupyter")) == ["mutation-all"]
    assert spoiled(lambda cells: cells["closures-look"].outputs.pop(0)) == ["closures-look"], (
        "its first line is seen"
    )


def test_normalising_folds_what_is_asked():
    def output(text):
        return [nbformat.v4.new_output("stream", text=text)]

    def code(name, *marks):
        return nbformat.v4.new_code_cell(
            "f()", id=name, outputs=output(name), metadata={"tags": list(marks)}
        )

    cells = [
        *(
            nbformat.v4.new_markdown_cell("**Predict.** Which?"),
            code("first"),
            code("try-it", "exercise"),
            code("next"),
        ),
        *(
            nbformat.v4.new_markdown_cell("This one."),
            code("later"),
            code("solves", "answers-an-exercise"),
        ),
    ]
    once = normalise(nbformat.v4.new_notebook(cells=cells))
    assert [cell.id for cell in once.cells if "jupyter" in cell.metadata] == [
        "first",
        "next",
        "solves",
    ]
    assert given_away(once) == []
    assert once.cells[1].outputs[1:] == output("first")
    assert normalise(copy.deepcopy(once)) == once
