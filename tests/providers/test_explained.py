"""What other people's code raises, in one line."""

from assay.providers.loading import describe_error


def test_a_line_that_only_announces_is_followed_to_its_cause():
    error = RuntimeError("The following component failed to run:\nComponent name: 'broken'")
    error.__cause__ = ValueError("no such reranker")
    assert describe_error(error) == "RuntimeError: The following component failed to run: ValueError: no such reranker"
    error.__cause__ = None
    assert describe_error(error) == "RuntimeError: The following component failed to run:"
