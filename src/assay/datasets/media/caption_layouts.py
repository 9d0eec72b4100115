"""Layouts of image–caption sets: COCO, Karpathy's splits, and the tables of Flickr30k and Flickr8k."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.datasets.dataset import Notes
from assay.errors import DataError
from assay.files import FileSource, decode_file
from assay.model import text_id
from assay.text import shortened

DAMAGED = re.compile(r"(?P<image>[^|]+)\|\s*(?P<number>\d+)\s+(?P<caption>[^|]*)")
"""A row of results.csv without its second separator. The published file has one."""
RESTVAL, TRAIN = "restval", "train"
"""Karpathy's name for images of COCO's validation set that are used for training."""


@dataclass
class CaptionedImage:
    """An image, where it is, its captions by id, and its split if the file has splits."""

    image_id: str
    place: str
    captions: dict[str, str] = field(default_factory=dict)
    split: str = ""
    address: str = ""
    """The URL of the image; empty if the file has none."""


Images = dict[str, CaptionedImage]


def read_coco(path: Path, notes: Notes) -> Images:
    """COCO's captions_*.json: images with a file name, and annotations with image_id and caption."""
    content = decode_file(path, dict[str, Any])
    images: Images = {}
    known: dict[str, CaptionedImage] = {}
    for number, record in enumerate(_list(content.get("images"), "images", path), 1):
        where = f"image {number}"
        if not isinstance(record, Mapping) or not isinstance(record.get("file_name"), str) or record.get("id") is None:
            notes.fault(where, f"expected an object with id and file_name, found {shortened(record)}")
            continue
        image = _add(images, record["file_name"], where, notes)
        if image is not None:
            image.address = next(
                (url for name in ("coco_url", "flickr_url") if isinstance(url := record.get(name), str)), ""
            )
            known[text_id(record["id"])] = image
    taken: set[str] = set()
    for number, record in enumerate(_list(content.get("annotations"), "annotations", path), 1):
        where = f"annotation {number}"
        if not isinstance(record, Mapping) or not isinstance(record.get("caption"), str):
            notes.fault(where, f"expected an object with image_id and caption, found {shortened(record)}")
        elif (image := known.get(str(record.get("image_id")))) is None:
            notes.fault(where, f"its image_id {record.get('image_id')!r} is not the id of an image")
        else:
            _add_caption(image, record.get("id", f"c{number}"), record["caption"], taken, where, notes)
    return images


def read_karpathy(path: Path, notes: Notes) -> Images:
    """Karpathy's dataset.json: images with filename, split and sentences, each with raw and sentid."""
    content = decode_file(path, dict[str, Any])
    images: Images = {}
    taken: set[str] = set()
    for number, record in enumerate(_list(content.get("images"), "images", path), 1):
        where = f"image {number}"
        sentences = record.get("sentences") if isinstance(record, Mapping) else None
        if not isinstance(sentences, list) or not isinstance(record.get("filename"), str):
            notes.fault(where, f"expected an object with filename and sentences, found {shortened(record)}")
            continue
        folder = record.get("filepath")
        place = f"{folder}/{record['filename']}" if isinstance(folder, str) and folder else record["filename"]
        image = _add(images, place, where, notes)
        if image is None:
            continue
        split = str(record.get("split") or "")
        image.split = TRAIN if split == RESTVAL else split
        for place_in, sentence in enumerate(sentences):
            raw = sentence.get("raw") if isinstance(sentence, Mapping) else None
            if not isinstance(raw, str):
                notes.fault(where, f"expected a sentence with raw, found {shortened(sentence)}")
                continue
            caption_id = sentence.get("sentid")
            named = f"{image.image_id}#{place_in}" if caption_id is None else caption_id
            _add_caption(image, named, raw, taken, where, notes)
    return images


def read_caption_table(path: Path, notes: Notes) -> Images:
    """A table of captions: `image_name| comment_number| comment`, or `image,caption`. A caption's id is image#number."""
    images: Images = {}
    rows = _rows(path)
    _, header = next(rows)
    separator = "|" if "|" in header else ","
    for number, line in rows:
        cells = _cells(line, separator, number, notes)
        if cells is None:
            notes.fault(f"line {number}", f"expected {header.strip()}, found {shortened(line.strip())}")
            continue
        name, caption = cells
        image = images.get(Path(name).name) or _add(images, name, f"line {number}", notes)
        if image is not None:
            image.captions[f"{image.image_id}#{len(image.captions)}"] = caption
    return images


def _rows(path: Path) -> Iterator[tuple[int, str]]:
    """Number and text of each line that is not blank."""
    for number, line in FileSource(path).lines():
        try:
            yield number, line.decode("utf-8")
        except UnicodeDecodeError:
            raise DataError("not valid UTF-8", source=path, line=number) from None


def _cells(line: str, separator: str, number: int, notes: Notes) -> tuple[str, str] | None:
    """Image and caption of a row; None if it has not enough cells."""
    cells = [cell.strip() for cell in line.split(separator, 2 if separator == "|" else 1)]
    if separator == "|" and len(cells) == 2 and (damaged := DAMAGED.fullmatch(line.strip())):
        notes.mend(f"line {number}", "a separator is missing after the number of the caption")
        cells = [damaged["image"].strip(), damaged["number"], damaged["caption"].strip()]
    if len(cells) != (3 if separator == "|" else 2) or not cells[0]:
        return None
    return cells[0], cells[-1].strip().strip('"')


def _list(value: Any, name: str, path: Path) -> list[Any]:
    if not isinstance(value, list):
        raise DataError(f"expected {name} to be a list, found {shortened(value)}", source=path)
    return value


def _add(images: Images, place: str, where: str, notes: Notes) -> CaptionedImage | None:
    """A new image, whose id is the name of its file; None, and a fault, if there is an image of this name already."""
    name = place.replace("\\", "/").rpartition("/")[2]
    if not name or name in images:
        notes.fault(where, f"a second image is called {name!r}" if name else f"{place!r} is not the name of a file")
        return None
    images[name] = CaptionedImage(name, place)
    return images[name]


def _add_caption(image: CaptionedImage, named: Any, text: str, taken: set[str], where: str, notes: Notes) -> None:
    """Add a caption. An id that another caption has is a fault."""
    try:
        caption_id = text_id(named)
    except DataError as error:
        notes.fault(where, str(error))
        return
    if caption_id in taken:
        notes.fault(where, f"a second caption has the id {caption_id}")
        return
    taken.add(caption_id)
    image.captions[caption_id] = text.strip()
