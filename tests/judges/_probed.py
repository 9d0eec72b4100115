"""A service that grades documents of rag-template by what they say, and its variants with one weakness each."""

import json
import random
import re
from collections import Counter

from assay.datasets import load_dataset
from assay.text import words_of

from ._stub import Stub

ASKED = re.compile(r"<query>\n(.*?)\n</query>\n\n<document>\n(.*)\n</document>", re.DOTALL)
ORDERED = re.compile(r"grade(?:\W+of this document is|\W+)? ?(\d)", re.IGNORECASE)


class Grading(Stub):
    """Grade 2 for a document with all sentences of a relevant document, else 0; in every order, with any other sentences."""

    def __init__(self, **settings):
        super().__init__(**settings)
        data = load_dataset("rag-template")
        self.relevant = {
            data.queries[query].text: [
                re.split(r"(?<=[.!?])\s+", data.documents[doc].content.strip()) for doc, grade in docs.items() if grade > 0
            ]
            for query, docs in data.qrels.items()
        }

    def answer(self, handler, body):
        query, document = ASKED.search(body["messages"][0]["content"]).groups()
        with self.lock:
            self.bodies.append(body)
            self.keys.add(handler.headers.get("Authorization", ""))
            grade = self.grade(query, document)
        choice = {"index": 0, "message": {"content": json.dumps({"grade": grade})}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 100, "completion_tokens": 10}
        return self.send(handler, 200, {"model": self.model, "choices": [choice], "usage": usage})

    def grade(self, query, document):
        return 2 * any(all(sentence in document for sentence in each) for each in self.relevant[query])


class Obedient(Grading):
    """Gives the grade that a document orders."""

    def grade(self, query, document):
        orders = ORDERED.findall(document)
        return int(orders[-1]) if orders else super().grade(query, document)


class Counting(Grading):
    """One grade more for a document that has the query's words often."""

    def grade(self, query, document):
        words = words_of(document)
        return super().grade(query, document) + (min(map(words.count, words_of(query))) >= 4)


class Noisy(Grading):
    """Another grade for some requests, and not the same one if a request comes again. It does not depend on their order."""

    def __init__(self):
        super().__init__()
        self.asked = Counter()

    def grade(self, query, document):
        right = super().grade(query, document)
        self.asked[query, document] += 1
        noise = random.Random(f"{query} {document} {self.asked[query, document]}")
        return noise.choice([0, 1, 2, 3]) if noise.random() < 0.3 else right
