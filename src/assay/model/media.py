"""Media: the image, the sound or the other file of a document or a query, as its metadata name it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

IMAGE, MEDIA = "image", "media"
MEDIA_FIELDS = (IMAGE, MEDIA)
"""The metadata fields that name a file. An image comes first."""
ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
"""The start of a URL. A single letter before the colon is a drive of Windows."""
EXTENSION = re.compile(r"[^.\s]\.([A-Za-z0-9]{1,8})$")
SEPARATORS = re.compile(r"[/\\]")
KINDS: Mapping[str, tuple[str, ...]] = {
    "image": ("png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "svg", "avif", "heic"),
    "audio": ("wav", "mp3", "flac", "ogg", "oga", "opus", "m4a", "aac"),
    "video": ("mp4", "m4v", "mov", "webm", "mkv", "avi"),
    "other": ("pdf", "obj", "ply", "glb", "gltf", "stl", "npy", "npz"),
}
"""Kind of file → its file extensions."""


def is_address(place: str) -> bool:
    """Whether a place is a URL. A URL is only text: nothing is fetched."""
    return ADDRESS.match(place) is not None


def names_file(value: object) -> bool:
    """Whether a value names a file: a URL, a path with a folder, or a name with a file extension."""
    if not isinstance(value, str) or not value.strip():
        return False
    return is_address(value) or SEPARATORS.search(value) is not None or bool(_extension(value))


def media_of(metadata: Mapping[str, Any] | None) -> str | None:
    """The path or URL of the file that metadata name; None if they name none."""
    if not metadata:
        return None
    return next((metadata[name].strip() for name in MEDIA_FIELDS if names_file(metadata.get(name))), None)


def kind_of_media(place: str) -> str:
    """`image`, `audio`, `video` or `other`, by the file extension; empty if the extension is not known."""
    name = re.split(r"[?#]", place)[0] if is_address(place) else place
    return next((kind for kind, extensions in KINDS.items() if _extension(name) in extensions), "")


def _extension(place: str) -> str:
    """The file extension in small letters; empty if there is none, as in `a.`, `.png`, or a sentence that ends in a dot."""
    shape = EXTENSION.search(SEPARATORS.split(place.strip())[-1])
    return shape[1].lower() if shape else ""
