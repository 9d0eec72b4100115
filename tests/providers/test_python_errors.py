"""python: errors of the user's own code are told with whose they are and where."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from assay.errors import ProviderError, UnknownName
from assay.model.records import Query
from assay.providers.catalog.python import make_retriever
from assay.providers.retriever import PermanentFailure, RetryLater

from ._functions import ask
from ._written import parse_provider


def test_errors_say_whose_and_where(module):
    def search(text, k):
        return {}["x"]

    with pytest.raises(ProviderError, match=r"assay_test_module:search raised KeyError: 'x' \(test_python_errors\.py:\d+\)"):
        ask(module, search)

    async def broken(text, k):
        raise OSError("gone")

    with pytest.raises(ProviderError, match="raised OSError: gone"):
        ask(module, broken)

    def halfway(text, k):
        yield "a"
        raise ValueError("late")

    with pytest.raises(ProviderError, match="raised ValueError: late"):
        ask(module, halfway)


@pytest.mark.parametrize("holder", ["status_code", "response"])
def test_an_error_that_tells_of_a_busy_service(module, holder):
    class RateLimited(Exception):
        pass

    def search(text, k):
        error = RateLimited("slow down")
        setattr(error, holder, 429 if holder == "status_code" else SimpleNamespace(status_code=429))
        raise error

    with pytest.raises(RetryLater, match="slow down"):
        ask(module, search)


def test_own_errors_pass(module):
    def search(text, k):
        raise RetryLater(3.0)

    with pytest.raises(RetryLater) as caught:
        ask(module, search)
    assert caught.value.retry_after == 3.0


def test_a_wrong_answer_is_explained(module):
    with pytest.raises(ProviderError, match=r"assay_test_module:search: expected a list of hits.*found None"):
        ask(module, lambda text, k: None)


def test_a_function_that_takes_no_query(module):
    def search(*, k):
        return []

    module.search = search
    with pytest.raises(ProviderError, match="must take the query first"):
        make_retriever("assay_test_module:search")


def test_leaving_is_an_error_and_an_interruption_is_not(module):
    def leaving(text, k):
        raise SystemExit("bye")

    def interrupted(text, k):
        raise KeyboardInterrupt

    async def interrupted_later(text, k):
        raise KeyboardInterrupt

    with pytest.raises(ProviderError, match="raised SystemExit: bye"):
        ask(module, leaving)
    for function in (interrupted, interrupted_later):
        with pytest.raises(KeyboardInterrupt):
            ask(module, function)


def test_what_would_be_the_same_again_is_final(module):
    class Few:
        def search(self, queries, k):
            return [["a"]]

    module.Few = Few
    with pytest.raises(PermanentFailure, match="given 2 queries and returned 1 answer"):
        make_retriever("assay_test_module:Few").search([Query("q"), Query("r")], 3)
    with pytest.raises(PermanentFailure, match="a comes twice"):
        ask(module, lambda text, k: ["a", "a"])
    with pytest.raises(ProviderError) as caught:
        ask(module, lambda text, k: {}["x"])
    assert not isinstance(caught.value, PermanentFailure)


def test_of_an_error_in_several_lines_the_first_is_told_with_the_place(module):
    def search(text, k):
        raise ValueError("first\nsecond\nthird")

    with pytest.raises(ProviderError, match=r"raised ValueError: first \(test_python_errors\.py:\d+\)$"):
        ask(module, search)

    def silent(text, k):
        raise ValueError

    with pytest.raises(ProviderError, match=r"raised ValueError \(test_python_errors\.py:\d+\)$"):
        ask(module, silent)


def test_of_an_error_deep_in_a_library_the_line_of_one_s_own_is_told(module):
    def search(text, k):
        return np.linalg.inv(np.zeros((2, 2)))

    line = search.__code__.co_firstlineno + 1
    with pytest.raises(ProviderError, match=rf"raised LinAlgError: Singular matrix \(test_python_errors\.py:{line}\)$"):
        ask(module, search)


def test_what_a_module_has_instead_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "from math import sqrt\nLIMIT = 3\ndef search(query, k): ...\ndef by_title(q, k): ...\nclass Finder: ...\n"
    (tmp_path / "assay_offers.py").write_text(text)
    with pytest.raises(ProviderError, match=r"^assay_offers has no missing\. It has search, by_title, Finder\.$"):
        parse_provider("python:assay_offers:missing").check()
    (tmp_path / "assay_offers_none.py").write_text("LIMIT = 3\n")
    with pytest.raises(ProviderError, match=r"has no missing\. There is nothing in it that could be called\.$"):
        parse_provider("python:assay_offers_none:missing").check()
    (tmp_path / "assay_offers_many.py").write_text("".join(f"def f{n}(q, k): ...\n" for n in range(12)))
    with pytest.raises(ProviderError, match=r"It has f0, f1, f2, f3, f4, f5, f6, f7 …\.$"):
        parse_provider("python:assay_offers_many:missing").check()


@pytest.mark.parametrize("text", ["my_search:search", "my_package.my_search:Finder.search"])
def test_a_function_by_itself_is_told_how_it_is_written(text):
    said = rf"no provider is called '{text}'. Did you mean python:{text}\?   \(there are bm25, "
    with pytest.raises(UnknownName, match=said):
        parse_provider(text)
    with pytest.raises(UnknownName, match="Did you mean python:bm52:x"):
        parse_provider("bm52:x")
