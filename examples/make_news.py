"""Write a small news benchmark with times: articles about stories, and questions that were asked at some time.

    python examples/make_news.py news

A story has several articles. Each one repeats the words of the story and has a newer figure, so only the newest article
before a question is up to date. The folder gets queries.csv, corpus.csv and qrels.csv. In qrels.csv, all articles of the
story of a question are judged, also those that were published after it. The folder `news-valid` has the same articles, and
judgments that hold only for a time. The data are artificial and seeded.
"""

from __future__ import annotations

import csv
import random
import sys
from collections.abc import Iterable
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

STORIES = 60
SUBJECTS = ("coffee", "rice", "copper", "timber", "sugar", "cotton", "wheat", "cocoa", "salmon", "wool")
CITIES = ("Lima", "Oslo", "Nairobi", "Hanoi", "Quito", "Riga")
FILLERS = ("traders said", "the port reported", "according to the ministry", "the exchange announced", "analysts wrote")
FIRST_DAY, DAYS = date(2022, 1, 1), 1000
MOST_ARTICLES = 7


class Article(NamedTuple):
    """One article of a story."""

    doc_id: str
    story: int
    day: date
    text: str


def main(folder: Path) -> None:
    """Write both folders."""
    rng = random.Random(11)  # noqa: S311 (example data, not secrets)
    articles = [article for story in range(STORIES) for article in _articles(story, rng)]
    asked = {story: FIRST_DAY + timedelta(days=rng.randint(DAYS // 3, DAYS)) for story in range(STORIES)}
    queries = [(f"q{story:02}", f"{_subject(story)} price in {_city(story)}", day) for story, day in asked.items()]
    corpus = [(article.doc_id, article.text, article.day) for article in articles]
    for name, judgments in (("", _judgments(articles)), ("-valid", _valid_judgments(articles))):
        place = Path(f"{folder}{name}")
        place.mkdir(parents=True, exist_ok=True)
        _write(place / "queries.csv", ("query_id", "question", "asked_at"), queries)
        _write(place / "corpus.csv", ("doc_id", "text", "published"), corpus)
        columns = ("query_id", "doc_id", "relevance", "valid_from", "valid_to")
        _write(place / ("judgments.csv" if name else "qrels.csv"), columns[: len(judgments[0])], judgments)


def _subject(story: int) -> str:
    return SUBJECTS[story % len(SUBJECTS)]


def _city(story: int) -> str:
    return CITIES[story // len(SUBJECTS)]


def _articles(story: int, rng: random.Random) -> list[Article]:
    """The articles of a story, the oldest first."""
    days = sorted(rng.sample(range(DAYS + 60), rng.randint(3, MOST_ARTICLES)))
    subject, city = _subject(story), _city(story)
    return [
        Article(
            f"a{story:02}-{number}",
            story,
            FIRST_DAY + timedelta(days=day),
            f"The price of {subject} in {city} is {rng.randint(100, 999)}, {rng.choice(FILLERS)}. "
            + f"{subject} ".capitalize() * rng.randint(0, 2)
            + f"Weather in {rng.choice(CITIES)}: {rng.choice(('rain', 'sun', 'fog', 'wind'))}.",
        )
        for number, day in enumerate(days, 1)
    ]


def _judgments(articles: list[Article]) -> list[tuple[str, str, int]]:
    """The newest article of a story has grade 2, the others have grade 1: whenever the question was asked."""
    newest = {article.story: article.doc_id for article in articles}
    return [(f"q{a.story:02}", a.doc_id, 2 if newest[a.story] == a.doc_id else 1) for a in articles]


def _valid_judgments(articles: list[Article]) -> list[tuple[str, str, int, date, date | str]]:
    """An article has grade 2 until the next one of its story is published, and grade 1 from then on."""
    rows: list[tuple[str, str, int, date, date | str]] = []
    for place, article in enumerate(articles):
        query, following = f"q{article.story:02}", articles[place + 1 : place + 2]
        if following and following[0].story == article.story:
            end = following[0].day - timedelta(days=1)
            rows.append((query, article.doc_id, 2, article.day, end))
            rows.append((query, article.doc_id, 1, following[0].day, ""))
        else:
            rows.append((query, article.doc_id, 2, article.day, ""))
    return rows


def _write(file: Path, columns: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> None:
    with file.open("w", newline="", encoding="utf-8") as opened:
        csv.writer(opened).writerows([columns, *rows])


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "news"))
