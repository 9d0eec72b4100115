"""Hooks of MkDocs: links lead to the repository, contents are shown once, and the search knows all names of metrics."""

from __future__ import annotations

import json
import posixpath
import re
from pathlib import Path
from typing import Any

LINK = re.compile(r"(?P<start>\]\()(?P<target>(?!https?://|mailto:|#)[^)\s]+)(?P<end>\))")
BOOSTS = {"metrics.md": 4.0, "glossary.md": 3.0, "tour.md": 2.0, "api/": 0.3, "decisions/": 0.3, "architecture.md": 0.3}
"""How much a page counts in the search: pages about one thing before pages that mention everything."""
FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
MEANING = re.compile(r"<p>(.*?)\.?</p>")
OTHER_NAMES = re.compile(r"<li>Other names: (.*?)</li>")


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """The page with links to files outside of docs, and to folders, as links to the repository; and its rank in searches."""
    source = config["extra"]["source"]
    boost = next((boost for start, boost in BOOSTS.items() if page.file.src_uri.startswith(start)), None)
    if boost is not None:
        page.meta["search"] = {"boost": boost}
    if page.file.src_uri == "index.md":
        page.meta["hide"] = ["navigation"]

    def in_repository(match: re.Match[str]) -> str:
        target, _, anchor = match["target"].partition("#")
        place = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page.file.src_uri), target))
        inside = place.removeprefix("docs/")
        file = files.get_file_from_path(inside) if place.startswith("docs/") else None
        if not target or (file and file.inclusion.is_included()):
            return match[0]
        shown = posixpath.normpath(inside) if place.startswith("docs/") else place
        kind = "tree" if "." not in posixpath.basename(place) and posixpath.basename(place) != "Dockerfile" else "blob"
        whole = place if not place.startswith("docs/") else f"docs/{shown}"
        return f"{match['start']}{source}/{kind}/main/{whole}{'#' + anchor if anchor else ''}{match['end']}"

    parts = FENCE.split(markdown)
    return "".join(part if part.startswith("```") else LINK.sub(in_repository, part) for part in parts)


def on_page_content(html: str, **_: Any) -> str:
    """The page with a class for the list of its headings. Wide screens hide it: they show the headings at the side."""
    before, heading, rest = html.partition("<h2")
    return before.replace("<ul>", '<ul class="contents">', 1) + heading + rest if is_contents(before) else html


def is_contents(html: str) -> bool:
    """Whether the first list of a text has only links to headings of the same page."""
    found = re.search(r"<ul>(.*?)</ul>", html, re.DOTALL)
    targets = re.findall(r'href="([^"]*)"', found[1]) if found else []
    return bool(targets) and all(target.startswith("#") for target in targets)


def on_post_build(config: Any) -> None:
    """In the search, the title of a metric has its meaning and its other names: `mrr` is found as reciprocal rank."""
    index = Path(config["site_dir"]) / "search" / "search_index.json"
    found = json.loads(index.read_text(encoding="utf-8"))
    for entry in found["docs"]:
        if entry["location"].startswith("metrics/#") and "<li>Name: " in entry["text"]:
            entry["title"] = searched_title(entry["title"], entry["text"])
    index.write_text(json.dumps(found, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


def searched_title(name: str, text: str) -> str:
    """`mrr: One over the rank of the first relevant document (rr, reciprocal rank)` from the section of the metric."""
    meaning, others = MEANING.search(text), OTHER_NAMES.search(text)
    codes = [code.replace("_", " ") for code in re.findall(r"<code>(.*?)</code>", others[1])] if others else []
    described = f"{name}: {meaning[1]}" if meaning else name
    return f"{described} ({', '.join(codes)})" if codes else described
