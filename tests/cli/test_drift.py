"""assay drift: two runs, no judgments."""


def test_what_moved(files, transcript):
    (files / "tied.run").write_text("".join(f"q{query} Q0 d{doc} 1 1 tied\n" for query in "12" for doc in range(30)))
    transcript("drift/moved")
