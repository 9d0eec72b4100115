"""The pairs that people graded differently, with the texts of their queries if these are known."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from assay.cli.judging.texts import query_texts
from assay.text import counted, cut_off

if TYPE_CHECKING:
    from assay.store import Disagreement, Judgment

TEXT = "text"
HEAD = ("benchmark", "query", TEXT, "document", "state", "counts", "grades")
LONGEST_TEXT = 48


@dataclass(frozen=True)
class Disagreements:
    """Disagreements as rows and as JSON."""

    pairs: Sequence[Disagreement]
    options: argparse.Namespace

    @cached_property
    def texts(self) -> dict[tuple[str, str], str]:
        """Benchmark and query → the text of the query."""
        known = {name: query_texts(self.options, name) for name in {pair.benchmark for pair in self.pairs}}
        every = {(pair.benchmark, pair.query): known[pair.benchmark].get(pair.query, "") for pair in self.pairs}
        return {key: text for key, text in every.items() if text}

    @property
    def head(self) -> list[str]:
        """The names of the columns; none for texts if no text is known."""
        return [title for title in HEAD if title != TEXT or self.texts]

    def rows(self, longest: int | None = None) -> list[list[str]]:
        """A row for each pair, with the grade that counts: the settled one, or the lower median."""
        rows = [dict(zip(HEAD, self._row(pair), strict=True)) for pair in self.pairs]
        for row in rows if longest else ():
            row[TEXT] = cut_off(row[TEXT], longest or 0)
        return [[row[title] for title in self.head] for row in rows]

    def _row(self, pair: Disagreement) -> tuple[str, ...]:
        from assay.store import combined

        each = (*pair.grades, *([pair.settled] if pair.settled else []))
        counts = combined(each)[pair.query][pair.document]
        grades = "; ".join(f"{judgment.judge_label} {judgment.grade:g}{_because(judgment)}" for judgment in each)
        text, state = self.texts.get((pair.benchmark, pair.query), ""), "settled" if pair.settled else "open"
        return (pair.benchmark, pair.query, text, pair.document, state, f"{counts:g}", grades)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Plain JSON values."""
        texts = self.texts
        return [
            {**pair.to_dict(), **({"query_text": texts[key]} if (key := (pair.benchmark, pair.query)) in texts else {})}
            for pair in self.pairs
        ]

    @property
    def closing_line(self) -> str:
        """How many pairs there are, how many of them are open, and what to do."""
        n_open = sum(pair.settled is None for pair in self.pairs)
        where = "To settle them: assay serve, then Queue" if n_open else "All are settled"
        return f"{counted(len(self.pairs), 'disagreement')}, {n_open:,} open. {where}"


def _because(judgment: Judgment) -> str:
    return f" ({judgment.reason})" if judgment.reason else ""
