"""A player in Chinese: no English word is left in it but code and names, whatever it shows."""

import re

import numpy as np
import pytest

from autodiff_lab import grad, play

from .player_page import LAST, PlayerOnPage, f

# Text that is seen, and text that is read aloud or shown under the pointer; the learner's own source is code.
SAID = """() => {
  const said = [document.title];
  for (const element of document.querySelectorAll("main *")) {
    if (element.closest("code, style, script, pre")) continue;
    for (const name of ["aria-label", "title", "aria-valuetext", "aria-description", "alt", "placeholder"])
      if (element.getAttribute(name)) said.push(element.getAttribute(name));
    for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) said.push(node.data);
  }
  return said.filter((text) => text.trim());
}"""

KEYS_AND_UNITS = {"Home", "End", "Esc", "Page", "Down", "B"}


def english(page, names):
    """The English words on a page, with the texts they stand in."""
    known = {re.sub(r"\d", "", name) for name in names} | KEYS_AND_UNITS
    found = {}
    for text in page.evaluate(SAID):
        for word in re.findall(r"[A-Za-z]{2,}", text):
            if word not in known:
                found[word] = text
    return found


def layer(W, x):
    return np.sum(np.tanh(W @ x) ** 2)


def square(x, y):
    return x * x * y


def looped(x):
    for _ in range(11):
        x = np.sin(x) * 1.5
        if x > 100:
            x = -x
    return x * x


CASES = {
    "loops": (looped, (0.5,), {}, {"looped", "for", "in", "range", "return", "sin", "cos"}),
    "reverse": (f, (2.0, 5.0), {}, {"f", "log", "sin", "cos"}),
    "forward": (f, (2.0, 5.0), {"mode": "forward", "direction": "all"}, {"f", "log", "sin", "cos"}),
    "both": (f, (2.0, 5.0), {"mode": "both"}, {"f", "log", "sin", "cos"}),
    "predict": (f, (2.0, 5.0), {"predict": True}, {"f", "log", "sin", "cos", "inf", "nan"}),
    "faulty": (f, (2.0, 5.0), {"fault": "overwrite"}, {"f", "log", "sin", "cos"}),
    "arrays": (layer, (np.arange(12.0).reshape(4, 3), np.ones(3)), {}, {"layer", "tanh", "cosh", "sum", "outer"}),
    "second order": (grad(square), (2.0, 3.0), {}, {"square"}),
    "constant": (lambda x: 3.0, (2.0,), {}, {"lambda"}),
}


@pytest.mark.parametrize("name", CASES)
def test_no_english_word_is_left(name, tmp_path, new_page):
    function, args, options, names = CASES[name]
    path = play(function, *args, lang="zh", **options).save_html(tmp_path / "flow.html")
    page = new_page(offline=True, width=1300, height=1000)
    page.goto(path.as_uri())
    assert page.locator("html").get_attribute("lang") == "zh-Hans"
    player = PlayerOnPage(page)
    assert player.root.get_attribute("lang") == "zh-Hans"
    left = english(page, names)
    for _ in range(int(player.root.get_by_role("slider", name="步", exact=True).get_attribute("max"))):
        player.root.focus()
        player.key("ArrowRight")
        left |= english(page, names)
        answer = page.locator(".adl-answer input")
        while name == "predict" and answer.is_enabled():
            for guess in ("?", "1e9", "-1"):
                answer.fill(guess)
                page.get_by_role("button", name="检查").click()
                left |= english(page, names)
                if not answer.is_enabled():
                    break
            else:
                page.get_by_role("button", name="揭晓").click()
            left |= english(page, names)
    assert not left


def test_the_still_figure_is_chinese_too(tmp_path, new_page):
    path = play(f, 2.0, 5.0, lang="zh").save_html(tmp_path / "flow.html")
    text = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r"<script.*</script>", "", text, flags=re.DOTALL), encoding="utf-8")
    page = new_page(offline=True)
    page.goto(path.as_uri())
    assert page.locator("main table").count() == 2
    assert not english(page, {"f", "log", "sin", "cos"})
    assert "求值轨迹" in page.locator("main").inner_text()


def test_buttons_and_keys_work(tmp_path, new_page):
    path = play(f, 2.0, 5.0, lang="zh").save_html(tmp_path / "flow.html")
    page = new_page(offline=True)
    page.goto(path.as_uri())
    player = PlayerOnPage(page)
    player.press("前进一步")
    player.arrives_at(1)
    player.focus()
    player.key("End")
    player.arrives_at(LAST)
    player.open_details()
    assert "梯度" in page.locator(".adl-meter").inner_text()
    player.mode("前向")
    assert "切向量" in page.locator(".adl-tape thead").inner_text()
