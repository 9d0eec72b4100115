"""Seed system memorybench: its metric classes and registry, `from assay.compat.memorybench import NDCGAtKMetric`.

`compute(results)` takes EvalResult dictionaries (`expected`, `actual`, `retrievedContext`, `metadata` in camelCase) and
returns `{"name", "value", "details"}`. Relevance is decided for each query by ids in its metadata, else by evidence, else by
the words it shares with the expected answer. Where it differs:

    printed                                                  here
    "Recall@K" is 1 if any chunk passes                      recall; `relevantFound` ÷ `total` is the old figure
    the ideal of token relevance: relevant ones in the top k relevant ones of all that was retrieved
    several chunks of one piece of evidence each count       the first is credited, later ones hold their rank
    an id retrieved twice counts twice                       once
    no `retrievedContext`, or contexts in another shape      DataError; a text by itself is an id and content
    an empty list of relevant ids                            nothing is relevant: 0, not a guess by words
    words are ASCII                                          Unicode words; Chinese and Japanese by letter
    two metrics of one name: the later one wins              UsageError
    an unknown name is found out at the end                  UnknownName before anything is computed
"""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
