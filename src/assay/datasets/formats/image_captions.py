"""image_captions: images with several captions each, as a benchmark in two directions: COCO, Karpathy, Flickr30k, tables.

COCO: https://cocodataset.org/#format-data, section "Image Captioning". Karpathy's splits: dataset.json of
https://cs.stanford.edu/people/karpathy/deepimagesent. Flickr30k: results.csv of Young et al. 2014, TACL 2.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import islice
from pathlib import Path

from assay.datasets.dataset import BenchmarkDataset, Notes, require_queries
from assay.datasets.format import Format
from assay.datasets.media.caption_layouts import read_coco, read_karpathy
from assay.datasets.media.caption_sets import CaptionedImage, CaptionSet
from assay.datasets.media.caption_tables import TABLE_FILES, is_caption_table, read_caption_table
from assay.datasets.media.media_files import ANNOTATIONS, find_media
from assay.datasets.probe import Probe
from assay.errors import DataError, UnknownName, near_matches
from assay.files import note_opened
from assay.model import IMAGE, Document, Query
from assay.text import counted, some_of

EXAMPLE = """\
{"images": [{"id": 139, "file_name": "000000000139.jpg"}],
 "annotations": [{"id": 67317, "image_id": 139, "caption": "A woman stands in the dining area at the table."},
                 {"id": 81877, "image_id": 139, "caption": "A room with chairs, a table, and a woman in it."}]}"""
TO_IMAGE, TO_TEXT = "text_to_image", "image_to_text"
DIRECTIONS = (TO_IMAGE, TO_TEXT)
"""What is searched with what; the first is the default."""
COCO, KARPATHY, TABLE = "coco", "karpathy", "table"
READERS: dict[str, Callable[[Path, Notes], CaptionSet]] = {
    COCO: read_coco,
    KARPATHY: read_karpathy,
    TABLE: read_caption_table,
}
FOLDERS = ("images", "flickr30k-images", "flickr30k_images", "Images", "Flicker8k_Dataset")
"""Usual folders of images, after the place in the file itself and the split in the name of COCO's file."""
N_TRIED = 20
"""How many images are looked for to find their folder, and in how many folders beside the usual ones."""
NAMES = ("dataset.json", "dataset_*.json", "results.csv", "results_*.csv", "captions.*", "metadata.*", "*.token.txt")
"""Files with captions, the likeliest first, after those of COCO. Other tables follow in alphabetical order."""
SPLITS = ("test", "val", "train")
"""Which split is read if the file has several, in this order."""


def read_image_captions(path: Path, subset: str | None = None) -> BenchmarkDataset:
    """By default the captions are the queries and the images are the documents: `text_to_image`. `folder:image_to_text` is
    the other direction: the images are the queries, which have no text, and the captions are the documents. An image has
    several captions, so a caption has one relevant image, and an image has several relevant captions, all of grade 1.

    A table is CSV, TSV, JSON lines or Parquet with a column for the image and one for the caption, such as image and
    caption, or file_name and text in a metadata.csv; `--columns image=NAME,caption=NAME` names other columns. It may have a
    column split. A list of captions in one cell of JSON lines or Parquet is several captions.

    The id of an image is the name of its file, or its path if two images have the same name. The id of a caption is its `id`
    in COCO, its `sentid` in Karpathy's dataset.json, its `caption_id` in a table, else `image.jpg#0`, `image.jpg#1` …
    Captions and images are in the order of the file. The path of an image is relative to the folder: the place in the file,
    or that place in the folder `images`, `flickr30k-images` or, for captions_val2017.json, `val2017`, or in another folder
    that has it. If the images are not there and the file has their URLs, the URL is kept as text. Nothing is fetched.

    Of several splits, the first of test, val and train is read, and Karpathy's restval belongs to train;
    `folder:val,image_to_text` chooses split and direction. Images without a split are left out of such a file, with a note.
    In a folder with several files of COCO's captions, the split is the end of the file name: `coco:val2017,image_to_text`.
    The dataset's name includes the direction.
    """
    direction, words = _parse_subset(path, subset)
    layout, file, split = _file_of(path, words[0] if words else "")
    note_opened(file)
    notes = Notes(str(file))
    caption_set = READERS[layout](file, notes)
    caption_set.name_all()
    notes.raise_if_any(len(caption_set.images))
    chosen, used = _of_split(caption_set.images.values(), split if layout != COCO else "", words, path)
    folder = file.parent.parent if file.parent.name == ANNOTATIONS and path.name != ANNOTATIONS else file.parent
    _locate(chosen, folder if path.is_file() else path, _coco_split(file) if layout == COCO else "")
    _note_losses(notes, chosen, caption_set.images.values(), used if layout != COCO else "")
    name = path.resolve().name.partition(".")[0]
    dataset = BenchmarkDataset(":".join(filter(None, (name, used, direction))), repairs=notes.repairs)
    dataset.metadata |= {"direction": direction, **({"split": used} if used else {})}
    _fill(dataset, chosen, caption_set, direction)
    return require_queries(dataset, str(file))


def _parse_subset(path: Path, subset: str | None) -> tuple[str, list[str]]:
    """The direction after the colon, and the split if one is named."""
    words = [word.strip() for word in (subset or "").split(",") if word.strip()]
    direction = next((word for word in words if word in DIRECTIONS), TO_IMAGE)
    rest = [word for word in words if word not in DIRECTIONS]
    if len(rest) > 1 or len(words) - len(rest) > 1:
        expected = f"one direction ({' or '.join(DIRECTIONS)}) and at most one split"
        raise DataError(f"expected {expected} after the colon, found {subset!r}", source=path)
    return direction, rest


def _fill(dataset: BenchmarkDataset, images: Sequence[CaptionedImage], caption_set: CaptionSet, direction: str) -> None:
    """Queries, documents and judgments of one direction, in the order of the file."""
    chosen = {id(image) for image in images}
    captions = [caption for caption in caption_set.captions() if id(caption.image) in chosen]
    for image in images:
        metadata = {IMAGE: image.place}
        if direction == TO_IMAGE:
            dataset.add_document(Document(image.image_id, metadata=metadata))
        elif image.n_captions:
            dataset.add_query(Query(image.image_id, metadata=metadata))
            dataset.qrels[image.image_id] = {}
    for caption in captions:
        if direction == TO_IMAGE:
            dataset.add_query(Query(caption.caption_id, caption.text))
            dataset.qrels[caption.caption_id] = {caption.image.image_id: 1}
        else:
            dataset.add_document(Document(caption.caption_id, caption.text))
            dataset.qrels[caption.image.image_id][caption.caption_id] = 1


def _file_of(path: Path, split: str) -> tuple[str, Path, str]:
    """The layout, the file with the captions, and the split that is still to be chosen."""
    if path.is_file():
        return _layout(path) or COCO, path, split
    coco = _coco_files(path)
    if coco:
        by_split = {_coco_split(file): file for file in coco}
        if split and split not in by_split:
            raise _unknown_split(path, split, by_split)
        if not split and len(coco) > 1:
            names = " or ".join(f"{path.name}:{name}" for name in by_split)
            raise DataError(f"the folder has captions of several splits; write {names}", source=path)
        return COCO, by_split[split or next(iter(by_split))], ""
    for file in _other_files(path):
        if layout := _layout(file):
            return layout, file, split
    expected = "captions_*.json, dataset.json, results.csv, or a table with the columns image and caption"
    raise DataError(f"expected {expected} in this folder, found none", source=path)


def _unknown_split(path: Path, split: str, known: Iterable[str]) -> UnknownName:
    choices = [*known]
    return UnknownName(
        f"split or direction of {path}",
        split,
        near_matches(split, (*choices, *DIRECTIONS)),
        f"splits: {', '.join(choices) or 'none'}; directions: {', '.join(DIRECTIONS)}",
    )


def _of_split(
    images: Collection[CaptionedImage], split: str, words: list[str], path: Path
) -> tuple[list[CaptionedImage], str]:
    """The images of one split, and its name; all images if the file has no splits."""
    known = dict.fromkeys(image.split for image in images if image.split)
    if not split and words and not known and path.is_file():
        raise _unknown_split(path, words[0], ())
    if split and split not in known:
        raise _unknown_split(path, split, known)
    used = split or next((name for name in SPLITS if name in known), next(iter(known), ""))
    return [image for image in images if not used or image.split == used], used


def _note_losses(notes: Notes, chosen: Iterable[CaptionedImage], images: Iterable[CaptionedImage], split: str) -> None:
    """Note images that cannot be used: without captions, or without a split in a file with splits."""
    without = [image.image_id for image in chosen if not image.n_captions]
    if without:
        notes.lose("", f"{counted(len(without), 'image')} without captions ({some_of(without)})")
    unsplit = [image.image_id for image in images if split and not image.split]
    if unsplit:
        notes.lose("", f"{counted(len(unsplit), 'image')} without a split, in a file with splits ({some_of(unsplit)})")


def _locate(images: Sequence[CaptionedImage], folder: Path, split: str) -> None:
    """Set the places of images relative to the folder; if the images are not there, their URLs, if there are any."""
    others = (entry.name for entry in sorted(folder.iterdir()) if entry.is_dir()) if folder.is_dir() else ()
    places = ["", *([split, f"images/{split}"] if split else []), *FOLDERS, *islice(others, N_TRIED)]
    some = images[:N_TRIED]
    holder = next((place for place in places if any(_is_in(folder, place, image) for image in some)), None)
    for image in images:
        if holder:
            image.place = f"{holder}/{image.place}"
        elif holder is None and image.address:
            image.place = image.address


def _is_in(folder: Path, place: str, image: CaptionedImage) -> bool:
    """Whether the image is in this place of the folder."""
    return find_media(folder, f"{place}/{image.place}" if place else image.place).path is not None


def _coco_files(folder: Path) -> list[Path]:
    return sorted(file for place in (folder / ANNOTATIONS, folder) for file in place.glob("captions_*.json"))


def _coco_split(file: Path) -> str:
    return file.name.removeprefix("captions_").partition(".")[0] if file.name.startswith("captions_") else ""


def _other_files(folder: Path) -> list[Path]:
    usual = [file for name in NAMES for file in sorted(folder.glob(name))]
    others = sorted(file for file in folder.iterdir() if file.suffix.lower() in TABLE_FILES)
    return list(dict.fromkeys(file for file in (*usual, *others[:N_TRIED]) if file.is_file()))


def _layout(path: Path) -> str:
    """The layout of a file; empty if it has none of these layouts."""
    probe = Probe(path)
    if probe.suffix == ".json" and not probe.is_list:
        if {"images", "annotations"} <= probe.outer_keys and "caption" in probe.keys_under("annotations"):
            return COCO
        return KARPATHY if "images" in probe.outer_keys and "sentences" in probe.keys_under("images") else ""
    return TABLE if is_caption_table(probe) else ""


def detect(probe: Probe) -> bool:
    """A file in one of the layouts, or a folder with one."""
    if not probe.names:
        return probe.path.is_file() and bool(_layout(probe.path))
    is_other = any(name.partition(".")[0] in ("queries", "corpus", "qrels", "documents") for name in probe.names)
    return not is_other and bool(_coco_files(probe.path) or any(map(_layout, _other_files(probe.path))))


FORMAT = Format(
    "image_captions",
    "images with captions, in both directions: COCO, Karpathy's splits, Flickr30k, any table; folder:image_to_text",
    read_image_captions,
    detect,
    example=EXAMPLE,
    needs="a folder with captions.csv (image, caption), captions_*.json, dataset.json or results.csv, or one of these files",
    read_split=read_image_captions,
    rank=40,
    default_metrics=("rsum", "hit@1", "hit@5", "hit@10", "median_rank@100"),
)
