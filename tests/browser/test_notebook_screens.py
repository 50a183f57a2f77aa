"""Whoever scrolls through a notebook at 1366 × 768 never passes two screens in a row without a picture."""

import pytest

from tests.notebooks.measures import LONGEST_GAP_PX, gaps

from .server import NOTEBOOKS, REPOSITORY


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_no_two_screens_without_a_picture(name, browser):
    page = browser.new_page()
    try:
        height, cell = gaps(REPOSITORY / "notebooks" / name, page)[0]
    finally:
        page.close()
    assert height <= LONGEST_GAP_PX, f"{height} px from cell {cell} on"
