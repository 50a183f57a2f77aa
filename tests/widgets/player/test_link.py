"""`Player.link`: the program in the address is run here, and plays the same function at the same inputs."""

import re
from email.message import Message

import numpy as np
import pytest

import autodiff_lab as ad
from autodiff_lab.widgets.player import link

SITE = "https://example.org/tutorial/"
rate, weights = 0.25, np.array([[1.0, -2.0], [0.5, np.inf]])


def damped(x, by=rate):
    return x * np.exp(-by * x)


def ping(n, x):
    return x if n < 1 else pong(n - 1, x) * x


def pong(n, x):
    return ping(n, x) + 1


def quoted(x):
    """Says 100 % “a&b”, #1 + 2 = ü?"""
    return damped(x) + damped(2 * x)


def opened(player):
    """Return the player that the link's page shows: the last expression of its program."""
    found = player.link(SITE)
    assert found.startswith(f"{SITE}#function=")
    program = link.read_address(found)
    before, _, last = program.rpartition("\n")
    there = {"__name__": "page"}
    exec(compile(before, "<page>", "exec"), there)
    return eval(last, there)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (quoted, (1.5,)),
        (lambda x: np.sin(x) * x, (0.5,)),
        (lambda x, w: np.sum(w[0] * x) + np.sum(weights[0]), (0.5, np.array([1.0, 2.0]))),
        (lambda x: ad.grad(damped)(x), (0.5,)),
        (ping, (2, 1.5)),
    ],
)
def test_the_page_plays_the_same_function(f, args):
    player = ad.play(f, *args)
    there = opened(player)
    assert there.trace.value.text == player.trace.value.text
    assert list(map(str, there.trace.gradient)) == list(map(str, player.trace.gradient))
    assert there.inputs == player.inputs


def test_a_function_made_by_another_takes_its_values_along():
    def powers(n):
        def power(x):
            return x**n

        return power

    assert opened(ad.play(powers(3), 2.0)).trace.value.text == "8"


def test_inputs_and_options_are_those_that_are_shown():
    player = ad.play(quoted, 1.5, ranges={"x": (0, 9)}, mode="forward", predict=True)
    player.inputs = [2.5]
    there = opened(player)
    assert there.inputs == [2.5] and there.mode == "forward" and there.predict
    assert there.controls[0]["max"] == 9
    assert there.trace.value.text == player.trace.value.text
    assert opened(ad.play(quoted, 1.5, fault="overwrite")).trace.fault == "overwrite"
    player = ad.play(lambda x, *, n: x**n, 2.0, kwargs={"n": 3})
    assert opened(player).trace.value.text == "8"


class Outside:
    slope = 2.0


outside = Outside()


@pytest.mark.parametrize(
    ("f", "said"),
    [
        (
            lambda x: x * outside.slope,
            "takes `outside` from outside, and it is of the type Outside",
        ),
        (ad.grad(damped), "can carry only a plain function, and damped′ isn't one"),
        (np.sin, "can carry only a plain function, and sin isn't one"),
        (eval("lambda x: x * x"), "Write the function in a notebook cell or in a file"),
        (
            lambda x: x + np.sum(np.arange(5000.0)[:3]) + len("x" * 3) if x > 0 else TOO_LONG,
            "TOO_LONG",
        ),
    ],
)
def test_what_cannot_be_carried_is_said(f, said):
    if said == "TOO_LONG":
        said = "Shorten the function or its arrays"
    with pytest.raises(link.LinkError, match=re.escape(said)):
        ad.play(f, 1.0).link(SITE)


TOO_LONG = " ".join(str(k * k) for k in range(5000))  # which does not pack well


def test_one_name_with_two_meanings_is_refused():
    def of(scale):
        def inner(x):
            return scale * x

        return inner

    double, scale = of(2.0), 3.0
    inner = double
    with pytest.raises(link.LinkError, match="`scale` has two meanings"):
        ad.play(lambda x: inner(x) * scale, 1.0).link(SITE)


def test_the_function_is_in_the_fragment_which_no_server_is_sent():
    found = ad.play(quoted, 1.5).link(SITE)
    before, _, fragment = found.partition("#")
    assert before == SITE and re.fullmatch(r"function=[\w-]+", fragment)


def test_the_site_is_the_one_of_the_package(monkeypatch):
    urls = Message()
    urls["Project-URL"] = "Homepage, https://a.example/b/"
    monkeypatch.setattr(link, "metadata", lambda name: {"autodiff_lab": urls}[name])
    assert ad.play(damped, 1.0).link().startswith("https://a.example/b/#function=")


def test_an_installation_without_a_site_says_what_to_do(monkeypatch):
    monkeypatch.setattr(link, "metadata", lambda name: Message())
    with pytest.raises(link.LinkError, match=r"pip install -e .*player\.link\(site="):
        ad.play(damped, 1.0).link()
    assert ad.play(damped, 1.0).link(SITE).startswith(SITE)
