"""Fuzzing: mutated input for every reader, parser, saved form and endpoint; `python -m fuzz --list` names them."""
