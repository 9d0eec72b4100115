"""The parts of the commands about judgments: pools, layers, imports, exports and calibration."""
