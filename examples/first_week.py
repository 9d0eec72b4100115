"""The data of docs/judging.md: a bicycle shop with a search log and help pages, but without judgments.

    python examples/first_week.py                                # writes build/first-week
    python examples/first_week.py write week                     # writes another folder
    python examples/first_week.py grade form.csv --judge Ana -o ana.csv

`grade` stands in for a person with a spreadsheet: it fills in a form of `assay pool --form` from the hidden truth, with
some human errors. `model_grade` stands in for a model judge, which is too generous. Everything is seeded.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import sys
from functools import cache
from hashlib import sha256
from pathlib import Path

SEED = 11
N_LINES = 420
"""Lines of the search log."""
N_DOCUMENTS_EACH = 5
"""Help pages about one part and one task."""
PARTS = {
    "brake": ("brake", "brakepads", "rimbrake", "brakelever"),
    "tyre": ("tyre", "wintertyre", "roadtyre", "tyreset"),
    "light": ("light", "rearlight", "headlight", "lightset"),
    "battery": ("battery", "batterypack", "bikebattery", "batterycase"),
    "chain": ("chain", "drivechain", "chainring", "chainlink"),
    "helmet": ("helmet", "bikehelmet", "roadhelmet", "kidshelmet"),
}
"""Part → how pages and customers write it: often in one word, which a search for whole words does not find."""
TASKS = {
    "price": (
        "buy",
        ("price of {}", "{} cost", "cheap {}"),
        (
            "The price of a {} is on its label.",
            "What a {} costs depends on the brand.",
            "A used {} is cheaper than a new one.",
        ),
    ),
    "delivery": (
        "buy",
        ("delivery time {}", "where is my {}", "{} shipping"),
        (
            "We deliver a {} in three days.",
            "Your {} arrives by post.",
            "Shipping of a {} is free in the city.",
        ),
    ),
    "size": (
        "buy",
        ("{} size", "{} fits my bike", "choose a {}"),
        (
            "Measure your bicycle before you choose a {}.",
            "Each {} has its size on the back.",
            "Not every {} fits every bike.",
        ),
    ),
    "return": (
        "after",
        ("return a {}", "send back {}", "refund for {}"),
        (
            "You can return a {} within 30 days.",
            "Send the {} back with its receipt.",
            "We refund a {} to your card.",
        ),
    ),
    "warranty": (
        "after",
        ("warranty {}", "{} broke early", "guarantee on {}"),
        (
            "The warranty of a {} is two years.",
            "If your {} breaks too early, we replace it.",
            "A {} has the guarantee of its maker.",
        ),
    ),
    "fit": (
        "repair",
        ("install {}", "mount {}", "replace my {}"),
        (
            "To install a {}, you need two tools.",
            "Mount the {} and tighten its screws.",
            "Replace a worn {} in ten minutes.",
        ),
    ),
    "clean": (
        "repair",
        ("clean {}", "wash a {}", "dirt on {}"),
        ("Clean the {} with warm water.", "Do not wash a {} with oil.", "Dirt on a {} shortens its life."),
    ),
    "fault": (
        "repair",
        ("{} does not work", "{} makes noise", "broken {}"),
        (
            "If your {} does not work, bring it in.",
            "A {} that makes noise is often loose.",
            "We repair a broken {} while you wait.",
        ),
    ),
}
"""Task → its intent, what customers type, and what pages say about it."""
SENTENCES = (
    "Keep the receipt of the {} at hand.",
    "Our workshop knows every {}.",
    "If you bought the {} somewhere else, call us first.",
    "The number of the {} is on its label.",
    "Bring the {} with you.",
)
PRIVATE = ("mail me at rosa.luz@example.org about my order", "order 20261118 where is it")
"""Lines of the log that must not become queries."""


@cache
def cells() -> list[tuple[str, str]]:
    """The part and the task of each page."""
    pages = [(part, task) for part in PARTS for task in TASKS for _ in range(N_DOCUMENTS_EACH)]
    random.Random(SEED).shuffle(pages)  # noqa: S311 (example data, not secrets)
    return pages


@cache
def all_pages() -> list[dict[str, str]]:
    """All help pages."""
    return [page(number) for number in range(len(cells()))]


def page(number: int) -> dict[str, str]:
    """A help page: mostly about its part and task, with a hint at another part that a search can take for its subject."""
    part, task = cells()[number]
    draw = random.Random(f"{SEED} page {number}")  # noqa: S311 (example data, not secrets)
    says, names = TASKS[task][2], PARTS[part]
    name = draw.choice(names)
    other = draw.choice([name for name in PARTS if name != part])
    hint = f"Next page: {draw.choice(TASKS[draw.choice(list(TASKS))][2]).format(other)}"
    text = " ".join((draw.choice(says).format(draw.choice(names)), draw.choice(SENTENCES).format(draw.choice(names)), hint))
    return {"doc_id": f"p{number:03}", "title": name.capitalize(), "text": text}


@cache
def queries() -> dict[str, tuple[str, str]]:
    """Text in lower case → the part and the task that a customer means. Every third query has a typo in the part."""
    return {
        form.format(part if place else misspelt(part)): (part, task)
        for task, (_, forms, _) in TASKS.items()
        for part in PARTS
        for place, form in enumerate(forms)
    }


def misspelt(word: str) -> str:
    """The word with two letters in the wrong order."""
    return f"{word[:2]}{word[3]}{word[2]}{word[4:]}"


def write(folder: Path) -> None:
    """Write the help pages and the search log."""
    (folder / "shop").mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(one) + "\n" for one in all_pages())
    (folder / "shop" / "corpus.jsonl").write_text(lines, encoding="utf-8")
    with (folder / "log.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(("time", "user", "query", "intent"))
        rows.writerows(log_lines())


def log_lines() -> list[tuple[str, str, str, str]]:
    """Time, user, query and intent. Few queries are frequent; the same query is typed in several ways."""
    draw = random.Random(SEED)  # noqa: S311 (example data, not secrets)
    known = list(queries().items())
    draw.shuffle(known)
    typed = known + draw.choices(known, [1 / rank for rank in range(1, len(known) + 1)], k=N_LINES - len(known))
    texts = [(_spelt(text, draw), TASKS[task][0]) for text, (_, task) in typed] + [(text, "after") for text in PRIVATE]
    draw.shuffle(texts)
    minutes = [f"2026-11-{2 + place // 60:02} 09:{place % 60:02}" for place in range(len(texts))]
    users = [f"u{draw.randrange(90):02}" for _ in texts]
    return [(when, user, *text) for when, user, text in zip(minutes, users, texts, strict=True)]


def _spelt(text: str, draw: random.Random) -> str:
    """The query as one customer types it."""
    return draw.choices((text, text.capitalize(), text.upper(), f"{text} "), (7, 2, 1, 1))[0]


def true_grade(query: str, document: str) -> int:
    """3 for the part and the task of the query, 1 for the part and another task of the same intent, else 0."""
    part, task = queries()[query.strip().lower()]
    about, does = cells()[int(document.removeprefix("p"))]
    if part != about:
        return 0
    return 3 if task == does else int(TASKS[task][0] == TASKS[does][0])


def _chance(*words: str) -> float:
    """A number from 0 to 1 that depends on the words alone."""
    return int(sha256(" ".join(words).encode()).hexdigest()[:12], 16) / 16**12


def person_grade(query: str, document: str, judge: str) -> int:
    """What a person gives: the true grade, or for few pairs a neighbour of it."""
    grade, chance = true_grade(query, document), _chance(judge, query, document)
    if grade == 3:
        return 2 if chance < 0.3 else 3
    return 1 - grade if chance < 0.04 else grade


def model_grade(query: str, document: str) -> int:
    """What a cheap model judge gives: often right, and too generous to pages that share words with the query.

    It sees two texts, so it finds the page and the query by their words.
    """
    grade, chance = true_grade(query, _number_of(document)), _chance("model", query, document)
    shared = set(query.lower().split()) & set(document.lower().replace(".", " ").replace(",", " ").split())
    if grade == 0 and shared and chance < 0.3:
        return 2
    return max(grade - 1, 0) if chance > 0.9 else grade


def _number_of(text: str) -> str:
    """The id of the page with this text."""
    return next(one["doc_id"] for one in all_pages() if one["text"] in text)


def grade(form: Path, judge: str, output: Path, most: int | None) -> int:
    """Fill in a form, all of it or the first rows, and return the number of grades."""
    with form.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    graded = rows[:most]
    for row in graded:
        row["grade"] = str(person_grade(row["query_text"], row["document"], judge))
    with output.open("w", encoding="utf-8-sig", newline="") as file:
        lines = csv.DictWriter(file, list(rows[0]))
        lines.writeheader()
        lines.writerows(rows)
    return len(graded)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.set_defaults(action="write", folder=Path("build/first-week"))
    actions = parser.add_subparsers(dest="action")
    writing = actions.add_parser("write", help="write the help pages and the search log")
    writing.add_argument("folder", type=Path)
    grading = actions.add_parser("grade", help="fill in a form as a person would")
    grading.add_argument("form", type=Path)
    grading.add_argument("--judge", required=True)
    grading.add_argument("-o", "--output", type=Path, required=True)
    grading.add_argument("-n", type=int, help="grade only the first rows (default: all)")
    options = parser.parse_args()
    if options.action == "grade":
        n = grade(options.form, options.judge, options.output, options.n)
        sys.stdout.write(f"{options.judge} graded {n} pairs: {options.output}\n")
    else:
        write(options.folder)
        sys.stdout.write(f"wrote {options.folder}/log.csv and {options.folder}/shop/corpus.jsonl\n")


if __name__ == "__main__":
    main()
