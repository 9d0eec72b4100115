"""assay moe: figures, slices, formats, on to compare and gate; and what is wrong."""


def test_moe(folder, transcript):
    transcript("moe/shown")


def test_two_rankings(folder, transcript):
    transcript("moe/reranking")
