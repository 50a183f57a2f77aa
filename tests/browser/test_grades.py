"""The grading report at the width of a laptop, light and dark: nothing is cut off, and everything is legible."""

import pytest

from autodiff_lab.classroom.grading.report import open_report
from autodiff_lab.classroom.grading.rosters import Listed
from autodiff_lab.classroom.grading.verdicts import Answer, Row
from autodiff_lab.lessons.checks.course import lessons

from .axe import serious
from .test_themes import CONTRAST

CUT_OFF = """() => [document.documentElement, ...document.querySelectorAll('table, .wide, td, th, section, li')]
    .filter(each => each.scrollWidth > each.clientWidth + 1 || each.getBoundingClientRect().right > innerWidth)
    .map(each => each.tagName + ' ' + each.textContent.slice(0, 40))"""
DOUBT = "it changes the checks themselves (adjoint_flow.adjoints.ex_3.observe, checks.exercise.Exercise._judge_all)"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The lesson with most exercises; long names, long lines, everything that can be said."""
    lesson = max(lessons(), key=lambda each: len(each.exercises()))
    names = tuple(lesson.exercises())
    answers = [
        Answer("passed", "Exercise passed. Well.", f"answer = {'1 + ' * 90}1"),
        Answer(
            "not yet",
            f"Not yet: I expect a number, and you gave {'x' * 300}.",
            "answer = 'x'",
            "",
            3,
        ),
        *(
            Answer("not yet", f"Not yet: {each.hint}", each.written, each.hint)
            for each in _mistakes(lesson)
        ),
    ]
    rows = [
        Row(
            f"{who}.ipynb",
            lesson.slug,
            ended,
            names,
            dict(zip(names[k:], answers[k:], strict=False)),
            doubts,
        )
        for k, (who, ended, doubts) in enumerate(
            [
                ("Ada Lovelace", "ran", ()),
                ("x" * 120, "out of time after 120 s; what came before counts", ()),
                (
                    "Eve_118_assignsubmission_file_",
                    "ran; 2 cells raise (the first: cell 4, NameError)",
                    (DOUBT,),
                ),
            ]
        )
    ]
    folder = tmp_path_factory.mktemp("report")
    roster = [Listed("y" * 120, "7"), *(Listed(f"Student {k}") for k in range(9))]
    with open_report(folder, roster=roster) as add:
        for row in [*rows, Row("odd.ipynb", "", "it imports the checks of no lesson")]:
            add(row)
    return folder / "grades.html"


def _mistakes(lesson):
    return [exercise.misconceptions[0] for exercise in lesson.exercises().values()]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_report_is_legible_and_whole_at_1280_px(scheme, new_page, report):
    page = new_page(offline=True, viewport={"width": 1280, "height": 4000}, color_scheme=scheme)
    page.goto(report.as_uri())
    assert page.evaluate(CUT_OFF) == []
    page.locator("td a", has_text="✗").first.click()
    shown = page.locator("section:target")
    shown.locator("pre").wait_for()
    assert page.evaluate("document.querySelectorAll('details[open]').length") == 1, (
        "the mark has opened its answers"
    )
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert page.evaluate(CUT_OFF) == []
    poor = [each for each in page.locator("body").evaluate(CONTRAST) if each["ratio"] < 4.5]
    assert not poor
    assert not serious(page, "body")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_summary_and_the_feedback_are_legible_and_whole_at_1366_px(scheme, new_page, report):
    page = new_page(offline=True, viewport={"width": 1366, "height": 768}, color_scheme=scheme)
    page.goto((report.parent / "summary.html").as_uri())
    names = page.locator("th a").all_text_contents()
    assert {"odd", "Eve (118)", "x" * 120} <= set(names)
    check_page(page)
    for name in names:
        page.goto((report.parent / "summary.html").as_uri())
        page.locator("th a", has_text=name).click()
        assert page.locator("h1").text_content() == f"Feedback for {name.removesuffix(' (118)')}"
        check_page(page)


def check_page(page):
    assert page.evaluate(CUT_OFF) == []
    poor = [each for each in page.locator("body").evaluate(CONTRAST) if each["ratio"] < 4.5]
    assert not poor
    assert not serious(page, "body")
