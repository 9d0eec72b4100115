"""mutants: small faults inserted into a copy of the sources, to see whether the tests notice them.

    python -m tools.mutants check                  # check that every mutant of the table has a place in the sources
    python -m tools.mutants record                 # once: record which test runs which lines (a test run with coverage)
    python -m tools.mutants run --area metrics     # test the mutants without a result; the table is in build/mutants
    python -m tools.mutants run --bar before.json  # exit 1 if a mutant survives that was killed before

`tests/mutation/mutants.toml` has an entry for each mutant: name, area, file (below the package), function, before, after
and effect. Its place is a text in a function, not a line, so that code can move. For each mutant, only the tests run whose
recorded lines include a changed line. The first test that fails kills the mutant, if it passes without the mutant. The
checkout itself is never changed.

A fixture or the import of a test module runs once for many tests and is recorded for all of them; a cached value is recorded
only for the first test. For such a mutant, `run --wide` runs all tests that run any line of the file.
"""
