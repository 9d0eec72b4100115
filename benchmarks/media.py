"""Images and captions: both directions of a set as large as COCO's test set, against a plain loop in NumPy.

Both sides start from the same files: captions in the layout of COCO, and one .npz file with the embeddings of images and
captions. Each is a whole process: start, reading, search, ranks and metrics.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks._data import FOLDER
from benchmarks._timing import Row, take_turns_as_processes, within, within_in_turns

N_IMAGES, N_CAPTIONS, WIDTH = 5_000, 5, 256
"""Images, captions of each image, and numbers in a vector."""
NOISE = 6.0
"""How far a caption is from its image, so that about half of the first hits are right."""
TRIES = 3
OURS = """
import sys
import assay
folder, k = sys.argv[1], sys.argv[2]
metrics = ["rsum", "hit@1", "hit@5", "hit@10"] + ([f"median_rank@{k}", f"mean_rank@{k}"] if k != "0" else [])
for direction in ("text_to_image", "image_to_text"):
    result = assay.run(f"{folder}:{direction}", f"vectors:{folder}/vectors.npz", metrics, k=max(int(k), 10))
    print(direction, *(f"{value:.6f}" for value in result.summary.values()))
"""
THEIRS = """
import json, sys
import numpy as np
folder, k = sys.argv[1], int(sys.argv[2])
content = json.load(open(f"{folder}/captions_test.json"))
saved = np.load(f"{folder}/vectors.npz")
row = {name: place for place, name in enumerate(saved["ids"].tolist())}
vectors = saved["vectors"] / np.linalg.norm(saved["vectors"], axis=1, keepdims=True)
name = {image["id"]: image["file_name"] for image in content["images"]}
place = {image["id"]: number for number, image in enumerate(content["images"])}
images = vectors[[row[image["file_name"]] for image in content["images"]]]
captions = vectors[[row[str(caption["id"])] for caption in content["annotations"]]]
owner = np.array([place[caption["image_id"]] for caption in content["annotations"]])
similarity = images @ captions.T
def report(direction, ranks):
    hits = [100 * np.mean(ranks < cutoff) for cutoff in (1, 5, 10)]
    limited = np.minimum(ranks, k) + 1
    more = [np.median(limited), np.mean(limited)] if k else []
    print(direction, *(f"{value:.6f}" for value in (sum(hits), *(hit / 100 for hit in hits), *more)))
ranks = np.empty(len(captions))
for number in range(len(captions)):
    ranks[number] = np.flatnonzero(np.argsort(-similarity[:, number]) == owner[number])[0]
report("text_to_image", ranks)
ranks = np.empty(len(images))
for number in range(len(images)):
    ranks[number] = np.flatnonzero(owner[np.argsort(-similarity[number])] == number)[0]
report("image_to_text", ranks)
"""


def measure() -> Iterator[Row]:
    """CPU time and peak memory, with hits alone, and with median and mean rank among 100 documents."""
    folder = str(make_captions())
    for k, name, most in ((0, "hit@k and rsum", 4.0), (100, "… and the median and mean rank in the first 100", 8.0)):
        commands = [[sys.executable, "-c", script, folder, str(k)] for script in (OURS, THEIRS)]
        ours, theirs = take_turns_as_processes(*commands, tries=TRIES)
        yield within_in_turns(name, "NumPy, argsort of each row", ours, theirs, most)
        yield within("… peak memory", "NumPy", ours.megabytes, theirs.megabytes, 1.0, unit="MB")


def make_captions() -> Path:
    """The captions and vectors, once."""
    folder = FOLDER / f"captions-{N_IMAGES}"
    if (folder / "vectors.npz").exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    images = rng.normal(size=(N_IMAGES, WIDTH)).astype(np.float32)
    owners = rng.permutation(np.repeat(np.arange(N_IMAGES), N_CAPTIONS))
    captions = images[owners] + NOISE * rng.normal(size=(len(owners), WIDTH)).astype(np.float32)
    names = [f"{number:012}.jpg" for number in range(N_IMAGES)]
    content = {
        "images": [{"id": number, "file_name": name} for number, name in enumerate(names)],
        "annotations": [
            {"id": number, "image_id": owner, "caption": f"caption {number} of image {owner}"}
            for number, owner in enumerate(owners.tolist())
        ],
    }
    (folder / "captions_test.json").write_text(json.dumps(content))
    ids = np.array([*names, *map(str, range(len(owners)))])
    np.savez(folder / "vectors.npz", ids=ids, vectors=np.concatenate([images, captions]))
    return folder
