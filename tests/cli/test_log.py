"""assay log: scores, checks and judgments at the terminal, on to gate and report; and what is wrong."""


def test_score(folder, transcript):
    transcript("log/scored")


def test_check(folder, transcript):
    transcript("log/checked")


def test_judgments(folder, transcript):
    transcript("log/judged")


def test_faults(folder, transcript):
    transcript("log/faults")
