"""recordings: everything a user can see of assay, recorded before a large change and compared after it.

    python -m tools.recordings record --folder DIR      # with the tree as it is
    python -m tools.recordings compare --folder DIR     # later: exit 1 and a diff by case if anything differs
    python -m tools.recordings compare --folder DIR --only B,C --match 'score *' --allow 'A/assay.model.*'

Parts: A public API, B output of commands and web pages, C values, D schemas and an old store and export, F the wheel.
E, how fast it is, is measured by `python -m benchmarks`. Command lines are in commands.txt, metrics in metrics.txt, web
addresses in addresses.txt; the files they read are in fixture/. A recording is a folder of text files, one for each case.
"""
