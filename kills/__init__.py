"""Kill tests: every operation that changes something on the disk is killed at many instants, and nothing may be lost.

`python -m kills --count 1000` prints a table by operation. A killed process is a fork of one that has imported what the
operation needs, and runs the real command (`assay.cli.main`) in a folder of its own; starting Python and importing change
nothing on the disk, and are not part of it. Half of the kills come at a random instant of the whole duration; the other half
right before one of the calls that change files, or one of the statements and commits that reach the database.
"""
