"""Generated files are committed as generated: those that need neither a kernel nor a browser (`.ci/run` checks all)."""

import re
import shutil

import pytest
from PIL import Image

from autodiff_lab.lessons import order
from tests import generate
from tests.addresses import CHANGELOG, ROOT, START
from tests.notebooks import badges, pictures

from .numbers import update_numbers
from .reading import named, read


@pytest.mark.parametrize("kind", ["numbers", "badges", "addresses", "table"])
def test_committed_files_are_what_is_generated(kind, capsys):
    assert generate.main(["--check", kind]) == 0, capsys.readouterr().out


def test_changed_table_is_found_and_made_again():
    readme = generate.README.read_text(encoding="utf-8")
    changed = re.sub(r"\| (\d+ / \d+) \|", r"| 6\1 |", readme, count=1)
    assert changed != readme
    assert generate.with_table(changed) == readme


def test_a_notebook_moves_by_one_row(tmp_path, monkeypatch):
    """Its file, the links to it and their words get the new number; everything else stays."""
    for name in (named("tape").name, named("adjoint_flow").name, "for_lecturers.md"):
        (tmp_path / "notebooks").mkdir(exist_ok=True)
        shutil.copy(ROOT / "notebooks" / name, tmp_path / "notebooks" / name)
    committed = {
        path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "notebooks").iterdir()
    }
    swapped = list(order.SLUGS)
    swapped[3], swapped[4] = swapped[4], swapped[3]
    with monkeypatch.context() as patch:
        patch.setattr(order, "SLUGS", tuple(swapped))
        assert len(update_numbers(check=True, root=tmp_path)) == 5, "two names and three texts"
        update_numbers(check=False, root=tmp_path)
        assert update_numbers(check=True, root=tmp_path) == []
    tape = (tmp_path / "notebooks" / f"04_{named('tape').name[3:]}").read_text(encoding="utf-8")
    assert (
        "# 04 · The tape, line by line" in tape and f"(03_{named('adjoint_flow').name[3:]}" in tape
    )
    page = (tmp_path / "notebooks" / "for_lecturers.md").read_text(encoding="utf-8")
    assert f"[04](04_{named('tape').name[3:]})" in page
    update_numbers(check=False, root=tmp_path)
    assert {
        path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "notebooks").iterdir()
    } == committed


def test_changed_map_is_found_and_made_again():
    (text,) = (cell.source for cell in read(named("start_here")).cells if cell.id == "course-map")
    changed = re.sub(r"\| (\d+ / \d+) \|", r"| 6\1 |", text, count=1).replace(
        "Why is automatic", "Is automatic"
    )
    assert changed != text
    assert generate.with_map(changed) == text


def test_changed_badge_is_found_and_made_again(tmp_path):
    for name in ("pyproject.toml", CHANGELOG, f"notebooks/{START}"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    notebook = tmp_path / "notebooks" / START
    committed = notebook.read_text(encoding="utf-8")
    notebook.write_text(committed.replace("mybinder.org/v2", "mybinder.org/v1"), encoding="utf-8")
    assert badges.update_badges(check=True, root=tmp_path) == [
        f"{START}: its badge is missing, or leads elsewhere"
    ]
    assert notebook.read_text(encoding="utf-8") != committed, "a check writes nothing"
    badges.update_badges(check=False, root=tmp_path)
    assert notebook.read_text(encoding="utf-8") == committed


def test_unknown_kind_is_refused(capsys):
    with pytest.raises(SystemExit):
        generate.main(["tables"])
    kinds = "numbers, types, bundle, badges, addresses, table, outputs, pictures"
    assert f"there is no tables; a kind is one of {kinds}" in capsys.readouterr().err


def test_kinds_are_made_in_their_own_order(monkeypatch, capsys):
    """The bundle is made of the types, whichever is named first."""
    made = []
    for kind in generate.STEPS:
        monkeypatch.setitem(
            generate.STEPS, kind, lambda *, check, kind=kind: made.append(kind) or []
        )
    generate.main(["bundle", "types"])
    assert made == ["types", "bundle"]
    generate.main([])
    assert made[2:] == list(generate.STEPS)


def gif(path, colour="white", size=(100, 50), times=(2000, 3000)):
    first, *rest = (Image.new("P", size, colour) for _ in times)
    for number, frame in enumerate((first, *rest)):
        frame.putpixel((number + 1, 1), number + 1)
    first.save(path, save_all=True, append_images=rest, duration=list(times), loop=0)
    return path


def test_films_play_for_less_than_twenty_five_seconds():
    """What they show is compared where there is Chromium: `python -m tests.generate --check`."""
    light, dark = (pictures.times_of(pictures.PICTURES / name) for name in pictures.FILMS.values())
    assert light == dark
    assert 15 < sum(light) < 25 and len(light) > 100


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"times": (2000, 3500)}, "has frames of [2.0, 3.5] s, a fresh one has [2.0, 3.0] s"),
        ({"times": (2000,)}, "a fresh one has [2.0, 3.0] s"),
        ({"size": (120, 50)}, "is 120 × 50 pixels, a fresh one is 100 × 50"),
        ({"colour": "black"}, "has another paper than a fresh one"),
        ({}, ""),
    ],
)
def test_picture_differs_in_frames_size_or_paper(changed, said, tmp_path):
    found = pictures.difference(gif(tmp_path / "old.gif", **changed), gif(tmp_path / "new.gif"))
    assert said in found and bool(said) == bool(found)


def test_picture_that_is_missing_differs(tmp_path):
    assert pictures.difference(tmp_path / "none.gif", gif(tmp_path / "new.gif")) == "is missing"
