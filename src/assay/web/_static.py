"""Static files: scripts and styles, read once. Only these names are served, so no path leads anywhere else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from importlib.resources import files
from typing import TYPE_CHECKING

from assay.errors import UnknownName

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

PACKAGES = ("assay.reports", "assay.web")
KINDS = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
FOREVER = "public, max-age=31536000, immutable"


@dataclass(frozen=True)
class StaticFiles:
    """Name → content."""

    content: Mapping[str, bytes]

    @classmethod
    def read(cls) -> StaticFiles:
        """What the report and the web pages have in their folders `static`."""
        found = {}
        for package in PACKAGES:
            for file in files(package).joinpath("static").iterdir():
                if file.name.rpartition(".")[2] in KINDS:
                    found[file.name] = file.read_bytes()
        return cls(found)

    def url(self, name: str) -> str:
        """Its address: another one as soon as it says something else, so that browsers may keep it."""
        return f"/static/{name}?v={blake2b(self.content[name], digest_size=6).hexdigest()}"

    def response(self, name: str, request: Request) -> Response:
        """The file."""
        from starlette.responses import Response

        if name not in self.content:
            raise UnknownName("file of these pages", name[:80])
        headers = {"cache-control": FOREVER if "v" in request.query_params else "no-cache"}
        return Response(self.content[name], headers=headers, media_type=KINDS[name.rpartition(".")[2]])
