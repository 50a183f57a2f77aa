"""The script that executes and normalises."""

import copy
import re

import nbformat
from nbformat import v4

from .normalise import NOTEBOOKS, comparable, difference, execute, main, normalise, written


def test_a_committed_notebook_is_what_a_fresh_run_writes():
    """One of them: `.ci/run` compares all, and nbval the outputs of all."""
    path = next(NOTEBOOKS.glob("01_*.ipynb"))
    assert not difference(path)


def notebook(source="1 + 1", **cell):
    code = v4.new_code_cell(source, id="sum", **cell)
    return v4.new_notebook(
        cells=[code],
        metadata={"widgets": {"state": 1}, "language_info": {"name": "python", "version": "3.99"}},
    )


def test_normal_form():
    view = v4.new_output(
        "display_data",
        data={"application/vnd.jupyter.widget-view+json": {"model_id": "a"}, "text/plain": "P"},
    )
    streams = [v4.new_output("stream", text=text) for text in ("a\n", "b\n")]
    found = normalise(notebook("1 + 1  \n", metadata={"collapsed": True}, outputs=[*streams, view]))
    (cell,) = found.cells
    assert found.metadata == {
        "kernelspec": {
            "display_name": "Python 3 (ipykernel)",
            "language": "python",
            "name": "python3",
        },
        "language_info": {"name": "python"},
    }
    assert cell.source == "1 + 1" and cell.metadata == {} and cell.id == "sum"
    assert [output.get("text", output.get("data")) for output in cell.outputs] == [
        "a\nb\n",
        {"text/plain": "P"},
    ]
    assert written(normalise(copy.deepcopy(found))) == written(found)


def test_a_live_widget_leaves_no_trace():
    """Neither the view, which is kept where it is not known who shows it, nor the key, which is drawn by lot."""
    (cell,) = normalise(
        execute(notebook("import autodiff_lab\nautodiff_lab.play(lambda x: x * x, 3.0)"))
    ).cells
    (output,) = cell.outputs
    assert set(output.data) == {"text/html", "text/plain"}, (
        "the bitmap, for who reads no HTML, is not committed"
    )
    assert 'settle(figure, "", async' in output.data["text/html"]


def test_output_about_the_machine_is_dropped():
    cell = {
        "metadata": {"tags": ["machine-output"]},
        "outputs": [v4.new_output("stream", text="/my/home")],
    }
    assert normalise(notebook(**cell)).cells[0].outputs == []


def test_ignored_outputs_are_compared_by_kind():
    def with_svg(svg, tags=("nbval-ignore-output",)):
        output = v4.new_output("display_data", data={"image/svg+xml": svg})
        return comparable(notebook(metadata={"tags": list(tags)}, outputs=[output]))

    assert with_svg("<svg/>") == with_svg("<svg width='1'/>")
    assert with_svg("<svg/>", ()) != with_svg("<svg width='1'/>", ())


def test_check_shows_what_differs_and_writes_nothing(tmp_path, capsys):
    path = tmp_path / "sum.ipynb"
    old = v4.new_output("execute_result", data={"text/plain": "3"}, execution_count=1)
    text = written(normalise(notebook(outputs=[old], execution_count=1)))
    path.write_text(text, encoding="utf-8")

    assert main(["--check", str(path)]) == 1
    said = capsys.readouterr().out
    assert re.search(r'^-.*"3"', said, flags=re.M) and re.search(r'^\+.*"2"', said, flags=re.M)
    assert path.read_text(encoding="utf-8") == text

    assert main([str(path)]) == 0
    assert nbformat.read(path, as_version=4).cells[0].outputs[0].data["text/plain"] == "2"
    assert main(["--check", str(path)]) == 0
