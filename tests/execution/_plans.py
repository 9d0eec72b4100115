"""What tests of whole evaluations share: two saved benchmarks, plans over them, and the logs that they leave."""

from __future__ import annotations

import json
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.execution import Plan
from assay.metrics import parse_metrics
from assay.providers import BoundProvider

from ._retrievers import AT_ONCE, benchmark, own


def save_benchmarks(folder: Path) -> Path:
    """Two benchmarks, one and two, with the same query ids and different documents relevant."""
    for name, shift in (("one", 0), ("two", 1)):
        (folder / name).mkdir()
        dataset = benchmark(3, name)
        dataset.qrels = {f"q{n}": {f"d{(n + shift) % 3}": 2.0, "dx": 1.0} for n in range(3)}
        dataset.documents[f"only {name}"] = replace(dataset.documents["d0"], doc_id=f"only {name}")
        dataset.save_json(folder / name / "b.json")
    return folder


def plan(saved: Path, *given: Any, folders: tuple[str, ...] = ("one",), **more: Any) -> Plan:
    """A plan that asks retrievers, told0 and so on, or providers about saved benchmarks, each query once."""
    providers = tuple(
        one if isinstance(one, BoundProvider) else own(one, f"told{number}") for number, one in enumerate(given)
    )
    benchmarks = tuple(str(saved / folder / "b.json") for folder in folders)
    usual = {"metrics": tuple(parse_metrics(["mrr", "ndcg@10"])), "retry_policy": AT_ONCE}
    return Plan(benchmarks, providers, **{**usual, **more})


def read_log(path: Path) -> list[dict[str, Any]]:
    """The lines of a log that are whole: the header, then answers of parts."""
    lines = [line.partition(b" ") for line in path.read_bytes().splitlines()]
    return [json.loads(text) for checksum, _, text in lines if checksum == b"%08x" % zlib.crc32(text)]


def sealed(text: bytes) -> bytes:
    """A line of a log: a text with its checksum."""
    return b"%08x %b\n" % (zlib.crc32(text), text)


def write_log(path: Path, lines: list[Any]) -> None:
    """A log of these lines."""
    path.write_bytes(b"".join(sealed(json.dumps(line).encode()) for line in lines))
