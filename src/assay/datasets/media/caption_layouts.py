"""Layouts of image–caption sets in JSON: COCO, and Karpathy's splits."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.datasets.dataset import Notes
from assay.datasets.media.caption_sets import CaptionedImage, CaptionSet
from assay.errors import DataError
from assay.files import decode_file
from assay.model import text_id
from assay.text import shortened

RESTVAL, TRAIN = "restval", "train"
"""Karpathy's name for images of COCO's validation set that are used for training."""


def read_coco(path: Path, notes: Notes) -> CaptionSet:
    """COCO's captions_*.json: images with a file name, and annotations with image_id and caption."""
    content = decode_file(path, dict[str, Any])
    caption_set = CaptionSet(notes)
    known: dict[str, CaptionedImage] = {}
    for number, record in enumerate(_list(content.get("images"), "images", path), 1):
        where = f"image {number}"
        if not isinstance(record, Mapping) or not isinstance(record.get("file_name"), str) or record.get("id") is None:
            notes.fault(where, f"expected an object with id and file_name, found {shortened(record)}")
            continue
        image = caption_set.add_image(record["file_name"], where)
        if image is not None:
            image.address = next(
                (url for name in ("coco_url", "flickr_url") if isinstance(url := record.get(name), str)), ""
            )
            known[text_id(record["id"])] = image
    for number, record in enumerate(_list(content.get("annotations"), "annotations", path), 1):
        where = f"annotation {number}"
        if not isinstance(record, Mapping) or not isinstance(record.get("caption"), str):
            notes.fault(where, f"expected an object with image_id and caption, found {shortened(record)}")
        elif (image := known.get(str(record.get("image_id")))) is None:
            notes.fault(where, f"its image_id {record.get('image_id')!r} is not the id of an image")
        else:
            caption_set.add_caption(image, record.get("id", f"c{number}"), record["caption"], where)
    return caption_set


def read_karpathy(path: Path, notes: Notes) -> CaptionSet:
    """Karpathy's dataset.json: images with filename, split and sentences, each with raw and sentid."""
    content = decode_file(path, dict[str, Any])
    caption_set = CaptionSet(notes)
    for number, record in enumerate(_list(content.get("images"), "images", path), 1):
        where = f"image {number}"
        sentences = record.get("sentences") if isinstance(record, Mapping) else None
        if not isinstance(sentences, list) or not isinstance(record.get("filename"), str):
            notes.fault(where, f"expected an object with filename and sentences, found {shortened(record)}")
            continue
        folder = record.get("filepath")
        place = f"{folder}/{record['filename']}" if isinstance(folder, str) and folder else record["filename"]
        image = caption_set.add_image(place, where)
        if image is None:
            continue
        split = str(record.get("split") or "")
        image.split = TRAIN if split == RESTVAL else split
        for sentence in sentences:
            raw = sentence.get("raw") if isinstance(sentence, Mapping) else None
            if isinstance(raw, str):
                caption_set.add_caption(image, sentence.get("sentid"), raw, where)
            else:
                notes.fault(where, f"expected a sentence with raw, found {shortened(sentence)}")
    return caption_set


def _list(value: Any, name: str, path: Path) -> list[Any]:
    if not isinstance(value, list):
        raise DataError(f"expected {name} to be a list, found {shortened(value)}", source=path)
    return value
