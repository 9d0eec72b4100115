"""Caption sets: images with their captions, in the order of the file, and the ids that both get."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from assay.datasets.dataset import Notes
from assay.errors import DataError
from assay.model import SEPARATORS, text_id


@dataclass
class CaptionedImage:
    """An image, where it is, and its split if the file has splits."""

    place: str
    split: str = ""
    address: str = ""
    """The URL of the image; empty if the file has none."""
    image_id: str = ""
    n_captions: int = 0


class Caption(NamedTuple):
    """A caption of an image."""

    caption_id: str
    text: str
    image: CaptionedImage


@dataclass
class _Written:
    """A caption as the file has it: its id may be missing."""

    named: str
    text: str
    image: CaptionedImage
    number: int
    """Its number among the captions of the image."""
    where: str

    @property
    def caption_id(self) -> str:
        """The id in the file, else `image#0`; the image must have its id."""
        return self.named or f"{self.image.image_id}#{self.number}"


@dataclass
class CaptionSet:
    """The images and captions of a file. Faults are noted, with the place of the record that has them."""

    notes: Notes
    images: dict[str, CaptionedImage] = field(default_factory=dict)
    """Place in the file → image."""
    _captions: list[_Written] = field(default_factory=list)
    _taken: set[str] = field(default_factory=set)

    def add_image(self, place: str, where: str) -> CaptionedImage | None:
        """A new image; None, and a fault, if there is an image in this place already."""
        if not _name_of(place) or place in self.images:
            what = f"a second image is called {place!r}" if place in self.images else f"{place!r} is not the name of a file"
            self.notes.fault(where, what)
            return None
        self.images[place] = CaptionedImage(place)
        return self.images[place]

    def add_caption(self, image: CaptionedImage, named: Any, text: str, where: str) -> None:
        """Add a caption. Without an id, it is named for its image. An id that another caption has is a fault."""
        try:
            caption_id = "" if named is None else text_id(named)
        except DataError as error:
            self.notes.fault(where, str(error))
            return
        if caption_id and caption_id in self._taken:
            self.notes.fault(where, f"a second caption has the id {caption_id}")
            return
        self._taken.add(caption_id)
        self._captions.append(_Written(caption_id, text.strip(), image, image.n_captions, where))
        image.n_captions += 1

    def set_split(self, image: CaptionedImage, split: str, where: str) -> bool:
        """Set the split of an image, unless it is empty; False, and a fault, if the image is in another split already."""
        if split and image.split not in ("", split):
            self.notes.fault(where, f"{image.place} is in the split {image.split} before, and in {split} here")
            return False
        image.split = split or image.split
        return True

    def name_all(self) -> None:
        """Set the ids of images and captions. A caption whose id would be that of another caption is a fault.

        The ids of images are the names of their files, or their paths if two files have the same name.
        """
        names = [_name_of(place) for place in self.images]
        are_unique = len(set(names)) == len(names)
        for name, image in zip(names, self.images.values(), strict=True):
            image.image_id = name if are_unique else "/".join(SEPARATORS.split(image.place))
        self._captions = [written for written in self._captions if written.named or self._is_new(written)]

    def _is_new(self, written: _Written) -> bool:
        """Whether no caption has the id that this one gets; otherwise it is a fault."""
        if is_taken := written.caption_id in self._taken:
            self.notes.fault(written.where, f"the caption has no id, and {written.caption_id} is the id of another one")
            written.image.n_captions -= 1
        self._taken.add(written.caption_id)
        return not is_taken

    def captions(self) -> list[Caption]:
        """All captions in the order of the file, after the images have ids. Those without an id are called `image#0`."""
        return [Caption(written.caption_id, written.text, written.image) for written in self._captions]


def _name_of(place: str) -> str:
    """The name of the file."""
    return SEPARATORS.split(place)[-1]
