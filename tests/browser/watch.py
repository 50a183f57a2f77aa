"""What no page of a test may do: ask for something from elsewhere, write an error to the console, fail in a script."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

# Chromium finds this machine under one address and nothing else under any name, whoever asks: a script, a frame, a
# WebSocket, a link that it would look up ahead of a click.
NOTHING_LEAVES = "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"


def _is_here(url: str, *, offline: bool = False) -> bool:
    """Files are always on this machine; so is the loopback, unless the page is to live without it."""
    parts = urlsplit(url)
    return parts.scheme in ("file", "data", "blob") or (
        parts.hostname == "127.0.0.1" and not offline
    )


class Watch:
    """What the pages of one test did that no page may do."""

    def __init__(self) -> None:
        self.complaints: list[str] = []
        self.strangers: list[str] = []
        self.allowed: list[str] = []
        self.allowed_strangers: list[str] = []

    def allow(self, pattern: str, *, because: str) -> None:
        """Expect a console error; the reason is not used, but has to be written down."""
        assert because
        self.allowed.append(pattern)

    def allow_strangers(self, pattern: str, *, because: str) -> None:
        """Expect a request to somewhere else, which is refused all the same."""
        assert because
        self.allowed_strangers.append(pattern)
        self.allowed.append(r"net::ERR_(?:FAILED|NAME_NOT_RESOLVED) \(.*(?:" + pattern + ")")

    @contextmanager
    def follow(self, context: Any, *, offline: bool) -> Iterator[None]:
        """Look at all that the pages of a context do in this block; an offline page may read files and nothing else.

        Only there a route decides: it switches off the browser's cache, and JupyterLab is fetched again by every page.
        """
        listeners = {"console": self._console, "weberror": self._error, "page": self._page}
        if offline:
            context.route("**/*", self._route)
        else:
            listeners["request"] = self._request
        there = context.pages
        for event, listener in listeners.items():
            context.on(event, listener)
        for page in there:
            page.on("websocket", self._request)
        try:
            yield
        finally:
            for event, listener in listeners.items():
                context.remove_listener(event, listener)
            for page in there:
                page.remove_listener("websocket", self._request)
            if offline:
                context.unroute("**/*", self._route)

    def _route(self, route: Any) -> None:
        if _is_here(route.request.url, offline=True):
            route.continue_()
        else:
            self.strangers.append(route.request.url)
            route.abort()

    def _request(self, request: Any) -> None:
        if not _is_here(request.url):
            self.strangers.append(request.url)

    def _page(self, page: Any) -> None:
        page.on("websocket", self._request)

    def _error(self, error: Any) -> None:
        self.complaints.append(f"script error: {error.error}")

    def _console(self, message: Any) -> None:
        if message.type in ("error", "assert"):
            self.complaints.append(
                f"{message.type}: {message.text} ({message.location.get('url', '')})"
            )

    def verdict(self) -> None:
        def unexpected(lines: list[str], allowed: list[str]) -> list[str]:
            return [line for line in lines if not any(re.search(one, line) for one in allowed)]

        strangers, bad = (
            unexpected(self.strangers, self.allowed_strangers),
            unexpected(self.complaints, self.allowed),
        )
        assert not strangers, f"requests that leave this machine: {strangers}"
        assert not bad, "console errors:\n" + "\n".join(bad)
