"""Write a small image–caption set in the layout of COCO, its embeddings, and judgments that ignore some pictures.

The pictures are seeded patches of colour, written as PNG by hand. The embedding of a picture is its histogram of colours.
The embedding of a caption is the mean of the histograms of the colours in it.
"""

from __future__ import annotations

import csv
import json
import random
import struct
import sys
import zlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np

SIZE = 24
PALETTE = {
    "red": (200, 40, 40),
    "green": (60, 160, 70),
    "blue": (50, 80, 190),
    "yellow": (235, 205, 60),
    "white": (240, 240, 240),
    "black": (30, 30, 30),
}
BINS = 4
"""Bins of each colour channel in a histogram."""
NOISE = 28
N_PICTURES = 24


def png(pixels: np.ndarray) -> bytes:
    """The pixels (rows × columns × red, green, blue) as a PNG file."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    height, width, _ = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels.astype(np.uint8))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def picture(back: str, front: str, rng: np.random.Generator) -> np.ndarray:
    """A square of one colour on another, with noise."""
    pixels = np.broadcast_to(np.array(PALETTE[back]), (SIZE, SIZE, 3)).copy()
    start, side = rng.integers(2, 8, 2), rng.integers(9, 15)
    pixels[start[0] : start[0] + side, start[1] : start[1] + side] = PALETTE[front]
    return np.clip(pixels + rng.normal(0, NOISE, pixels.shape), 0, 255)


def histogram(pixels: np.ndarray) -> np.ndarray:
    """The share of pixels in each bin of the colour cube, as a square root, so that cosine compares distributions."""
    bins = np.clip(pixels // (256 // BINS), 0, BINS - 1).astype(int)
    flat = bins[..., 0] * BINS * BINS + bins[..., 1] * BINS + bins[..., 2]
    return np.sqrt(np.bincount(flat.ravel(), minlength=BINS**3) / flat.size)


def captions(back: str, front: str, rng: random.Random) -> list[str]:
    """Three captions; the last one is vague."""
    vague = rng.choice((back, front))
    return [f"a {front} square on a {back} wall", f"{back} paper with a {front} patch", f"something {vague}"]


def of_text(text: str, rng: np.random.Generator) -> np.ndarray:
    """The embedding of a caption: a noisy picture of the colours that it names."""
    named = [colour for colour in PALETTE if colour in text.split()]
    patches = [np.clip(np.array(PALETTE[colour]) + rng.normal(0, NOISE, (SIZE, SIZE, 3)), 0, 255) for colour in named]
    return np.mean([histogram(patch) for patch in patches], axis=0)


def save(path: Path, vectors: dict[str, np.ndarray]) -> None:
    """Ids and vectors in one file, as the provider `vectors` reads them."""
    np.savez(path, ids=np.array(list(vectors)), vectors=np.array(list(vectors.values()), np.float32))


def write_photos(folder: Path, same: Iterable[tuple[str, str]], rng: np.random.Generator) -> None:
    """A search for other photos of the same object: a query by image, with photos of its own camera ignored."""
    rows, judged, vectors = [], [], {}
    for number, (back, front) in enumerate(same):
        for camera in (1, 2):
            for shot in (1, 2):
                name = f"o{number}_c{camera}_{shot}"
                pixels = picture(back, front, rng)
                (folder / f"{name}.png").write_bytes(png(pixels))
                vectors[name] = histogram(pixels)
                rows.append({"doc_id": name, "image": f"{name}.png"})
    names = [row["doc_id"] for row in rows]
    queries = [name for name in names if name.endswith("c1_1")]
    for query in queries:
        others = [name for name in names if name.split("_")[0] == query.split("_")[0]]
        judged += [{"query_id": f"{query}?", "doc_id": name, "grade": "ignore" if "_c1_" in name else 1} for name in others]
        vectors[f"{query}?"] = vectors[query]
    for name, table in (
        ("documents", rows),
        ("queries", [{"query_id": f"{query}?", "image": f"{query}.png"} for query in queries]),
        ("judgments", judged),
    ):
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(table[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(table)
    save(folder.parent / "photos.npz", vectors)


def main() -> None:
    """Write squares/ (captions of pictures), photos/ (photos of objects by two cameras), and their embeddings."""
    rng, choice = np.random.default_rng(7), random.Random(7)  # noqa: S311 (example data, not secrets)
    images, annotations, vectors = [], [], {}
    for folder in ("squares/annotations", "squares/val", "photos"):
        Path(folder).mkdir(parents=True, exist_ok=True)
    for number in range(N_PICTURES):
        back, front = choice.sample(list(PALETTE), 2)
        name = f"p{number:02}.png"
        pixels = picture(back, front, rng)
        (Path("squares/val") / name).write_bytes(png(pixels))
        images.append({"id": number, "file_name": name})
        vectors[name] = histogram(pixels)
        for text in captions(back, front, choice):
            caption = {"id": 100 + len(annotations), "image_id": number, "caption": text}
            annotations.append(caption)
            vectors[str(caption["id"])] = of_text(text, rng)
    content = {"images": images, "annotations": annotations}
    Path("squares/annotations/captions_val.json").write_text(json.dumps(content), encoding="utf-8")
    save(Path("squares.npz"), vectors)
    write_photos(Path("photos"), [("red", "blue"), ("red", "blue"), ("green", "white"), ("green", "white")], rng)
    sys.stdout.write("wrote squares/, photos/, squares.npz and photos.npz\n")


if __name__ == "__main__":
    main()
