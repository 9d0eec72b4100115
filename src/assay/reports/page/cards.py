"""Cards: one query with its text, its scores, and what each system retrieved, side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

from assay.comparison import ranking_of, sign_of
from assay.evaluation import Result
from assay.metrics import BoundMetric
from assay.model import IGNORED, grade_word
from assay.reports.page.marked_words import Piece, Terms, marked
from assay.reports.page.moves import Move, Slope, draw_slope, moves_between, notable_moves
from assay.reports.page.pictures import DOCUMENTS, QUERIES, Picture
from assay.reports.page.subject import BenchmarkReport
from assay.reports.table import Cell, Mark, PlainPart, Table, anchor_of, joined, text_columns
from assay.text import counted, printable

DEPTH = 10
"""Ranks that are shown."""
MAX_MISSED = 10
"""Relevant documents that are shown although they are ranked lower or were not retrieved."""
LONGEST_TEXT = 4_000
"""Characters of a query in its card."""
LONGEST_ANSWER = 2_000
LONGEST_ERROR = 300
LONGEST_DOCUMENT = 180
"""Characters of a document in a ranking."""
JUDGED = "judged"
"""The metric that measures how many of the first documents are judged."""
UNJUDGED = "unjudged"


@dataclass(frozen=True)
class Hit:
    """A document of a ranking, or a relevant document that is not among the first ranks."""

    rank: str
    document: str
    grade: str = ""
    tone: str = ""
    text: tuple[Piece, ...] = ()
    """The beginning of its text, or the part with the words of the query, if texts are available."""
    move: str = ""
    """Its rank in the other ranking: `→ 32 ▼`, `new ▲`."""
    move_tone: str = ""
    move_words: str = ""
    """The move in words."""
    key: str = ""
    """The id of the document, as it is."""
    picture: Picture | None = None


@dataclass(frozen=True)
class Side:
    """What one system retrieved and answered for a query."""

    system: str
    score: str
    hits: tuple[Hit, ...] = ()
    problem: str = ""
    more: str = ""
    answer: str = ""
    """The generated answer, if the system reports answers."""


@dataclass(frozen=True)
class Card:
    """One query: its text, how its score changed, and what each system retrieved."""

    anchor: str
    query: str
    name: str
    text: str
    change: str
    sides: tuple[Side, ...]
    about: tuple[str, ...] = ()
    tone: str = ""
    group: str = ""
    is_open: bool = False
    expected: str = ""
    """The expected answer."""
    moves: tuple[Move, ...] = ()
    """Relevant documents that moved, the largest loss first."""
    slope: Slope | None = None
    link: str = ""
    """The page of the query, if there is one."""
    picture: Picture | None = None
    """The image of the query, if it has one."""

    @property
    def arrow(self) -> str:
        """The direction of the change as a sign and a word."""
        return {Mark.WORSE: "▼ worse", Mark.BETTER: "▲ better"}.get(Mark(self.tone), "")


@dataclass(frozen=True)
class Cards:
    """Queries that have something in common."""

    title: str
    cards: tuple[Card, ...]
    lead: str = ""
    part: ClassVar[str] = "cards"

    def plain(self) -> tuple[PlainPart, ...]:
        """A row for each query."""
        rows = [(Cell(card.name), Cell(card.change), Cell(card.text)) for card in self.cards]
        return (Table(text_columns("query", "score", "text", prose=True), tuple(rows), title=self.title),)


def card_anchor(report: BenchmarkReport, query: str) -> str:
    """The anchor of a query on the page."""
    return anchor_of("query", query, report.group)


def make_card(
    report: BenchmarkReport,
    query: str,
    metric: BoundMetric,
    scores: Sequence[float],
    why: Sequence[str] = (),
    *,
    is_open: bool = False,
) -> Card:
    """The card of a query, with the score of each system on a metric, and the reasons why it is notable."""
    return _Maker(report, query).card(metric, scores, why, is_open=is_open)


@dataclass(frozen=True)
class _Maker:
    """Makes the card of one query."""

    report: BenchmarkReport
    query: str

    def card(self, metric: BoundMetric, scores: Sequence[float], why: Sequence[str], *, is_open: bool) -> Card:
        results, query = self.report.looked_at, self.query
        asked = next((result.queries[query] for result in results if query in result.queries), None)
        text = printable(asked.text) if asked else ""
        tags = [f"{name} {value}" for name, value in asked.tags.items() if name != "description"] if asked else []
        rankings = [ranking_of(result, query) for result in results]
        relevant = next((result.relevant[query] for result in results if result.relevant.get(query)), {})
        moves = moves_between(rankings[0], rankings[1], relevant) if len(rankings) == 2 and all(rankings) else {}
        terms = Terms.of(text)
        sides = [
            self._side(result, ranking, terms, f"{metric.name} {self.report.figures.value(metric, score)}")
            for result, ranking, score in zip(results, rankings, scores, strict=True)
        ]
        return Card(
            anchor=card_anchor(self.report, query),
            query=query,
            name=printable(query),
            text=_cut(text, LONGEST_TEXT),
            change=change_text(self.report, metric, scores),
            sides=tuple(_with_moves(side, moves, place) for place, side in enumerate(sides)),
            about=tuple(map(printable, (*why, *tags))),
            tone=tone_of(metric, scores),
            group=self.report.group,
            is_open=is_open,
            expected=_cut(printable(" ".join(self._expected().split())), LONGEST_ANSWER),
            moves=notable_moves(moves, DEPTH),
            slope=draw_slope(moves, DEPTH),
            picture=next((pictures[query] for pictures in self._query_pictures(results) if query in pictures), None),
        )

    def _query_pictures(self, results: Sequence[Result]) -> Iterator[Mapping[str, Picture]]:
        return (self.report.pictures_of(result, QUERIES, [self.query]) for result in results)

    def _expected(self) -> str:
        """The expected answer: of the stored query, else of the benchmark."""
        for result in self.report.looked_at:
            own = result.queries.get(self.query)
            if expected := (own.expected if own else "") or self.report.expected_of(result, self.query):
                return expected
        return ""

    def _side(self, result: Result, ranking: Sequence[str], terms: Terms, score: str) -> Side:
        """One ranking; if it is unknown, the reason."""
        relevant = result.relevant.get(self.query) or {}
        top = ranking[:DEPTH]
        hits = [self._hit(result, rank, document) for rank, document in enumerate(top, 1)]
        missed = [document for document in relevant if document not in set(top)]
        ranks = {document: rank for rank, document in enumerate(ranking, 1)} if missed else {}
        if ranking or result.run:
            for document in missed[:MAX_MISSED]:
                place = f"{ranks[document]:,}" if document in ranks else "–"
                hits.append(Hit(place, printable(document), f"✓ {relevant[document]:g}", "missed", key=document))
        texts = self.report.words_of(result, [hit.key for hit in hits])
        pictures = self.report.pictures_of(result, DOCUMENTS, [hit.key for hit in hits])
        hits = [
            replace(hit, text=marked(texts.get(hit.key, ""), terms, LONGEST_DOCUMENT), picture=pictures.get(hit.key))
            for hit in hits
        ]
        return Side(
            printable(result.name or "run"),
            score,
            tuple(hits),
            _problem(result, self.query, ranking),
            _more(ranking, missed),
            _answer(result, self.query),
        )

    def _hit(self, result: Result, rank: int, document: str) -> Hit:
        hit = Hit(str(rank), printable(document), key=document)
        if (grade := (result.relevant.get(self.query) or {}).get(document)) is not None:
            return replace(hit, grade=f"✓ {grade:g}", tone="relevant")
        if (grade := (result.nonrelevant.get(self.query) or {}).get(document)) is not None:
            mark = "ignored" if grade == IGNORED else f"✗ {grade_word(grade)}"
            return replace(hit, grade=mark, tone="nonrelevant")
        return replace(hit, grade=UNJUDGED, tone=UNJUDGED) if self._knows_unjudged else hit

    @cached_property
    def _knows_unjudged(self) -> bool:
        """Whether a document without a grade is unjudged; otherwise only the relevant documents are known."""
        return any(
            bool(result.nonrelevant) or any(metric.metric.name == JUDGED for metric in result.metrics)
            for result in self.report.results
        )


def change_text(report: BenchmarkReport, metric: BoundMetric, scores: Sequence[float]) -> str:
    """The score of a query; for two systems `0.631 → 0.000 (−0.631)`."""
    texts = [report.figures.value(metric, score) for score in scores]
    if len(scores) == 1:
        return texts[0]
    return f"{texts[0]} → {texts[1]} ({report.figures.change(metric, scores[1] - scores[0])})"


def tone_of(metric: BoundMetric, scores: Sequence[float]) -> Mark:
    """Whether the second of two scores is better or worse than the first."""
    gain = sign_of(metric) * (scores[1] - scores[0]) if len(scores) == 2 else 0.0
    return Mark.NONE if math.isnan(gain) or gain == 0 else Mark.BETTER if gain > 0 else Mark.WORSE


def _with_moves(side: Side, moves: Mapping[str, Move], place: int) -> Side:
    """The side with the rank of each document in the other ranking."""
    hits = []
    for hit in side.hits:
        move = moves.get(hit.key)
        if move is None or not move.gain:
            hits.append(hit)
        else:
            hits.append(replace(hit, move=move.seen_from(place), move_tone=move.tone, move_words=move.words))
    return replace(side, hits=tuple(hits))


def _answer(result: Result, query: str) -> str:
    """What the system answered, on one line."""
    answer: Any = (result.said.get(query) or {}).get("answer")
    return _cut(printable(" ".join(answer.split())), LONGEST_ANSWER) if isinstance(answer, str) else ""


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _problem(result: Result, query: str, ranking: Sequence[str]) -> str:
    if query in result.failures:
        return f"failed: {printable(result.failures[query])[:LONGEST_ERROR]}"
    if ranking:
        return ""
    return "retrieved nothing" if result.run else "this result does not contain the ranking"


def _more(ranking: Sequence[str], missed: Sequence[str]) -> str:
    left = max(0, len(ranking) - DEPTH)
    unseen = max(0, len(missed) - MAX_MISSED)
    return joined(
        [
            f"… and {counted(left, 'more document')}" if left else "",
            f"{counted(unseen, 'more relevant document')} missed" if unseen else "",
        ]
    )
