"""words: how many words of the query the document has. It orders pairs and is not a judge of relevance."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from assay.judges.definition import Judge
from assay.judges.grades import PairGrade
from assay.judges.ledger import Ledger
from assay.judges.pairs import Pair
from assay.text import words_of


class WordShare:
    """The share of the query's words that are in the document; words that few of these documents have count more."""

    def grade(self, pairs: Sequence[Pair], _: Ledger) -> list[PairGrade | Exception]:
        """A number from 0 to 1 for each pair. Nothing leaves this machine."""
        documents = {pair.document_text: set(words_of(pair.document_text)) for pair in pairs}
        n_with = Counter(word for words in documents.values() for word in words)
        weight = {word: math.log(1 + len(documents) / n) for word, n in n_with.items()}
        rare = math.log(1 + len(documents))
        asked = [(set(words_of(pair.query_text)), documents[pair.document_text]) for pair in pairs]
        return [PairGrade(_share(query, document, weight, rare)) for query, document in asked]


def _share(query: set[str], document: set[str], weight: dict[str, float], rare: float) -> float:
    total = math.fsum(weight.get(word, rare) for word in query)
    return math.fsum(weight[word] for word in query & document) / total if total else 0.0


WORDS = Judge(
    "words",
    "the share of the query's words in the document; it orders pairs, and its values are not grades",
    WordShare,
    gives_grades=False,
    batch=1_000_000,
)
