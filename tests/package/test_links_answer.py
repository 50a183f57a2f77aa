"""The weekly look at the pages that we link to finds those that are gone, and no others."""

import re
import runpy
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
links = runpy.run_path(str(ROOT / ".ci/links_answer.py"))


ASKED: list[str] = []


class Pages(BaseHTTPRequestHandler):
    def do_GET(self):
        ASKED.append(self.path)
        number = self.path.strip("/")
        busy = number == "busy" and ASKED.count(self.path) < 2
        self.send_response(503 if busy else int(number) if number.isdigit() else 200)
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize(
    ("page", "said", "gone"),
    [
        ("there", "", False),
        ("404", "404", True),
        ("410", "410", True),
        ("403", "403", False),
        ("busy", "", False),
    ],
)
def test_a_page_is_gone_only_if_its_server_says_so(page, said, gone, server):
    assert links["ask"](f"{server}/{page}", wait=0) == said
    assert links["is_gone"](said) == gone


def test_a_server_that_is_gone_takes_its_pages_along():
    said = links["ask"]("http://127.0.0.1:9/", wait=0)
    assert said.startswith("no answer") and links["is_gone"](said)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[a](https://a.org/b). See https://c.org/d.", ["https://a.org/b", "https://c.org/d"]),
        ("[w](https://w.org/a_(b)#part)", ["https://w.org/a_(b)"]),
        (
            '<img src="https://a.org/p.svg">, (https://b.org)',
            ["https://a.org/p.svg", "https://b.org"],
        ),
        ("[![x](p.svg)](https://mybinder.org/v2/gh/a/b/main?urlpath=lab)", []),
        ("https://YOUR.HUB/hub/git-pull?repo=x and http://localhost:8888/lab", []),
    ],
)
def test_addresses_are_found_without_the_sentence_around_them(text, found):
    assert list(links["addresses"](text)) == found


def test_what_people_read_is_read():
    pages = dict(links["texts"]())
    assert {
        "README.md",
        "CITATION.cff",
        "notebooks/for_lecturers.md",
        "00_start_here.ipynb",
    } <= set(pages)
    assert "https://github.com/karpathy/micrograd" in links["addresses"](
        pages["autodiff_lab/systems/README.md"]
    )
    assert len({address for text in pages.values() for address in links["addresses"](text)}) > 30


def test_the_place_of_a_dead_link_is_named(server, capsys, monkeypatch):
    namespace = links["main"].__globals__
    monkeypatch.setitem(namespace, "WAIT", 0)
    monkeypatch.setitem(namespace, "NOT_ASKED", re.compile("https://never"))
    monkeypatch.setitem(namespace, "ask", lambda address: "404" if address.endswith("/404") else "")
    assert links["main"]([("a.md", f"{server}/there"), ("b.md", f"{server}/404")]) == 1
    said = capsys.readouterr().out
    assert f"GONE  404  {server}/404  in b.md\n2 pages, 1 of them gone" in said
    assert links["main"]([("a.md", f"{server}/there")]) == 0
    assert links["main"]([]) == 1, "nothing found is nothing read"
