"""The site: its navigation has every page once, under one of four kinds; built pages have no dead link and load nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

import pytest
import yaml
from tests.browser.conftest import require

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SITE = ROOT / "build" / "site"
HERE = "https://site.example/"
"""Where the built pages are, for this test."""


class AnyTag(yaml.SafeLoader):
    """Reads mkdocs.yml, in which tags of Python name functions."""


AnyTag.add_multi_constructor("tag:yaml.org,2002:python/", lambda loader, suffix, node: None)
NAVIGATION = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), AnyTag)["nav"]


def pages_in(part: Any) -> Iterator[str]:
    """The pages of a part of the navigation."""
    if isinstance(part, str):
        yield part
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from pages_in(inner)


def test_four_kinds_of_pages_are_kept_apart():
    kinds = [name for part in NAVIGATION if isinstance(part, dict) for name in part]
    assert kinds == ["Home", "Tutorials", "How to", "Reference", "Explanation"]
    assert NAVIGATION[0]["Home"] == "index.md"


def test_every_page_is_in_the_navigation_once():
    listed = Counter(pages_in(NAVIGATION))
    assert set(listed) == {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    assert {page: count for page, count in listed.items() if count > 1} == {}


class Page(HTMLParser):
    """Links, loaded files and anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if "src" in given:
            self.loaded.append(given["src"])
        if tag == "link" and {"stylesheet", "icon", "preload", "preconnect"} & set(given.get("rel", "").split()):
            self.loaded.append(given["href"])


@pytest.fixture(scope="module")
def built() -> dict[str, Page]:
    """Path → the page."""
    if not (SITE / "index.html").is_file():
        require("the site", "build it with make site")
    files = [file for file in SITE.rglob("*.html") if file.name != "404.html"]
    return {file.relative_to(SITE).as_posix(): Page(file.read_text(encoding="utf-8")) for file in files}


def target_of(page: str, link: str) -> tuple[str, str] | None:
    """File and anchor of a link to the site itself; None for another host."""
    parts = urlsplit(urljoin(HERE + page, link))
    if parts.netloc != urlsplit(HERE).netloc:
        return None
    path = unquote(parts.path).lstrip("/")
    return (f"{path}index.html" if path.endswith("/") or not path else path), unquote(parts.fragment)


@pytest.mark.slow
def test_links_of_built_pages_lead_to_files_and_anchors(built):
    broken = []
    for name, page in built.items():
        for link in {*page.links, *page.loaded}:
            target = None if link.startswith(("mailto:", "data:", "javascript:")) else target_of(name, link)
            if target is None:
                continue
            file, anchor = target
            is_anchored = not anchor or file not in built or anchor in built[file].anchors or anchor == "__skip"
            if not (SITE / file).exists() or not is_anchored:
                broken.append((name, link))
    assert broken == []
    assert len(built) > 80


@pytest.mark.slow
def test_built_pages_load_nothing_from_other_hosts(built):
    assert {(name, file) for name, page in built.items() for file in page.loaded if target_of(name, file) is None} == set()
    for file in SITE.rglob("*.css"):
        assert re.findall(r"url\([\"']?(?:https?:)?//[^)]+\)|@import[^;]+//", file.read_text(encoding="utf-8")) == [], file
