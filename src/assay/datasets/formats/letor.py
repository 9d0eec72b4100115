"""letor: a benchmark for learning to rank, whose documents have labels and features (LETOR, SVMlight with qid)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import accumulate
from pathlib import Path

from assay.datasets.corpus import FeatureDocuments
from assay.datasets.dataset import BenchmarkDataset, Repair
from assay.datasets.folder_files import named_files
from assay.datasets.format import Format
from assay.datasets.probe import Probe
from assay.errors import DataError, UnknownName, UsageError, near_matches
from assay.files import BOM, COMPRESSIONS, FileSource, group_files, is_feature_line, note_opened, read_features
from assay.model import FeatureTable, Query
from assay.text import some_of

EXAMPLE = """\
2 qid:10 1:0.031310 2:0.666667 46:0.007042 #docid = GX008-86-4444840
0 qid:10 1:0.078682 2:0.166667 46:0.021127 #docid = GX037-06-11625428

A folder may have train.txt, vali.txt and test.txt, or folders Fold1 … Fold5 with these files."""
SPLITS = {"test": ("test",), "vali": ("vali", "valid", "validation", "dev"), "train": ("train", "training")}
"""Split → the names that its file may have."""
PLAIN_ENDINGS = (".txt", ".svm", ".svmlight", ".libsvm", ".dat", "")
ENDINGS = tuple(f"{ending}{packed}" for ending in PLAIN_ENDINGS for packed in ("", *COMPRESSIONS))
FOLD = re.compile(r"fold[ _-]?(\d+)", re.IGNORECASE)
FOLD_TAG = "fold"
DEFAULT = "test"
DRAWN = re.compile(r"(?P<n>\d{1,6})-folds|(?P<other>not-)?(?P<fold>[1-9]\d{0,5})-of-(?P<m>\d{1,6})")


def read_letor(path: Path, split: str = DEFAULT) -> BenchmarkDataset:
    """Each line has a label, `qid:` and the id of the query, features with their numbers, and a comment after `#`.

    `docid = X` in the comment, or the first word of any other comment, is the id of the document. Documents without an id
    are numbered within their query: `10:1`. The lines of a query must be together, and the numbers of features ascending.
    A query searches only its own documents. The label is the grade. A feature that a line does not have is absent, which
    is 0 for some models and missing for others.

    Lines without `qid:` need a second file with the number of documents of each query, one number per line:
    `train.txt.query`, as for LightGBM, or `train.txt.group`, as for XGBoost. The queries are then numbered from 1. If the
    lines have `qid:` as well, both must agree.

    A folder is read by splits: `Fold1:train`, `Fold1:vali`, `Fold1:test`, or `Fold1`, which means `Fold1:test`. In a folder
    with Fold1 … Fold5 the test queries of all folds are read, and each query has the tag `fold`; `folder:Fold2` and
    `folder:Fold2/vali` read one fold.

    Queries of any files can be divided at random into groups of equal size, always in the same way: `data.txt:5-folds`
    gives each query a tag `fold` from 1 to 5, `data.txt:2-of-5` has the queries of the second group, and
    `data.txt:not-2-of-5` the other queries, for training.
    """
    drawn = DRAWN.fullmatch(split)
    files = _files(path, "test" if drawn else split)
    sources = [FileSource.at(file) for file in files.values()]
    table = read_features(*sources)
    tags = dict(_tags(table, list(files))) if len(files) > 1 else {}
    if drawn:
        table, tags = _draw(table, drawn, path)
    name = path.resolve().name if path.is_dir() else sources[0].name
    dataset = BenchmarkDataset(name if split == DEFAULT else f"{name}-{split.replace('/', '-')}")
    dataset.queries = {query: Query(query, scope=query, metadata=tags.get(query)) for query in table.query_ids}
    dataset.qrels = table.grades()
    dataset.features, dataset.documents = table, FeatureDocuments(table)
    for source in sources:
        notes = (note.removeprefix(f"{source.label}: ").rstrip(".") for note in source.notes)
        dataset.repairs += [Repair(source.label, note, code="ids") for note in notes]
    return dataset


def _tags(table: FeatureTable, folds: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Each query with the fold of its file."""
    ends = [0, *accumulate(table.queries_per_file)]
    for fold, begin, end in zip(folds, ends, ends[1:], strict=False):
        yield from ((query, {FOLD_TAG: fold}) for query in table.query_ids[begin:end])


def _draw(table: FeatureTable, drawn: re.Match[str], path: Path) -> tuple[FeatureTable, dict[str, dict[str, str]]]:
    """The queries of one group or of all groups, with the number of the group as a tag."""
    n_folds, wanted = int(drawn["n"] or drawn["m"]), int(drawn["fold"] or 0)
    if not 2 <= n_folds <= len(table.query_ids) or wanted > n_folds:
        message = f"{drawn[0]}: expected 2 to {len(table.query_ids):,} groups of queries, and the number of one of them"
        raise UsageError(f"{path}: {message}")
    order = sorted(table.query_ids, key=lambda query: blake2b(query.encode("utf-8", "surrogatepass")).digest())
    fold = {query: place % n_folds + 1 for place, query in enumerate(order)}
    is_other = drawn["other"] is not None
    queries = [query for query in table.query_ids if not wanted or (fold[query] == wanted) != is_other]
    tags = {query: {FOLD_TAG: str(fold[query])} for query in queries}
    return table if not wanted else table.of_queries(queries), tags


def _files(path: Path, split: str) -> dict[str, Path]:
    """Fold → its file; one file has no fold."""
    if path.is_file() or not path.exists():
        if split != DEFAULT:
            raise UsageError(f"{path}: a file has no split {split!r}. Groups of queries are written as {path.name}:2-of-5")
        return {"": path}
    folds = _folds(path)
    fold, _, part = split.rpartition("/")
    for folder in (path, *folds.values()):
        for file in named_files(folder, [name for names in SPLITS.values() for name in names], ENDINGS):
            for opened in (file, *group_files(file)):
                note_opened(opened)  # the other splits are parts of the benchmark too
    if not folds:
        return {"": _split_file(path, split)}
    if not fold and split not in SPLITS:
        fold, part = split, DEFAULT
    if fold and fold not in folds:
        raise UnknownName("fold", fold, near_matches(fold, folds), f"{path} has {', '.join(folds)}")
    return {name: _split_file(folder, part) for name, folder in folds.items() if fold in ("", name)}


def _folds(path: Path) -> dict[str, Path]:
    """The folders of folds by name, in the order of their numbers."""
    folders = [
        (int(match[1]), entry) for entry in path.iterdir() if entry.is_dir() and (match := FOLD.fullmatch(entry.name))
    ]
    return {entry.name: entry for _, entry in sorted(folders)}


def _split_file(folder: Path, split: str) -> Path:
    """The file of a split."""
    if split not in SPLITS:
        raise UnknownName("split", split, near_matches(split, SPLITS), f"choose from {', '.join(SPLITS)}")
    if files := named_files(folder, SPLITS[split], ENDINGS):
        return files[0]
    raise DataError(
        f"expected a file {SPLITS[split][0]}.txt, found {some_of(sorted(map(_name, folder.iterdir())))}", source=folder
    )


def _name(path: Path) -> str:
    return path.name


def detect(probe: Probe) -> bool:
    """A file whose first line has a label and `qid:`, or a folder with such files for the splits or folds."""
    if not probe.path.is_dir():
        lines = (line for line in probe.head.removeprefix(BOM).splitlines() if line.strip() and not line.startswith(b"#"))
        return is_feature_line(next(lines, b""))
    folders = [probe.path, *_folds(probe.path).values()]
    names = [name for split in SPLITS.values() for name in split]
    return any(detect(Probe(file)) for folder in folders for file in named_files(folder, names, ENDINGS)[:1])


FORMAT = Format(
    "letor",
    "documents with labels and features for learning to rank (LETOR, SVMlight); folder:Fold1/vali reads one split of a fold",
    read_letor,
    detect,
    example=EXAMPLE,
    needs="lines such as: 2 qid:10 1:0.03 2:0.67",
    read_split=read_letor,
    rank=5,
    default_metrics=("ndcg@10", "map", "mrr"),
)
