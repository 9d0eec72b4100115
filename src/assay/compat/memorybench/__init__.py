"""Seed system memorybench: its metric classes and registry, `from assay.compat.memorybench import NDCGAtKMetric`.

`compute(results)` reads EvalResult dictionaries (`expected`, `actual`, `retrievedContext`, `metadata` in camelCase) and
returns `{"name", "value", "details"}`. Relevance is decided for each query by the ids in its metadata, otherwise by
a pack, otherwise by evidence, otherwise by the words that a context shares with the expected answer. Recall, an id
that comes twice and a missing `correct` are warnings, `MemorybenchDifference`. Differences:

    original                                                 here
    "Recall@K" is 1 if any chunk passes                      recall; `relevantFound` ÷ `total` is the old value
    ideal of token relevance: relevant chunks in the top k   relevant chunks in everything that was retrieved
    several chunks of one piece of evidence each count       the first counts, later ones keep their rank
    an id retrieved twice counts twice                       once
    precision ÷ what was retrieved within k                  ÷ k
    a result without `correct` counts as wrong               the same, with a warning
    no `retrievedContext`, or contexts in another shape      DataError; a text alone is both an id and content
    an empty list of relevant ids                            nothing is relevant: 0, not a guess by words
    words are ASCII                                          Unicode words; Chinese and Japanese by character
    two metrics of one name: the later one wins              UsageError
    an unknown name fails at the end                         UnknownName before anything is computed
"""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
