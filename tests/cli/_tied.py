"""Four documents with one score, which tools put in different orders."""

TIED_QRELS = "1 0 d1 1\n"
TIED_RUN = "1 Q0 d3 1 5 t\n1 Q0 d4 2 5 t\n1 Q0 d1 3 5 t\n1 Q0 d2 4 5 t\n"
"""Four documents with one score; the relevant one is third in the file."""
