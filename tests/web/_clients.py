"""Clients for the web tests, and what they see of a page."""

from __future__ import annotations

import csv
import io
import re
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from typing import Any

from httpx import Response
from starlette.testclient import TestClient

from assay.store import Store
from assay.web import make_app, make_server

COOKIE = "assay_session"
TOKEN = "a-token-that-is-long-enough"
PATIENCE = 60.0
"""Seconds after which a test gives up; nothing here takes that long."""
FREE_ATTEMPTS = 3
"""Wrong tokens that cost nothing."""


def client_of(store: Path | Store, **how: Any) -> TestClient:
    """A client on this machine."""
    return TestClient(make_app(store, **how), base_url="http://127.0.0.1:8765", follow_redirects=False)


@contextmanager
def serving(app: Any, **how: Any) -> Iterator[str]:
    """The address of a server of that application; it ends soon, whatever it does."""
    server = make_server(app, **how)
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(64)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            app.state.app_state.is_ending = server.should_exit = True
            thread.join(PATIENCE)
            assert not thread.is_alive()


class Clock:
    """A clock that stands still, but for those who sleep by it; what they slept is in `slept`."""

    def __init__(self) -> None:
        self.now, self.slept = 1000.0, []

    def __call__(self) -> float:
        """The time."""
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Time goes on at once."""
        self.slept.append(seconds)
        self.now += seconds


def csrf_of(html: str) -> str:
    """The word that the forms of a page bring."""
    found = re.search(r'name="csrf" value="([0-9a-f]{64})"', html)
    assert found
    return found[1]


def keys_of(html: str) -> list[str]:
    """The results that a page leads to."""
    return list(dict.fromkeys(re.findall(r'href="/result/([^"/]+/\d+)"', html)))


def words_of(html: str) -> str:
    """The text of a piece of markup."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def main_of(html: str) -> str:
    """The text of a page without what is around it."""
    inside = re.search(r"<main[^>]*>(.*)</main>", html, re.DOTALL)
    assert inside
    return words_of(inside[1])


def cells_of(answer: Response) -> list[dict[str, str]]:
    """The rows of a download."""
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    return list(csv.DictReader(io.StringIO(answer.text)))


def told(answers: Mapping[str, Response], masked: Mapping[str, str] | None = None) -> str:
    """Case by case the status of an answer and what it says: the message of an error, or the words of a page."""
    text = "".join(f"## {case}\n{answer.status_code} {_message_of(answer)}\n\n" for case, answer in answers.items())
    for word, name in (masked or {}).items():
        text = text.replace(word, name)
    return text


def _message_of(answer: Response) -> str:
    if not answer.headers.get("content-type", "").startswith("application/json"):
        return main_of(answer.text)
    error = answer.json()["error"]
    assert error["status"] == answer.status_code
    return error["message"]


def rows_of(html: str, label: str) -> list[list[str]]:
    """The rows of the table of that label, cell by cell."""
    box = html.split(f'aria-label="{label}"', 1)[1].split("</table>", 1)[0].split("<tbody>", 1)[1]
    rows = re.findall(r"<tr>(.*?)</tr>", box, re.DOTALL)
    return [[words_of(cell) for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL)] for row in rows]
