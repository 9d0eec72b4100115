"""assay answers: figures, formats, slices, runs beside answers, on to compare and gate; and what is wrong."""


def test_answers(folder, transcript):
    transcript("answers/shown")
