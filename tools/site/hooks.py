"""Hooks of MkDocs: links out of docs lead to the repository, and every page names its source."""

from __future__ import annotations

import posixpath
import re
from typing import Any

LINK = re.compile(r"(?P<start>\]\()(?P<target>(?!https?://|mailto:|#)[^)\s]+)(?P<end>\))")
BOOSTS = {"metrics.md": 4.0, "glossary.md": 3.0, "tour.md": 2.0, "api/": 0.3, "decisions/": 0.3, "architecture.md": 0.3}
"""How much a page counts in the search: pages about one thing before pages that mention everything."""
FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """The page with links to files outside of docs, and to folders, as links to the repository; and its rank in searches."""
    source = config["extra"]["source"]
    boost = next((boost for start, boost in BOOSTS.items() if page.file.src_uri.startswith(start)), None)
    if boost is not None:
        page.meta["search"] = {"boost": boost}

    def in_repository(match: re.Match[str]) -> str:
        target, _, anchor = match["target"].partition("#")
        place = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page.file.src_uri), target))
        inside = place.removeprefix("docs/")
        if not target or (place.startswith("docs/") and files.get_file_from_path(inside)):
            return match[0]
        shown = posixpath.normpath(inside) if place.startswith("docs/") else place
        kind = "tree" if "." not in posixpath.basename(place) and posixpath.basename(place) != "Dockerfile" else "blob"
        whole = place if not place.startswith("docs/") else f"docs/{shown}"
        return f"{match['start']}{source}/{kind}/main/{whole}{'#' + anchor if anchor else ''}{match['end']}"

    parts = FENCE.split(markdown)
    return "".join(part if part.startswith("```") else LINK.sub(in_repository, part) for part in parts)
