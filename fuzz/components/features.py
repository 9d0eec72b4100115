"""Files with features: NumPy and the strict reader accept and read the same; and files of scores for them."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import assay
from assay import load_dataset
from assay.datasets import find_format
from assay.files import FileSource, read_features
from assay.files.blocks import feature_blocks
from assay.files.blocks.trec_blocks import Unusual
from assay.files.features import reader
from fuzz.component import Component
from fuzz.components._database import share_database
from fuzz.components._same import same
from fuzz.files import join_files, split_files, write_file

SEEDS = [
    b"2 qid:10 1:0.031310 2:0.666667 46:0.007042 #docid = GX008-86-4444840 inc = 1 prob = 0.08\n",
    b"0 qid:10 1:0.078682 2:0.166667 46:0.021127 #docid = GX037-06-11625428\n1 qid:11 1:1 2:-2e-3 46:3 #docid = x\n",
    b"3 qid:1 1:1 2:1 3:0 4:0.2 5:0 # 1A\n2 qid:1 1:0 2:0 3:1 4:0.1 5:1 # 1B\n1 qid:2 1:0 2:1 # \xc3\xa9\n",
    b"1 qid:1 0:3 7:1.5 \n0 qid:1 7:0 \n0 qid:2 3:12345678901234567890 5:NULL \n",
    b"0 qid:a\n1 qid:a 1:7\r\n# comment\n\n1 qid:b 16383:1\n",
]
TOKENS = tuple(b"qid: #docid = 1:0.5 2:1e-5 NULL nan inf 99999:1 0: -1 :: 1e39 qid:1 # \t \r\n \xff".split(b" "))

share_database()


def _shown(path: Path, *, is_quick: bool, block: int) -> Any:
    parse = feature_blocks.parse_block if is_quick else mock.Mock(side_effect=Unusual)
    with mock.patch.object(reader, "parse_block", parse), mock.patch.object(feature_blocks, "BLOCK", block):
        table = read_features(FileSource(path))
    values = table.values.tobytes()
    return table.query_ids, table.offsets.tolist(), table.labels.tolist(), list(table.documents), values, table.first


def _check(data: bytes) -> object:
    path = write_file("features.txt", data)
    same("blocks", lambda: _shown(path, is_quick=True, block=1 << 19), lambda: _shown(path, is_quick=True, block=48))
    same("strict", lambda: _shown(path, is_quick=True, block=1 << 19), lambda: _shown(path, is_quick=False, block=1 << 19))
    dataset = load_dataset(path, "letor")
    return dataset.fingerprint("documents"), dataset.fingerprint("judgments")


def _line(random: Random) -> str:
    value = random.choice(("0", "0.5", "-1.25", "1e-3", "123456.789", "0.123456", "7"))
    numbers = sorted(random.sample(range(1, 30), random.randint(0, 6)))
    features = " ".join(f"{number}:{value}" for number in numbers)
    doc = random.randint(0, 99)
    comment = random.choice(("", f" #docid = d{doc}", f" # d{doc}", " "))
    return f"{random.randint(0, 4)} qid:{random.randint(1, 3)} {features}{comment}\n"


def _make(random: Random) -> bytes:
    lines = sorted((_line(random) for _ in range(random.randint(1, 8))), key=lambda line: line.split()[1])
    return "".join(lines).encode()


def _check_scores(data: bytes) -> object:
    """A file of features, and a file of scores."""
    files = split_files(data)
    truth, scores = (write_file(f"of-{name}", files.get(name, b"")) for name in ("features.txt", "scores.txt"))
    return assay.evaluate(str(truth), str(scores), "ndcg@5").summary


def _score_seeds() -> list[bytes]:
    scores = [b"0.5\n1\n-2e3\n", b"10\t0\t0.5\n10\t1\t3\n11\t0\t1\n", b"10 Q0 GX008-86-4444840 1 3 x\n"]
    return [join_files({"features.txt": SEEDS[0], "scores.txt": some}) for some in scores]


COMPONENTS = [
    Component("features", _check, lambda: SEEDS, tokens=TOKENS, make=_make, covers=(f"format {find_format('letor').name}",)),
    Component("row_scores", _check_scores, _score_seeds, "folder", tokens=TOKENS),
]
