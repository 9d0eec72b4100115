"""Exposure: which documents all result lists show together, and how a summary changes without some of the lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from assay.arrays import Bools, Floats, Ints, ratio

NO_DOCUMENT = -1
"""In the parts of a query: a rank without a document of the catalogue. Further catalogues have −2, −3 …"""
Figure = Callable[["Exposure"], Floats]
"""What is computed from an exposure, without each group of lists."""


def document_number(doc_id: str) -> int:
    """The number of a document in the parts of queries: the same in every result, so that lists can be compared.

    It has 52 bits, which a float keeps exactly.
    """
    return int.from_bytes(blake2b(doc_id.encode("utf-8", "surrogatepass"), digest_size=8).digest()) >> 12


class Exposure(NamedTuple):
    """How often each document is shown by each group of lists.

    A row for each pair of group and document. The parts of a query are the size of its catalogue and the numbers of the
    documents in its list. Queries of several benchmarks have several catalogues; see `stacked`.
    """

    group: Ints
    doc: Ints
    """The number of the document among those that are shown."""
    times: Ints
    """How many lists of the group show it."""
    n_groups: int
    catalogue: float

    @classmethod
    def of(cls, parts: Floats, groups: Ints, n_groups: int) -> Exposure:
        """The exposure by the lists in `parts`; `groups` has the number of the group of each list. Groups may be empty."""
        row, column = np.nonzero(parts[:, 1:] > NO_DOCUMENT)
        shown, doc = np.unique(parts[row, column + 1], return_inverse=True)
        pair, times = np.unique(groups[row] * max(len(shown), 1) + doc, return_counts=True)
        group, doc = np.divmod(pair, max(len(shown), 1))
        places = np.unique(_catalogues(parts), return_index=True)[1]
        return cls(group, doc, times, n_groups, float(parts[places, 0].sum()))

    @staticmethod
    def stacked(parts: Sequence[Floats]) -> Floats:
        """The parts of the queries of several benchmarks, one after the other. Each benchmark has documents of its own."""
        width = max(each.shape[1] for each in parts) + 1  # a rank without a document in each row tells the catalogue
        stacked = [np.full((len(each), width), np.nan) for each in parts]
        n_documents = n_catalogues = 0
        for each, moved in zip(parts, stacked, strict=True):
            is_known = ~np.isnan(each[:, 0])
            known, catalogue = each[is_known], _catalogues(each[is_known])
            lists = _padded(_renumbered(known[:, 1:]), width - 1)
            nothing = (NO_DOCUMENT - n_catalogues - catalogue)[:, np.newaxis]
            moved[is_known] = np.hstack([known[:, :1], np.where(lists > NO_DOCUMENT, lists + n_documents, nothing)])
            n_documents += int(lists.max(initial=NO_DOCUMENT)) + 1
            n_catalogues += int(catalogue.max(initial=-1)) + 1
        return np.concatenate(stacked)

    @property
    def total(self) -> Ints:
        """How many lists show each document."""
        return np.bincount(self.doc, weights=self.times).astype(np.int64)

    def by_group(self, values: Floats | Ints) -> Floats:
        """The sum of the values of the rows of each group."""
        return np.bincount(self.group, weights=values, minlength=self.n_groups).astype(float)


def changed_lists(a: Floats, b: Floats) -> Bools:
    """Which queries show other documents in b than in a; the order of a list does not matter."""
    width = max(a.shape[1], b.shape[1]) - 1
    of_a, of_b = (np.sort(_padded(parts[:, 1:], width), axis=1) for parts in (a, b))
    return np.asarray((of_a != of_b).any(axis=1) | (a[:, 0] != b[:, 0]))


def _padded(lists: Floats, width: int) -> Floats:
    return np.pad(lists, ((0, 0), (0, width - lists.shape[1])), constant_values=NO_DOCUMENT)


def _renumbered(lists: Floats) -> Floats:
    """The lists with the documents numbered from 0, so that the numbers of several benchmarks stay small."""
    renumbered, is_document = lists.copy(), lists > NO_DOCUMENT
    renumbered[is_document] = np.unique(lists[is_document], return_inverse=True)[1]
    return renumbered


def _catalogues(parts: Floats) -> Ints:
    """The number of the catalogue of each query."""
    return np.asarray(NO_DOCUMENT - parts[:, 1:].min(axis=1, initial=NO_DOCUMENT)).astype(np.int64)


def coverage(shown: Exposure) -> Floats:
    """The share of the catalogue that is shown; nan if there is no catalogue."""
    only_here = shown.by_group(shown.total[shown.doc] == shown.times)
    return _over(len(shown.total) - only_here, shown.catalogue)


def entropy(shown: Exposure) -> Floats:
    """Shannon's entropy, in bits, of the share of each document in everything that is shown; nan if nothing is shown.

    H = log n − Σ c log c ÷ n, where c is how often a document is shown, and n the sum of all c.
    """
    total = shown.total
    before = total[shown.doc]
    left = total.sum() - shown.by_group(shown.times)
    weighted = _times_log(total).sum() - shown.by_group(_times_log(before) - _times_log(before - shown.times))
    logs = np.log2(left, out=np.full_like(left, np.nan), where=left > 0)
    return np.maximum(logs - ratio(weighted, left), 0.0)


def gini(shown: Exposure) -> Floats:
    """The Gini coefficient of how often each document of the catalogue is shown; nan if nothing is shown.

    Σ |c_d − c_e| over all pairs of documents is 2 Σ F(t) (M − F(t)) over t ≥ 0, where M is the size of the catalogue and
    F(t) the number of documents that are shown at most t times. Without a group, F(t) grows by 1 for each of its documents
    with c − w ≤ t < c, where w is how often the group shows it.
    """
    total, size = shown.total, shown.catalogue
    n_levels = int(total.max(initial=0))
    at_most = size - len(total) + np.cumsum(np.bincount(total, minlength=n_levels + 1))[:n_levels]
    row = np.repeat(np.arange(len(shown.doc)), shown.times)
    step = np.arange(len(row)) - np.repeat(np.cumsum(shown.times) - shown.times, shown.times)
    level = total[shown.doc[row]] - 1 - step
    pair, more = np.unique(shown.group[row] * max(n_levels, 1) + level, return_counts=True)
    group, level = np.divmod(pair, max(n_levels, 1))
    change = more * (size - 2 * at_most[level]) - more.astype(float) ** 2
    spread = np.dot(at_most, size - at_most) + np.bincount(group, weights=change, minlength=shown.n_groups)
    return _over(spread, size * (total.sum() - shown.by_group(shown.times)))


def _times_log(counts: Ints) -> Floats:
    return np.asarray(counts * np.log2(np.maximum(counts, 1)))


def _over(top: Floats, bottom: Floats | float) -> Floats:
    return np.where(np.asarray(bottom) > 0, ratio(top, np.asarray(bottom, dtype=float)), np.nan)


def of_all(figure: Figure, parts: Floats) -> float:
    """The value of all lists: that without an empty group."""
    return float(figure(Exposure.of(parts, np.ones(len(parts), dtype=np.int64), 2))[0])
