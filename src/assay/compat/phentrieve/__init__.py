"""Seed system Phentrieve: its functions over Chroma-shaped results, `from assay.compat.phentrieve import ndcg_at_k`.

The conventions are those of the original: precision ÷ what was retrieved within k, average precision ÷ min(k, expected),
binary relevance without `relevance_scores`. Differences:

    original                                                 here
    a term that comes twice counts twice (nDCG above 1)      the first counts, later ones keep their rank
    an expected id listed twice counts twice                 once
    results of several queries: the first is read            DataError
    no metadata with the hits, or no `hpo_id` in it: 0.0     `ids` are read as terms, or DataError if they are not terms
    one expected id as text: 0.0                             it is read as one id
    MaxOntSim of a parent and its child may be 1.0           only equal ids score 1
    resampling without a seed, p may be 0, no scores crash   seeded, (1 + extreme) ÷ (1 + resamples), DataError
    a case that fails is dropped, and pairs misalign         it scores 0; models are paired by case id
    a language without its file is skipped                   the bundled cases are used, with a warning
    an unknown similarity formula means hybrid               UnknownName
    many comparisons, each at 0.05                           `significant` is after Holm's correction
"""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
