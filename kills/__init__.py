"""Kill tests: every operation that writes to disk is killed at many moments, and nothing may be lost.

`python -m kills --count 1000` prints a table by operation. A killed process is a fork of a process that has imported what
the operation needs. It runs the real command (`assay.cli.main`) in its own folder. Starting Python and importing write
nothing to disk, so they are not tested. Half of the kills come at a random moment of the whole duration; the other half
directly before a call that changes files, or before a statement or commit in the database.
"""
