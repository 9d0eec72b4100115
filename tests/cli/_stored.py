"""The results that the tests of the store save, for the commands about them."""

from tests._results import differences, saved_and_read
from tests.store._results import result_of

__all__ = ["differences", "result_of", "saved_and_read"]
