"""recordings: everything that a user can see of assay, recorded before a large change and compared after it.

    python -m tools.recordings record --folder DIR      # record the current tree
    python -m tools.recordings compare --folder DIR     # later: print a diff per case and exit 1 if anything differs
    python -m tools.recordings compare --folder DIR --only B,C --match 'score *' --allow 'A/assay.model.*'

Parts: A public API, B output of commands and web pages, C values, D schemas and an old store and export, F the wheel.
There is no E: speed is measured by `python -m benchmarks`. Command lines are in commands.txt, metrics in metrics.txt, web
addresses in addresses.txt; the files they read are in fixture/. A recording is a folder of text files, one for each case.
"""
