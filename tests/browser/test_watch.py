"""Guarantees for every browser test: no request leaves this machine, an attempt fails, and pages are isolated."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from .watch import Watch

# Each asks for an address in its own way and then says that it has been answered or refused.
WAYS = {
    "a script": "url => fetch(url, {mode: 'no-cors'}).then(() => 0, () => 0)",
    "a picture": "url => new Promise(done => Object.assign(new Image(), {onload: done, onerror: done, src: url}))",
    "a frame": """url => new Promise(done => document.body.append(
        Object.assign(document.createElement('iframe'), {onload: done, src: url})))""",
    "a socket": """url => new Promise(done => Object.assign(new WebSocket(url.replace('http', 'ws')),
        {onopen: done, onerror: done}))""",
}


@pytest.fixture
def elsewhere():
    """A web server under every address of this machine: its port, and who came in."""
    callers = []

    class Door(BaseHTTPRequestHandler):
        def do_GET(self):
            callers.append(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<p>open")

        def log_message(self, *_):
            """Not on the terminal."""

    with ThreadingHTTPServer(("0.0.0.0", 0), Door) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port, callers
        server.shutdown()


def is_a_stranger(watch, host):
    """What the watch has seen fails a test; forget it, since this test is about that."""
    with pytest.raises(AssertionError, match=f"requests that leave this machine: .*{host}"):
        watch.verdict()
    watch.strangers.clear()
    watch.complaints.clear()


@pytest.mark.parametrize("way", WAYS)
def test_nothing_leaves_this_machine(way, elsewhere, new_page, watch):
    """Another name and another address of this machine represent all others: a server would answer there."""
    port, callers = elsewhere
    page = new_page()
    page.goto(f"http://127.0.0.1:{port}/")
    page.evaluate(WAYS[way], f"http://127.0.0.1:{port}/asked")
    assert callers.count("/asked") == 1, "this way leads in"
    assert not watch.strangers
    for host in ("localhost", "127.0.0.2", "example.org"):
        page.evaluate(WAYS[way], f"http://{host}:{port}/asked")
        assert callers.count("/asked") == 1, f"got out to {host}"
        is_a_stranger(watch, host)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
@pytest.mark.parametrize("way", ["a script", "a picture", "a frame"])
def test_an_offline_page_has_files_only(host, way, elsewhere, new_page, watch, tmp_path):
    port, callers = elsewhere
    (tmp_path / "page.html").write_text("<p>alone", encoding="utf-8")
    page = new_page(offline=True)
    page.goto((tmp_path / "page.html").as_uri())
    page.evaluate(WAYS[way], f"http://{host}:{port}/")
    assert callers == []
    is_a_stranger(watch, host)


def test_an_expected_strangers_failed_request_is_no_complaint():
    watch = Watch()
    watch.allow_strangers("cdn", because="this is what the test is about")
    watch.strangers.append("https://cdn.example.org/a.js")
    watch.complaints.append(
        "error: Failed to load resource: net::ERR_NAME_NOT_RESOLVED (https://cdn.example.org/a.js)"
    )
    watch.verdict()
    watch.strangers.append("https://example.org/a.js")
    with pytest.raises(AssertionError, match="leave this machine"):
        watch.verdict()


STORE = "() => { localStorage.here = sessionStorage.here = 1; document.cookie = 'here=1'; }"
FOUND = "() => [localStorage.here, sessionStorage.here, document.cookie].filter(Boolean)"


@pytest.mark.parametrize("visit", [1, 2])
def test_a_page_finds_nothing_of_the_pages_of_other_tests(visit, server, new_page):
    page = new_page()
    page.goto(f"{server.url}/api")
    assert page.evaluate(FOUND) == []
    page.evaluate(STORE)
    assert len(page.evaluate(FOUND)) == 3


@pytest.mark.parametrize("visit", [1, 2])
def test_nor_does_an_offline_page(visit, new_page, tmp_path):
    (tmp_path / "page.html").write_text("<p>alone", encoding="utf-8")
    page = new_page(offline=True)
    page.goto((tmp_path / "page.html").as_uri())
    assert page.evaluate(FOUND) == []
    page.evaluate(STORE)
    assert len(page.evaluate(FOUND)) == 2, "a file has no cookies"
