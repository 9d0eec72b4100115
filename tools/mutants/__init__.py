"""mutants: small faults put into a copy of the sources, to see whether the tests notice them.

    python -m tools.mutants check                  # every mutant of the table finds its place
    python -m tools.mutants record                 # once: which test runs which lines (a run of the suite under coverage)
    python -m tools.mutants run --area metrics     # judge those that are not yet judged; the table is in build/mutants
    python -m tools.mutants run --bar before.json  # exit 1 where a mutant lives that was killed before

`tests/mutation/mutants.toml` has an entry for each mutant: name, area, file (below the package), function, before, after
and effect. Its place is a function and a text in it, not a line, so that mutants survive moves. For each mutant only tests
run whose recorded lines include a changed one; the first that fails kills it, if it passes without the mutant. The checkout
itself is never changed.

What runs once for many tests is recorded for all of them if it is a fixture or the import of a test module; but what a
cache keeps, for the first test alone. `run --wide` takes all tests that run any line of the file, for such a mutant.
"""
