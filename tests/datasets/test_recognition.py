"""Recognition: every sample is its own format and no other, and data that nobody knows gets the three nearest formats."""

import json

import pytest

from assay import DataError
from assay.datasets import Probe, all_formats, detect_format, load_dataset

from ._benchmarks import SAMPLES
from ._cases import write
from ._files import put, put_all
from .test_formats import BY_NAME, SAMPLE_OF

MORE = {
    "beir": [SAMPLES / "cqadupstack" / "android"],
    "code_spans": [SAMPLES / "repo_eval"],
    "dpr": [SAMPLES / "dpr" / "retriever_output.json"],
    "golden": [SAMPLES / "golden" / "golden.csv", SAMPLES / "golden" / "golden.json"],
    "hotpotqa": sorted((SAMPLES / "hotpotqa").iterdir()),
    "hpo_cases": [SAMPLES / "hpo" / "de" / "enhanced.json", SAMPLES / "hpo" / "german" / "tiny_v1.json"],
    "letor": [SAMPLES / "letor.txt"],
    "locomo": [SAMPLES / "locomo_folder", SAMPLES / "locomo_folder" / "conv-10.json"],
    "mteb": [SAMPLES / "mteb"],
    "rag_template": [SAMPLES / "rag_template_lines.jsonl"],
}
OWN_SAMPLES = [(name, path) for name, path in SAMPLE_OF.items() if name not in BY_NAME]
ALL_SAMPLES = OWN_SAMPLES + [(name, path) for name, paths in MORE.items() for path in paths]


@pytest.mark.parametrize(("name", "path"), ALL_SAMPLES, ids=[f"{name}-{path.name}" for name, path in ALL_SAMPLES])
def test_a_sample_is_its_own_format_and_no_other_of_the_same_rank(name, path):
    assert detect_format(path).name == name
    probe, rank = Probe(path), all_formats()[name].rank
    claims = {one.name: one.rank for one in all_formats().values() if one.detect(probe)}
    assert [other for other, its_rank in claims.items() if its_rank >= rank] == [name]


def test_every_format_has_a_sample_and_says_what_it_needs():
    by_name_alone = {"ir_datasets", *BY_NAME}
    by_name_alone.add("parquet")  # binary files: test_formats reads what its writer writes
    assert {name for name, _ in ALL_SAMPLES} | by_name_alone == set(all_formats())
    assert [one.name for one in all_formats().values() if not one.needs] == [], "give `needs` to the record of these formats"


QUESTION = {"_id": "q1", "question": "Why?", "answer": "Because."}
HOTPOT = {**QUESTION, "supporting_facts": [["A", 0]], "context": [["A", ["One."]]]}
NEAR_MISSES = {
    "renamed columns": ("golden.csv", "frage,ids\nWie lange?,d1\n", "golden"),
    "a renamed field of hotpotqa": (
        "h.json",
        [{**QUESTION, "supporting_facts": [["A", 0]], "contexts": [["A", ["One."]]]}],
        "hotpotqa",
    ),
    "a renamed field of dpr": ("d.json", [{"question": "?", "answers": ["!"], "pos_ctxs": [{"text": "x"}]}], "dpr"),
    "a renamed field of miracl": ("m.jsonl", [{"query": "?", "positive_passage": [{"docid": "1", "text": "x"}]}], "miracl"),
    "a wrong container": ("h.json", {"train": [HOTPOT]}, ""),
    "an empty file": ("golden.json", "", ""),
    "an empty table": ("golden.csv", "", "golden"),
    "a table without header": ("golden.csv", "1,how long?,d1\n2,why?,d2\n", "golden"),
    "a run of TREC": ("bm25.run", "q1 Q0 d1 1 3.5 bm25\nq1 Q0 d2 2 3.1 bm25\n", "trec"),
    "a random object": ("x.json", {"name": "x", "values": [1, 2]}, ""),
    "a plan": ("plan.yaml", "benchmarks: [x]\nproviders: [bm25]\n", ""),
    "half of BEIR": ("folder", {"corpus.jsonl": "x", "notes.txt": "x"}, "beir"),
    "nothing": ("folder", {}, "beir"),
}


def placed(folder, name, content):
    return put_all(folder / name, content) if name == "folder" else put(folder / name, content)


@pytest.mark.parametrize("case", NEAR_MISSES)
def test_what_nobody_knows_is_never_guessed(tmp_path, case):
    name, content, near = NEAR_MISSES[case]
    with pytest.raises(DataError) as refused:
        load_dataset(placed(tmp_path, name, content))
    reasons = [line.split(" needs ")[0].strip() for line in str(refused.value).splitlines() if " needs " in line]
    assert len(reasons) == 3
    assert set(reasons) <= set(all_formats())
    assert near in reasons if near else True


def test_what_nobody_knows_gets_the_nearest_formats(snapshots, tmp_path):
    def refused(name, content):
        return lambda: load_dataset(placed(tmp_path, name, content))

    cases = {case: refused(name, content) for case, (name, content, _) in NEAR_MISSES.items()}
    snapshots.check_errors("datasets/nearest_formats", cases)


def test_judgments_alone_are_known(tmp_path):
    assert detect_format(write(tmp_path / "qrels.txt", "q1 0 d1 1\nq1 0 d2 0\n")).name == "trec"


def test_a_large_file_is_not_read_to_find_the_nearest_formats(tmp_path, monkeypatch):
    """The look at a list or at lines ends soon after the first record, whatever the format."""
    line = json.dumps({"frage": "?", "text": "x" * 1000}) + "\n"
    path = write(tmp_path / "large.jsonl", line * 5000)
    n_read = 0
    opened = type(path).open

    def counting(self, *given, **named):
        file = opened(self, *given, **named)
        read = file.read

        def counted_read(*size):
            nonlocal n_read
            content = read(*size)
            n_read += len(content)
            return content

        if self == path and hasattr(file, "read"):
            file.read = counted_read
        return file

    monkeypatch.setattr(type(path), "open", counting)
    with pytest.raises(DataError):
        detect_format(path)
    assert 0 < n_read < path.stat().st_size
