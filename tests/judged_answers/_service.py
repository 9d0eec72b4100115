"""A service that judges answers, with faults; answers whose claims it can tell apart; and naive scores of ten lines."""

import json
import re

from tests.judges._stub import FAULTS, Stub

CLAIM = re.compile(r"claim (\d+) of (\w+) fault=(\w+)")
WRITING = re.compile(r"writing=(\w+)")
FACTS = 4
"""Facts of each query that a right answer has: claims 0 to 3."""


def says(query: str, number: int, fault: str = "none") -> str:
    """A claim; the service supports the claims with an even number."""
    return f"claim {number} of {query} fault={fault}"


def is_true(number: int) -> bool:
    return number % 2 == 0


def inside(tag: str, text: str) -> str:
    return re.search(rf"<{tag}>\n(.*?)\n</{tag}>", text, re.DOTALL)[1]


class AnswerStub(Stub):
    """Splits answers at full stops, supports even claims, finds nuggets by their words, and likes texts that say useful."""

    def read(self, text):
        task = text.split(maxsplit=1)[0], text.split("\n")[0]
        if task[1].startswith("Split an answer"):
            return self.writing("claims", inside("answer", text))
        if task[1].startswith("List the facts"):
            return self.writing("nuggets", inside("texts", text))
        if task[1].startswith("Decide whether a text supports"):
            number, query, fault = CLAIM.search(claim := inside("claim", text)).groups()
            return (claim, inside("text", text), query), fault, int(is_true(int(number)))
        if task[1].startswith("Decide whether an answer contains"):
            fact, answer = inside("fact", text), inside("answer", text)
            return (fact, answer), "none", 2 * (fact in answer)
        return inside("text", text), "none", int("useful" in inside("text", text))

    def writing(self, name, text):
        fault = WRITING.search(text)
        parts = [part.strip() for part in text.removeprefix("Right answer:").split(". ") if "claim" in part]
        listed = [{"text": part, "importance": "okay" if n % 2 else "vital"} for n, part in enumerate(parts)]
        good = json.dumps({name: parts if name == "claims" else listed})
        replies = {
            "": good,
            "fence": f"```json\n{good}\n```",
            "think": f"<think>{{}}</think>{good}",
            "prose": "There are many claims.",
            "length": good[:-3],
            "null": json.dumps({name: None}),
            "word": json.dumps({name: "one"}),
            "two": good + good,
            "empty": "",
        }
        return (name, text), fault[1] if fault else "none", replies


def rows(n: int = 6, faults=("none",), n_claims: int = 3) -> list[dict]:
    """Answers with claims; faults in turn."""
    every = []
    for place in range(n):
        query = f"q{place}"
        claims = [says(query, k, faults[(place * n_claims + k) % len(faults)]) for k in range(n_claims)]
        every.append(
            {
                "query_id": query,
                "question": f"question of {query}",
                "answer": ". ".join(claims),
                "references": [". ".join(says(query, k) for k in range(FACTS))],
                "contexts": [f"text about {query}", f"useful text about {query}"],
            }
        )
    return every


ALL_FAULTS = tuple(fault for fault in FAULTS if fault != "denied")
