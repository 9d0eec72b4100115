"""Mixed searches: rows of several queries or variants are told, and no figure depends on the order of lines."""

from __future__ import annotations

import random

import pytest

import assay
from assay.cli import main
from assay.errors import DataError
from assay.experiments import ExperimentOptions

METRICS = ["ctr@4", "reformulation", "satisfied_click@4"]


def rows_of(n: int, variants: str = "AB") -> list[dict[str, object]]:
    """Searches of two rows; in every fifth one, the rows have two queries and variants."""
    rows = []
    for number in range(n):
        for rank in (1, 2):
            other = rank if number % 5 == 0 else 0
            rows.append(
                {
                    "search_id": f"s{number}",
                    "user": f"u{(number // 3) % 40}",
                    "query": ["cats", "dogs", "birds"][(number + other) % 3],
                    "time": f"2026-03-01T10:{number % 60:02}:00Z",
                    "doc_id": f"d{rank}",
                    "rank": rank,
                    "clicked": int((number + rank) % 4 == 0),
                    "dwell": 40,
                    "variant": variants[(number // 3 + other) % len(variants)],
                }
            )
    return rows


def test_no_figure_depends_on_the_order_of_lines():
    rows, logs = rows_of(120), []
    for seed in range(4):
        shuffled = list(rows)
        random.Random(seed).shuffle(shuffled)
        logs.append(assay.evaluate_log(shuffled, METRICS, by="variant"))
    first = logs[0]
    for other in logs[1:]:
        assert other.summary == first.summary
        assert {name: (each.low, each.high) for name, each in other.intervals.items()} == {
            name: (each.low, each.high) for name, each in first.intervals.items()
        }


def test_mixed_searches_are_counted_in_notes_and_in_the_check(tmp_path, monkeypatch, capsys):
    assert "24 searches have rows of several queries or tags" in " ".join(assay.evaluate_log(rows_of(120), METRICS).notes)
    monkeypatch.chdir(tmp_path)
    header, *_ = rows = rows_of(120)
    lines = [",".join(header), *(",".join(map(str, row.values())) for row in rows)]
    (tmp_path / "log.csv").write_text("\n".join(lines))
    assert main(["log", "check", "log.csv"]) == 0
    assert "24 searches have rows of several queries or variants" in capsys.readouterr().out
    same = [row for row in rows if int(str(row["search_id"])[1:]) % 5]
    assert not any("several queries" in note for note in assay.evaluate_log(same, METRICS).notes)


def test_a_user_of_a_search_with_two_variants_has_several():
    rows = rows_of(3, "AB")
    for row in rows:
        row["user"] = "u1"
        row["variant"] = "AB"[int(str(row["doc_id"])[1:]) - 1]
    with pytest.raises(DataError, match="1 user saw several variants, so none can be counted"):
        assay.compare_variants(rows, ["ctr@4"], ExperimentOptions())
    clean = [
        {**row, "search_id": f"{row['search_id']}-{user}", "user": user, "variant": variant}
        for row in rows_of(6)
        for user, variant in (("u2", "A"), ("u3", "A"), ("u4", "B"), ("u5", "B"))
    ]
    assert assay.compare_variants([*rows, *clean], ["ctr@4"], ExperimentOptions()).users.n_several == 1
