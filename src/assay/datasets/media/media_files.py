"""Media files: the files of a benchmark's own folder that its documents and queries name. Nothing is ever fetched."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PureWindowsPath

from assay.datasets.dataset import BenchmarkDataset
from assay.model import SEPARATORS, is_address

ADDRESS, OUTSIDE, MISSING = "address", "outside", "missing"
"""Why a place is not a file that may be read: it is a URL, it leaves the folder of the benchmark, or there is no file."""
ANNOTATIONS = "annotations"
"""The folder of COCO for files of captions. The images are next to this folder."""


MAGIC = (
    ("image/png", b"\x89PNG\r\n\x1a\n"),
    ("image/jpeg", b"\xff\xd8\xff"),
    ("image/gif", b"GIF87a"),
    ("image/gif", b"GIF89a"),
)
"""MIME type and the first bytes of such a file. SVG is not here, because it can contain scripts."""


@dataclass(frozen=True)
class MediaFile:
    """A place that a document or a query names, and the file; or the reason why there is none."""

    place: str
    path: Path | None = None
    fault: str = ""


def media_root(dataset: BenchmarkDataset) -> Path | None:
    """The folder that paths of images and other files are relative to; None if the benchmark was not read from a file."""
    path = dataset.path
    if path is None or not path.exists():
        return None
    folder = path if path.is_dir() else path.parent
    return folder.parent if path.is_file() and folder.name == ANNOTATIONS else folder


def find_media(root: Path, place: str) -> MediaFile:
    """The file of a place. A path that leaves the folder, also through a symbolic link, is never opened."""
    if is_address(place):
        return MediaFile(place, fault=ADDRESS)
    parts = SEPARATORS.split(place)
    if ".." in parts or not parts[0] or "\0" in place or PureWindowsPath(place).is_absolute():
        return MediaFile(place, fault=OUTSIDE)
    try:
        path = root.joinpath(*parts).resolve()
        if not path.is_relative_to(root.resolve()):
            return MediaFile(place, fault=OUTSIDE)
        return MediaFile(place, path) if path.is_file() else MediaFile(place, fault=MISSING)
    except OSError:  # a name that no file can have
        return MediaFile(place, fault=MISSING)


def image_type(head: bytes) -> str:
    """The MIME type of an image by its first bytes: PNG, JPEG, GIF or WebP; empty for anything else, such as SVG."""
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for kind, start in MAGIC if head.startswith(start)), "")


def read_image(file: MediaFile, most: int) -> tuple[str, bytes] | None:
    """The MIME type and the content of an image of at most `most` bytes; None if the file is not such an image."""
    if file.path is None:
        return None
    try:
        with file.path.open("rb") as opened:
            content = opened.read(most + 1)
    except OSError:
        return None
    kind = image_type(content)
    return (kind, content) if kind and len(content) <= most else None
