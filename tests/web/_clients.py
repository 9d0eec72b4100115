"""Clients for the web tests, and what they see of a page."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from assay.web import make_app

COOKIE = "assay_session"
TOKEN = "a-token-that-is-long-enough"
FREE_ATTEMPTS = 3
"""Wrong tokens that cost nothing."""


def client_of(store: Path, **how: Any) -> TestClient:
    """A client on this machine."""
    return TestClient(make_app(store, **how), base_url="http://127.0.0.1:8765", follow_redirects=False)


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


def main_of(html: str) -> str:
    """The text of a page without its markup and what is around it."""
    inside = re.search(r"<main[^>]*>(.*)</main>", html, re.DOTALL)
    assert inside
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", inside[1])).split())


def rows_of(html: str, label: str) -> list[list[str]]:
    """The rows of the table of that label, cell by cell."""
    box = html.split(f'aria-label="{label}"', 1)[1].split("</table>", 1)[0].split("<tbody>", 1)[1]
    rows = re.findall(r"<tr>(.*?)</tr>", box, re.DOTALL)
    return [
        [
            " ".join(unescape(re.sub(r"<[^>]+>", " ", cell)).split())
            for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL)
        ]
        for row in rows
    ]
