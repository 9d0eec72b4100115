"""From which size on the quick way is taken, set for a while."""

from unittest import mock

from assay.files import tables


def sizes(least):
    """From how many bytes and rows on the quick way is taken."""
    return mock.patch.multiple(tables, LARGE_FILE=least, LARGE_FRAME=least)
